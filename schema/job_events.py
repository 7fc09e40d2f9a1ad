"""Subscriptions to the progress of jobs."""

import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import strawberry

from domain.errors import ServiceUnavailable
from domain.names import DEFAULT_WORKSPACE
from resolvers import job_events as use_cases
from schema import jobs, trials
from schema.arguments import given
from schema.enums import JobStatus, TrialStatus
from schema.execution.sharing import SharedEvent
from schema.job_progress import JobProgress, present_progress
from schema.jobs import job_id
from schema.loading import then
from schema.selection import Info
from storage.job_events import EventRecord, EventType
from storage.trials import TrialRecord

if TYPE_CHECKING:
    from schema.jobs import Job
    from schema.trials import Trial


@strawberry.interface(
    description=(
        "Something that happened to a job. `seq` grows by one per event, so that a subscriber that comes back with the "
        "last one it saw misses nothing and sees nothing twice."
    )
)
class JobEvent:
    record: strawberry.Private[EventRecord]

    seq: int = strawberry.field(description="The number of the event within its job, from 1.")
    at: datetime = strawberry.field(description="When it happened.")
    progress: JobProgress = strawberry.field(description="The job's counters at this event.")

    @strawberry.field(description="The job as it is now.")
    def job(self, info: Info) -> Annotated["Job", strawberry.lazy("schema.jobs")]:
        return then(info.context.loaders.job.load(self.record.job), jobs.present_found_job)


def _found_trial(record: TrialRecord | None) -> "Trial":
    if record is None:
        raise ServiceUnavailable("The job was deleted while it was being read; repeat the request.")
    return trials.present_trial(record)


@strawberry.type(description="How a job stands: the first message without `after`, and in place of merged events.")
class JobSnapshot(JobEvent):
    pass


@strawberry.type(description="A trial was leased.")
class TrialStarted(JobEvent):
    @strawberry.field(description="The trial as it is now.")
    def trial(self, info: Info) -> Annotated["Trial", strawberry.lazy("schema.trials")]:
        return _trial(self, info)


@strawberry.type(description="An attempt was lost (lease expired, target unreachable); the trial waits again.")
class TrialRequeued(JobEvent):
    reason: str | None = strawberry.field(description="Why the attempt was lost.")

    @strawberry.field(description="The trial as it is now.")
    def trial(self, info: Info) -> Annotated["Trial", strawberry.lazy("schema.trials")]:
        return _trial(self, info)


@strawberry.type(description="Many trials ended at once, because their job was cancelled or failed fast.")
class TrialsSettled(JobEvent):
    trial_status: TrialStatus = strawberry.field(description="Where they stand now.")
    count: int = strawberry.field(description="How many they are.")


@strawberry.type(description="A trial ended.")
class TrialFinished(JobEvent):
    @strawberry.field(description="The trial as it is now.")
    def trial(self, info: Info) -> Annotated["Trial", strawberry.lazy("schema.trials")]:
        return _trial(self, info)


@strawberry.type(description="The job moved, and has not ended.")
class JobStatusChanged(JobEvent):
    from_: JobStatus = strawberry.field(name="from", description="Where it stood before.")
    to: JobStatus = strawberry.field(description="Where it stands now.")
    reason: str | None = strawberry.field(description="Why, where there is a reason.")


@strawberry.type(description="The job ended; the stream ends with it. Only `retryJob` is followed by more events.")
class JobEnded(JobEvent):
    status: JobStatus = strawberry.field(description="How it ended: COMPLETED, ERROR or CANCELLED.")


EVENT_TYPES: Final = (
    JobSnapshot,
    TrialStarted,
    TrialRequeued,
    TrialsSettled,
    TrialFinished,
    JobStatusChanged,
    JobEnded,
)


def _trial(event: JobEvent, info: Info) -> "Trial":
    assert event.record.trial is not None
    return then(info.context.loaders.trial.load(event.record.trial), _found_trial)


_PRESENTERS: Final[Mapping[EventType, Callable[..., JobEvent]]] = {
    EventType(event.__name__): event for event in EVENT_TYPES
}


def present_event(record: EventRecord) -> JobEvent:
    """The GraphQL object of one event."""
    own: dict[str, Any] = {}
    match record.type:
        case EventType.TRIAL_REQUEUED:
            own = {"reason": record.reason}
        case EventType.TRIALS_SETTLED:
            own = {"trial_status": record.trial_status, "count": record.count}
        case EventType.STATUS_CHANGED:
            own = {"from_": record.from_status, "to": record.to_status, "reason": record.reason}
        case EventType.ENDED:
            own = {"status": record.to_status}
    progress = present_progress(record.progress)
    return _PRESENTERS[record.type](record=record, seq=record.seq, at=record.at, progress=progress, **own)


def shared_event(record: EventRecord) -> Any:
    """One event of one job, which is presented and resolved once for all who watch it."""
    return SharedEvent((record.job, record.seq, record.type), partial(present_event, record))


@strawberry.type
class JobSubscriptions:
    @strawberry.subscription(
        description=(
            "Everything that happens to a job, until JobEnded. Without `after` a JobSnapshot comes first, whose `seq` "
            "is that of the last event in it, then seq + 1, …; with `after: N` event N + 1 comes first."
        )
    )
    async def job_progress(
        self,
        info: Info,
        id: Annotated[strawberry.ID, strawberry.argument(description="The id of the job.")],
        after: Annotated[
            int | None, strawberry.argument(description="The `seq` of the last event that was seen.")
        ] = strawberry.UNSET,
        max_per_second: Annotated[
            float | None,
            strawberry.argument(
                description="Merge what trials do into at most so many snapshots a second; absent merges nothing."
            ),
        ] = strawberry.UNSET,
    ) -> AsyncGenerator[JobEvent, None]:
        events = use_cases.job_progress(info.context, job_id(id), given(after), given(max_per_second))
        async with contextlib.aclosing(events):
            async for event in events:
                yield shared_event(event)

    @strawberry.subscription(
        description=(
            "Every unfinished job of the workspace, for a dashboard: a JobSnapshot each at the start, then at most one "
            "a second per job, and always JobEnded."
        )
    )
    async def jobs_progress(
        self,
        info: Info,
        workspace: Annotated[
            str, strawberry.argument(description="The workspace whose jobs are watched.")
        ] = DEFAULT_WORKSPACE,
    ) -> AsyncGenerator[JobEvent, None]:
        events = use_cases.jobs_progress(info.context, workspace)
        async with contextlib.aclosing(events):
            async for event in events:
                yield shared_event(event)
