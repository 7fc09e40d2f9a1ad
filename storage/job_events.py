"""The events of jobs: numbered without a gap within a job, written in the transaction that they tell of."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from domain.jobs import JobStatus
from domain.trials import TrialStatus
from storage.driver import Database, Document, ObjectId
from storage.jobs import JobRecord, Progress, progress_record


class EventType(StrEnum):
    """What an event tells; the value is the name of its GraphQL type."""

    SNAPSHOT = "JobSnapshot"
    TRIAL_STARTED = "TrialStarted"
    TRIAL_REQUEUED = "TrialRequeued"
    TRIALS_SETTLED = "TrialsSettled"
    TRIAL_FINISHED = "TrialFinished"
    STATUS_CHANGED = "JobStatusChanged"
    ENDED = "JobEnded"

    @property
    def may_be_merged(self) -> bool:
        """Whether a screen that wants fewer events can do without it."""
        return self not in (EventType.STATUS_CHANGED, EventType.ENDED)


@dataclass(frozen=True, slots=True)
class EventRecord:
    """One event; `seq` counts from 1 within its job, and which of the last fields are set depends on the type."""

    job: ObjectId
    seq: int
    at: datetime
    type: EventType
    progress: Progress
    trial: ObjectId | None = None
    trial_status: TrialStatus | None = None
    count: int | None = None
    from_status: JobStatus | None = None
    to_status: JobStatus | None = None
    reason: str | None = None


async def read_after(
    database: Database, job: ObjectId, seq: int, limit: int, type: EventType | None = None
) -> list[EventRecord]:
    """The events that follow one number, in order; of one type where it is given."""
    query: dict[str, Any] = {"job": job, "seq": {"$gt": seq}}
    if type is not None:
        query["type"] = type
    found = await database["job_events"].find(query, sort=[("seq", 1)], limit=limit).to_list(None)
    return [record(document) for document in found]


def snapshot(job: JobRecord, seq: int) -> EventRecord:
    """The job as it stands, as an event of this number."""
    return EventRecord(job.id, seq, job.updated_at, EventType.SNAPSHOT, job.progress)


def record(document: Document) -> EventRecord:
    """An event of its document."""
    return EventRecord(
        job=document["job"],
        seq=document["seq"],
        at=document["at"],
        type=EventType(document["type"]),
        progress=progress_record(document["progress"]),
        trial=document.get("trial"),
        trial_status=_optional(TrialStatus, document, "trialStatus"),
        count=document.get("count"),
        from_status=_optional(JobStatus, document, "from"),
        to_status=_optional(JobStatus, document, "to"),
        reason=document.get("reason"),
    )


def _optional(kind: Any, document: Mapping[str, Any], field: str) -> Any:
    value = document.get(field)
    return None if value is None else kind(value)
