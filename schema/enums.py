"""The enumerations of the rooms below, which know nothing of GraphQL, published with their descriptions.

Modules of this room import them from here: Strawberry publishes an enumeration the first time that it meets it.
"""

from enum import Enum
from typing import cast

import strawberry
from strawberry.types.enum import StrawberryEnumDefinition

from domain.audit import AuditAction, AuditedType
from domain.content import TaskKind
from domain.errors import ErrorCode
from domain.jobs import AttemptPolicy, JobStatus
from domain.metrics import MetricType
from domain.outcomes import Outcome
from domain.targets import TargetKind
from domain.trials import TrialStatus
from resolvers.access import Scope
from storage.jobs import JobOrderField
from storage.pages import OrderField

__all__ = [
    "AttemptPolicy",
    "AuditAction",
    "AuditedType",
    "ErrorCode",
    "JobOrderField",
    "JobStatus",
    "MetricType",
    "OrderField",
    "Outcome",
    "Scope",
    "TargetKind",
    "TaskKind",
    "TrialStatus",
    "describe",
]


def describe(enumeration: type[Enum], description: str, *, name: str | None = None, **values: str) -> None:
    """Publish an enumeration under its member names, each with a description of its own.

    Raises KeyError at import where a member is left without one.
    """
    strawberry.enum(enumeration, name=name, description=description)
    definition = cast("StrawberryEnumDefinition", enumeration.__strawberry_definition__)  # type: ignore[attr-defined]
    for value in definition.values:
        value.description = values[value.name]


describe(
    ErrorCode,
    "What went wrong, for programs. New codes may be added; treat an unknown one as a failure.",
    INVALID_INPUT="A value breaks a stated rule; the message names the rule.",
    NOT_FOUND="The addressed record, revision, tag or member does not exist, or the token may not read it.",
    ALREADY_EXISTS="The name is taken.",
    CONFLICT="An expectation such as `expectedDigest` no longer holds, or a race was lost; read again and retry.",
    IN_USE="Others pin what should be deleted.",
    DUPLICATE_MEMBER="The same task stands twice in one taskset, even if at different revisions.",
    TAG_RESERVED="The tag `latest` was to be moved or removed by hand.",
    INVALID_STATE="The status of the job or trial forbids the action.",
    LEASE_LOST="The lease has expired or was revoked; nothing was changed.",
    LIMIT_EXCEEDED="There is too much of something; the message states the limit.",
    FORBIDDEN="The token lacks the scope that the action needs.",
)

describe(
    Scope,
    "What a token may do in a workspace; every scope includes READ.",
    READ="Read everything in the workspace.",
    WRITE="Create, publish, tag and delete metrics, tasks and tasksets.",
    RUN="Submit and steer jobs, and run their trials.",
    ADMIN="Everything, tokens included.",
)

describe(
    Outcome,
    "What a replace did.",
    name="PublishOutcome",
    CREATED="The record did not exist; it has revision 1 now.",
    PUBLISHED="The content differs from the latest revision; a new revision was cut.",
    UNCHANGED="The content equals the latest revision; no revision was cut, tags and project were applied.",
)

describe(
    OrderField,
    "What a list of metrics, tasks or tasksets is sorted by; ties are broken by age.",
    name="DefinitionOrderField",
    NAME="By name, in the order of code points.",
    CREATED_AT="By the time of creation.",
    UPDATED_AT="By the time of the last change; a record that changes while you page may move.",
)

describe(
    MetricType,
    "What a metric does.",
    EXACT_MATCH="1 where reference and answer are equal after normalising, else 0.",
    F1="F1 over the normalised tokens.",
    BLEU="BLEU by sacrebleu, from 0 to 100.",
    ROUGE="ROUGE F-measures with stemming.",
    STRING_CHECK="1 where two texts stand in a relation, else 0.",
    NUMBER_CHECK="1 where two numbers stand in a relation, else 0.",
    TOOL_CALLING="1 where the tool calls are those expected, else 0.",
    LLM_JUDGE="Scores that a model gives.",
    REMOTE="Scores that an HTTP service gives.",
    REWARD="A reward that the runner reports.",
)

describe(
    TaskKind,
    "What kind of work a task describes.",
    EVALUATOR="A prompt with a reference, scored by metrics.",
    HARBOR="A packaged task directory that an outside runner executes and scores.",
    TEMPLATE="A template of an environment, bound to arguments: one row of a HUD taskset.",
)

describe(
    AuditAction,
    "What was done to a record.",
    CREATE="It was created.",
    PUBLISH="Other content became its latest revision.",
    UPDATE="Its project or the tags of a publish changed, its content did not.",
    TAG="A tag was pointed at a revision by hand.",
    UNTAG="A tag was removed.",
    RETIRE="A metric was deleted that revisions still name.",
    RESTORE="A retired metric was created again.",
    DELETE="It was removed.",
    SUBMIT="A job was submitted.",
    CANCEL="A job was cancelled.",
    PAUSE="A job was paused.",
    RESUME="A paused job went on.",
    RETRY="Failed trials of a job were started again.",
    REVOKE="A token was ended.",
)

describe(
    AuditedType,
    "What kind of record the audit log tells of.",
    WORKSPACE="A workspace.",
    METRIC="A metric.",
    TASK="A task.",
    TASKSET="A taskset.",
    JOB="A job.",
    TOKEN="A token.",
)

describe(
    JobStatus,
    "Where a job stands. The last three end it; only `retryJob` opens it again.",
    PENDING="Nothing has been leased yet.",
    ACTIVE="Trials are being executed.",
    PAUSED="Nothing is leased; trials that run may still report.",
    COMPLETED="Every trial has ended, even if all of them failed.",
    ERROR="A fail-fast job met its first failure; the rest was cancelled.",
    CANCELLED="Somebody ended it; what had not ended was cancelled.",
)

describe(
    TrialStatus,
    "Where a trial, an attempt or a score stands. The last four are final.",
    PENDING="It waits to be leased.",
    RUNNING="Somebody holds its lease.",
    SCORING="It is reported and waits for a worker to score it.",
    COMPLETED="It has a result and no error.",
    PARTIAL="It has a result and an error, and is scored nevertheless.",
    FAILED="It has no result.",
    CANCELLED="Its job ended before it did.",
)

describe(
    TargetKind,
    "How the trials of a job are produced.",
    MODEL="A model behind an OpenAI-compatible chat completions API.",
    AGENT="An HTTP endpoint that answers one POST a trial.",
    OUTPUTS="Nobody: outputs that exist already are scored.",
    RUNNER="An outside program that leases trials over this API and reports them.",
)

describe(
    AttemptPolicy,
    "Which attempt of a trial speaks for it in statistics; attempts lost with their lease never do.",
    FIRST="The first that ended.",
    LAST="The last that ended.",
    BEST="The one with the highest reward.",
)

describe(
    JobOrderField,
    "What a list of jobs is sorted by.",
    CREATED_AT="When the job was submitted; a page never repeats or loses a job.",
    UPDATED_AT="When the job last moved; a job that moves while you page may change its place.",
)
