"""Trials of a job and their attempts, as they are read."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from domain import trials as domain
from schema import jobs, tasks
from schema.connections import Connection, Edge, connect
from schema.enums import TrialStatus
from schema.loading import then, warm
from schema.nodes import Node, global_id, register
from schema.scalars import JSON, BigInt
from schema.selection import Info, Selection, selection
from storage import trials as storage
from storage.driver import ObjectId
from storage.payloads import Payload
from storage.records import TASK, Page
from storage.trials import AttemptRecord, TrialRecord

if TYPE_CHECKING:
    from schema.jobs import Job
    from schema.tasks import TaskRevision

_PAYLOADS = ("output", "response", "trajectory")


@strawberry.input(description="Which trials a list should hold; all conditions must be met.")
class TrialFilter:
    status: list[TrialStatus] | None = strawberry.field(description="Trials that stand at one of these.")
    task_name: str | None = strawberry.field(description="Trials of the task of this name.")
    repeat: int | None = strawberry.field(description="Trials of this repeat, from 0.")


@strawberry.type(description="One number or label that a metric gave.")
class ScoreValue:
    name: str = strawberry.field(description="The metric's output.")
    value: float | None = strawberry.field(description="The number; null where it could not be measured.")
    label: str | None = strawberry.field(description="The label, where the metric gives one.")


@strawberry.type(description="What a metric has to say about its score.")
class Diagnostic:
    severity: str = strawberry.field(description="error, warning or info.")
    message: str = strawberry.field(description="What happened, for people.")


@strawberry.type(description="A metric's verdict on an attempt.")
class Score:
    metric: str = strawberry.field(description="The metric's reference, `workspace/name`.")
    status: TrialStatus = strawberry.field(
        description="COMPLETED, PARTIAL where some values are missing, or FAILED where the metric could not judge."
    )
    values: list[ScoreValue] = strawberry.field(description="The metric's outputs.")
    diagnostics: list[Diagnostic] = strawberry.field(description="Why values are missing, among other things.")


@strawberry.type(description="Why an attempt went wrong.")
class TrialError:
    type: str = strawberry.field(description="A short type to count by.")
    message: str = strawberry.field(description="What happened, for people.")


@strawberry.type(description="What an attempt consumed; null where nobody said.")
class Usage:
    input_tokens: BigInt | None = strawberry.field(description="Tokens that went in.")
    output_tokens: BigInt | None = strawberry.field(description="Tokens that came out.")
    cost_usd: float | None = strawberry.field(description="US dollars.")


@strawberry.type(description="One try at a trial. Attempts are only ever added: a retry overwrites nothing.")
class Attempt:
    record: strawberry.Private[AttemptRecord]
    trial: strawberry.Private[ObjectId]

    number: int = strawberry.field(description="Its ordinal within the trial, from 1.")
    status: TrialStatus = strawberry.field(description="How it ended, or SCORING.")
    reward: float | None = strawberry.field(description="Its reward; null where there is none.")
    scores: list[Score] = strawberry.field(description="One score a metric.")
    error: TrialError | None = strawberry.field(description="Why it went wrong.")
    usage: Usage | None = strawberry.field(description="What it consumed.")
    latency_ms: float | None = strawberry.field(description="Milliseconds that the target took to answer.")
    runner: str | None = strawberry.field(description="Who held the lease.")
    started_at: datetime | None = strawberry.field(description="When it was leased.")
    finished_at: datetime | None = strawberry.field(description="When it was reported or lost.")

    @strawberry.field(description="The text that was produced.")
    def output(self, info: Info) -> str | None:
        return then(_payload(info, self.trial, self.number), lambda payload: payload.output)

    @strawberry.field(description="The whole answer of the target, any JSON.")
    def response(self, info: Info) -> JSON | None:
        return then(_payload(info, self.trial, self.number), lambda payload: JSON(payload.response))

    @strawberry.field(description="The steps that led to the output, any JSON (ATIF where the target speaks it).")
    def trajectory(self, info: Info) -> JSON | None:
        return then(_payload(info, self.trial, self.number), lambda payload: JSON(payload.trajectory))


@strawberry.type(description="One execution of one task within a job.")
class Trial(Node):
    record: strawberry.Private[TrialRecord]

    task_name: str = strawberry.field(description="The name of its task within the job.")
    task_digest: str = strawberry.field(description="The digest of the content that it executes.")
    repeat: int = strawberry.field(description="Which repeat of the task it is, from 0.")
    status: TrialStatus = strawberry.field(description="Where it stands.")
    reward: float | None = strawberry.field(
        description=(
            "What a runner reported, else the view `reward`, else the mean of the metrics' first outputs; null where "
            "one is missing."
        )
    )
    scores: list[Score] = strawberry.field(description="The scores of its newest attempt.")
    error: TrialError | None = strawberry.field(description="Why its newest attempt went wrong.")
    usage: Usage | None = strawberry.field(description="What its newest attempt consumed.")
    latency_ms: float | None = strawberry.field(description="Milliseconds that the newest answer took.")
    runner: str | None = strawberry.field(description="Who holds it, or held it last.")
    started_at: datetime | None = strawberry.field(description="When it was first leased.")
    finished_at: datetime | None = strawberry.field(description="When it ended.")

    @strawberry.field(description="The job that it belongs to.")
    def job(self, info: Info) -> Annotated["Job", strawberry.lazy("schema.jobs")]:
        return then(info.context.loaders.job.load(self.record.job), jobs.present_found_job)

    @strawberry.field(description="The stored revision that it executes; null once deleted, and for one-off tasks.")
    async def task_revision(self, info: Info) -> Annotated["TaskRevision", strawberry.lazy("schema.tasks")] | None:
        task = await info.context.loaders.job_task.load((self.record.job, self.record.position))
        if task is None or task.revision_id is None:
            return None
        found = await info.context.loaders.revision[TASK].load(task.revision_id)
        is_readable = found is not None and info.context.viewer.reads(found.workspace)
        return tasks.present_revision(found) if found is not None and is_readable else None

    @strawberry.field(description="The text that the newest attempt produced.")
    def output(self, info: Info) -> str | None:
        return then(_newest(info, self.record), lambda payload: payload.output)

    @strawberry.field(description="The whole answer of the newest attempt, any JSON.")
    def response(self, info: Info) -> JSON | None:
        return then(_newest(info, self.record), lambda payload: JSON(payload.response))

    @strawberry.field(description="The steps of the newest attempt, any JSON.")
    def trajectory(self, info: Info) -> JSON | None:
        return then(_newest(info, self.record), lambda payload: JSON(payload.trajectory))

    @strawberry.field(description="Every attempt that has been reported or lost, oldest first.")
    def attempts(self) -> list[Attempt]:
        return [_present_attempt(self.record.id, attempt) for attempt in self.record.attempts]


@strawberry.type(description="One trial of a page.")
class TrialEdge(Edge[Trial]):
    pass


@strawberry.type(description="A page of trials, in the order of the work list.")
class TrialConnection(Connection[Trial, TrialEdge]):
    edge_type = TrialEdge


def _newest(info: Info, record: TrialRecord) -> Awaitable[Payload]:
    return _payload(info, record.id, record.last.number if record.last is not None else 0)


def _payload(info: Info, trial: ObjectId, number: int) -> Awaitable[Payload]:
    return _numbered(info.context.loaders.payloads.load(trial), number)


async def _numbered(found: Awaitable[dict[int, Payload]], number: int) -> Payload:
    return (await found).get(number) or Payload()


def _scores(record: AttemptRecord | None) -> list[Score]:
    return [
        Score(
            metric=score.metric,
            status=score.status,
            values=[ScoreValue(name=value.name, value=value.value, label=value.label) for value in score.values],
            diagnostics=[Diagnostic(severity=each.severity, message=each.message) for each in score.diagnostics],
        )
        for score in (() if record is None else record.scores)
    ]


def _error(error: domain.TrialError | None) -> TrialError | None:
    return None if error is None else TrialError(type=error.type, message=error.message)


def _usage(usage: domain.Usage | None) -> Usage | None:
    if usage is None:
        return None
    return Usage(
        input_tokens=None if usage.input_tokens is None else BigInt(usage.input_tokens),
        output_tokens=None if usage.output_tokens is None else BigInt(usage.output_tokens),
        cost_usd=usage.cost_usd,
    )


def _present_attempt(trial: ObjectId, record: AttemptRecord) -> Attempt:
    return Attempt(
        record=record,
        trial=trial,
        number=record.number,
        status=record.status,
        reward=record.reward,
        scores=_scores(record),
        error=_error(record.error),
        usage=_usage(record.usage),
        latency_ms=record.latency_ms,
        runner=record.runner,
        started_at=record.started_at,
        finished_at=record.finished_at,
    )


def present_trial(record: TrialRecord) -> Trial:
    """The GraphQL object of a stored trial."""
    last = record.last
    holder = None if record.lease is None else record.lease.holder
    return Trial(
        record=record,
        id=global_id("Trial", record.id),
        task_name=record.task_name,
        task_digest=record.task_digest,
        repeat=record.repeat,
        status=record.status,
        reward=record.reward,
        scores=_scores(last),
        error=None if last is None else _error(last.error),
        usage=None if last is None else _usage(last.usage),
        latency_ms=None if last is None else last.latency_ms,
        runner=holder or (None if last is None else last.runner),
        started_at=record.started_at,
        finished_at=record.finished_at,
    )


register("Trial", present_trial)


def trial_filter(input: TrialFilter | None) -> storage.TrialFilter | None:
    """The filter that storage understands; None where none was given."""
    if not input:
        return None
    return storage.TrialFilter(input.status or (), input.task_name, input.repeat)


async def warm_trials(info: Info, trials: Sequence[TrialRecord], wanted: Selection) -> None:
    """Load in bulk what the selection asks of these trials."""
    if wanted.has("job"):
        await warm(info.context.loaders.job, [trial.job for trial in trials])
    if wanted.has("taskRevision"):
        await warm(info.context.loaders.job_task, [(trial.job, trial.position) for trial in trials])
    if wanted.has(*_PAYLOADS) or wanted.below("attempts").has(*_PAYLOADS):
        await warm(info.context.loaders.payloads, [trial.id for trial in trials])


async def connect_trials(info: Info, page: Page[TrialRecord], count: Callable[[], Awaitable[int]]) -> TrialConnection:
    """The connection of a page of trials, with everything loaded that is asked of them."""
    await warm_trials(info, page.items, selection(info).items())
    return connect(TrialConnection, page, present_trial, count)
