"""What the audit log calls the things that are done."""

from enum import StrEnum


class AuditAction(StrEnum):
    """What was done to a record."""

    CREATE = "CREATE"
    PUBLISH = "PUBLISH"
    UPDATE = "UPDATE"
    TAG = "TAG"
    UNTAG = "UNTAG"
    RETIRE = "RETIRE"
    RESTORE = "RESTORE"
    DELETE = "DELETE"
    SUBMIT = "SUBMIT"
    CANCEL = "CANCEL"
    PAUSE = "PAUSE"
    RESUME = "RESUME"
    RETRY = "RETRY"
    REVOKE = "REVOKE"


class AuditedType(StrEnum):
    """What kind of record it was done to; the values are the names of the schema's types."""

    WORKSPACE = "Workspace"
    METRIC = "Metric"
    TASK = "Task"
    TASKSET = "Taskset"
    JOB = "Job"
    TOKEN = "Token"
