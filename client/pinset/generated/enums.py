"""Typed operations, written by ariadne-codegen from the schema."""

from enum import Enum


class AttemptPolicy(str, Enum):
    BEST = "BEST"
    FIRST = "FIRST"
    LAST = "LAST"


class AuditAction(str, Enum):
    CANCEL = "CANCEL"
    CREATE = "CREATE"
    DELETE = "DELETE"
    PAUSE = "PAUSE"
    PUBLISH = "PUBLISH"
    RESTORE = "RESTORE"
    RESUME = "RESUME"
    RETIRE = "RETIRE"
    RETRY = "RETRY"
    REVOKE = "REVOKE"
    SUBMIT = "SUBMIT"
    TAG = "TAG"
    UNTAG = "UNTAG"
    UPDATE = "UPDATE"


class AuditedType(str, Enum):
    JOB = "JOB"
    METRIC = "METRIC"
    TASK = "TASK"
    TASKSET = "TASKSET"
    TOKEN = "TOKEN"
    WORKSPACE = "WORKSPACE"


class ComparisonClass(str, Enum):
    CHANGED_CONTENT = "CHANGED_CONTENT"
    EQUAL = "EQUAL"
    IMPROVED = "IMPROVED"
    ONLY_IN_BASE = "ONLY_IN_BASE"
    ONLY_IN_CANDIDATE = "ONLY_IN_CANDIDATE"
    REGRESSED = "REGRESSED"
    UNSCORED = "UNSCORED"


class DefinitionOrderField(str, Enum):
    CREATED_AT = "CREATED_AT"
    NAME = "NAME"
    UPDATED_AT = "UPDATED_AT"


class ErrorCode(str, Enum):
    ALREADY_EXISTS = "ALREADY_EXISTS"
    CONFLICT = "CONFLICT"
    DUPLICATE_MEMBER = "DUPLICATE_MEMBER"
    FORBIDDEN = "FORBIDDEN"
    INVALID_INPUT = "INVALID_INPUT"
    INVALID_STATE = "INVALID_STATE"
    IN_USE = "IN_USE"
    LEASE_LOST = "LEASE_LOST"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    NOT_FOUND = "NOT_FOUND"
    TAG_RESERVED = "TAG_RESERVED"


class JobOrderField(str, Enum):
    CREATED_AT = "CREATED_AT"
    UPDATED_AT = "UPDATED_AT"


class JobStatus(str, Enum):
    ACTIVE = "ACTIVE"
    CANCELLED = "CANCELLED"
    COMPLETED = "COMPLETED"
    ERROR = "ERROR"
    PAUSED = "PAUSED"
    PENDING = "PENDING"


class MetricType(str, Enum):
    BLEU = "BLEU"
    EXACT_MATCH = "EXACT_MATCH"
    F1 = "F1"
    LLM_JUDGE = "LLM_JUDGE"
    NUMBER_CHECK = "NUMBER_CHECK"
    REMOTE = "REMOTE"
    REWARD = "REWARD"
    ROUGE = "ROUGE"
    STRING_CHECK = "STRING_CHECK"
    TOOL_CALLING = "TOOL_CALLING"


class NumberOperation(str, Enum):
    ABSOLUTE_DIFFERENCE = "ABSOLUTE_DIFFERENCE"
    EQUALS = "EQUALS"
    GREATER = "GREATER"
    GREATER_OR_EQUAL = "GREATER_OR_EQUAL"
    LESS = "LESS"
    LESS_OR_EQUAL = "LESS_OR_EQUAL"
    NOT_EQUALS = "NOT_EQUALS"


class OrderDirection(str, Enum):
    ASC = "ASC"
    DESC = "DESC"


class PublishOutcome(str, Enum):
    CREATED = "CREATED"
    PUBLISHED = "PUBLISHED"
    UNCHANGED = "UNCHANGED"


class Scope(str, Enum):
    ADMIN = "ADMIN"
    READ = "READ"
    RUN = "RUN"
    WRITE = "WRITE"


class StringOperation(str, Enum):
    CONTAINS = "CONTAINS"
    ENDS_WITH = "ENDS_WITH"
    EQUALS = "EQUALS"
    NOT_CONTAINS = "NOT_CONTAINS"
    NOT_EQUALS = "NOT_EQUALS"
    STARTS_WITH = "STARTS_WITH"


class TargetKind(str, Enum):
    AGENT = "AGENT"
    MODEL = "MODEL"
    OUTPUTS = "OUTPUTS"
    RUNNER = "RUNNER"


class TaskKind(str, Enum):
    EVALUATOR = "EVALUATOR"
    HARBOR = "HARBOR"
    TEMPLATE = "TEMPLATE"


class TrialStatus(str, Enum):
    CANCELLED = "CANCELLED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    PARTIAL = "PARTIAL"
    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SCORING = "SCORING"
