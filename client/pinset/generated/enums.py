"""Typed operations, written by ariadne-codegen from the schema."""

from enum import Enum


class OrderDirection(str, Enum):
    ASC = "ASC"
    DESC = "DESC"


class ErrorCode(str, Enum):
    INVALID_INPUT = "INVALID_INPUT"
    NOT_FOUND = "NOT_FOUND"
    ALREADY_EXISTS = "ALREADY_EXISTS"
    CONFLICT = "CONFLICT"
    IN_USE = "IN_USE"
    DUPLICATE_MEMBER = "DUPLICATE_MEMBER"
    TAG_RESERVED = "TAG_RESERVED"
    INVALID_STATE = "INVALID_STATE"
    LEASE_LOST = "LEASE_LOST"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    FORBIDDEN = "FORBIDDEN"


class MetricType(str, Enum):
    EXACT_MATCH = "EXACT_MATCH"
    F1 = "F1"
    BLEU = "BLEU"
    ROUGE = "ROUGE"
    STRING_CHECK = "STRING_CHECK"
    NUMBER_CHECK = "NUMBER_CHECK"
    TOOL_CALLING = "TOOL_CALLING"
    LLM_JUDGE = "LLM_JUDGE"
    REMOTE = "REMOTE"
    REWARD = "REWARD"


class TaskKind(str, Enum):
    EVALUATOR = "EVALUATOR"
    HARBOR = "HARBOR"
    TEMPLATE = "TEMPLATE"


class JobStatus(str, Enum):
    PENDING = "PENDING"
    ACTIVE = "ACTIVE"
    PAUSED = "PAUSED"
    COMPLETED = "COMPLETED"
    ERROR = "ERROR"
    CANCELLED = "CANCELLED"


class TrialStatus(str, Enum):
    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SCORING = "SCORING"
    COMPLETED = "COMPLETED"
    PARTIAL = "PARTIAL"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class TargetKind(str, Enum):
    MODEL = "MODEL"
    AGENT = "AGENT"
    OUTPUTS = "OUTPUTS"
    RUNNER = "RUNNER"


class AttemptPolicy(str, Enum):
    FIRST = "FIRST"
    LAST = "LAST"
    BEST = "BEST"


class ComparisonClass(str, Enum):
    IMPROVED = "IMPROVED"
    REGRESSED = "REGRESSED"
    EQUAL = "EQUAL"
    CHANGED_CONTENT = "CHANGED_CONTENT"
    ONLY_IN_BASE = "ONLY_IN_BASE"
    ONLY_IN_CANDIDATE = "ONLY_IN_CANDIDATE"
    UNSCORED = "UNSCORED"


class DefinitionOrderField(str, Enum):
    NAME = "NAME"
    CREATED_AT = "CREATED_AT"
    UPDATED_AT = "UPDATED_AT"


class JobOrderField(str, Enum):
    CREATED_AT = "CREATED_AT"
    UPDATED_AT = "UPDATED_AT"


class Scope(str, Enum):
    READ = "READ"
    WRITE = "WRITE"
    RUN = "RUN"
    ADMIN = "ADMIN"


class StringOperation(str, Enum):
    EQUALS = "EQUALS"
    NOT_EQUALS = "NOT_EQUALS"
    CONTAINS = "CONTAINS"
    NOT_CONTAINS = "NOT_CONTAINS"
    STARTS_WITH = "STARTS_WITH"
    ENDS_WITH = "ENDS_WITH"


class NumberOperation(str, Enum):
    EQUALS = "EQUALS"
    NOT_EQUALS = "NOT_EQUALS"
    GREATER = "GREATER"
    GREATER_OR_EQUAL = "GREATER_OR_EQUAL"
    LESS = "LESS"
    LESS_OR_EQUAL = "LESS_OR_EQUAL"
    ABSOLUTE_DIFFERENCE = "ABSOLUTE_DIFFERENCE"


class PublishOutcome(str, Enum):
    CREATED = "CREATED"
    PUBLISHED = "PUBLISHED"
    UNCHANGED = "UNCHANGED"
