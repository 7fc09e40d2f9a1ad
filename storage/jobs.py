"""Jobs as documents: what was submitted, where the job stands, and its counters, so that no page scans trials."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, cast

from domain.canonical import JSON
from domain.jobs import JobOptions, JobStatus
from domain.targets import Target, TargetKind, stored_target
from domain.trials import ENDED_TRIALS
from storage.clock import now
from storage.driver import Database, Document, ObjectId
from storage.pages import Order, PageRequest, fetch
from storage.records import Page

DEFAULT_LEASE_SECONDS: Final = 60.0


class JobOrderField(StrEnum):
    """What a list of jobs can be sorted by."""

    CREATED_AT = "createdAt"
    UPDATED_AT = "updatedAt"


OPEN: Final = (JobStatus.PENDING, JobStatus.ACTIVE, JobStatus.PAUSED)


@dataclass(frozen=True, slots=True)
class Progress:
    """Counters of a job at one event: trials by status, lost attempts, rewards, and what all attempts consumed."""

    counts: Mapping[str, int]
    retries: int
    mean_reward: float | None
    input_tokens: int
    output_tokens: int
    cost_usd: float
    last_heartbeat_at: datetime | None
    seconds_remaining: float | None

    @property
    def total(self) -> int:
        """How many trials the job has."""
        return sum(self.counts.values())

    @property
    def fraction(self) -> float:
        """The share of trials that have ended, 0 to 1."""
        total = self.total
        return ended_count(self.counts) / total if total else 1.0


@dataclass(frozen=True, slots=True)
class TasksetSource:
    """The taskset revision that a job was submitted from: the reference as given, and what it resolved to."""

    ref: str
    record: str
    revision_id: ObjectId
    digest: str


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job as it stands; `seq` is the number of its last event, `definitions` digests by metric reference."""

    id: ObjectId
    workspace: str
    name: str
    project: str | None
    description: str | None
    labels: JSON
    status: JobStatus
    status_reason: str | None
    taskset: TasksetSource | None
    target: Target
    target_config: JSON
    prompt_template: str | None
    options: JobOptions
    definitions: Mapping[str, str]
    task_count: int
    progress: Progress
    seq: int
    lease_seconds: float
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    created_by: str | None

    @property
    def is_stalled(self) -> bool:
        """Whether it is unfinished and nobody has leased, reported or extended for two lease times."""
        silent_since = max(filter(None, (self.progress.last_heartbeat_at, self.created_at)))
        return not self.status.is_ended and now() - silent_since > timedelta(seconds=2 * self.lease_seconds)


async def find(database: Database, identity: ObjectId) -> JobRecord | None:
    """The job of this id."""
    document = await database["jobs"].find_one({"_id": identity})
    return None if document is None else record(document)


async def find_many(database: Database, ids: Sequence[ObjectId]) -> dict[ObjectId, JobRecord]:
    """Jobs by id; those that are gone are left out."""
    found = await database["jobs"].find({"_id": {"$in": list(ids)}}).to_list(None)
    return {document["_id"]: record(document) for document in found}


async def find_by_name(database: Database, workspace: str, name: str) -> JobRecord | None:
    """The job of this name."""
    document = await database["jobs"].find_one({"workspace": workspace, "name": name})
    return None if document is None else record(document)


async def find_by_key(database: Database, workspace: str, key: str) -> tuple[JobRecord, str] | None:
    """The job that was submitted with this idempotency key, and the fingerprint of its input."""
    document = await database["jobs"].find_one({"workspace": workspace, "idempotencyKey": key})
    return None if document is None else (record(document), document["fingerprint"])


async def page(database: Database, query: Mapping[str, Any], order: Order, request: PageRequest) -> Page[JobRecord]:
    """Jobs that match a query, in an order."""
    part = await fetch(database["jobs"], query, order, request)
    return Page(tuple(map(record, part.documents)), part.cursors, part.has_next, part.has_previous)


async def count(database: Database, query: Mapping[str, Any]) -> int:
    """How many jobs match a query."""
    return int(await database["jobs"].count_documents(query))


async def unfinished(database: Database, workspace: str) -> list[JobRecord]:
    """Every unfinished job of a workspace, oldest first."""
    query = {"workspace": workspace, "status": {"$in": list(OPEN)}}
    found = await database["jobs"].find(query, sort=[("createdAt", 1), ("_id", 1)]).to_list(None)
    return [record(document) for document in found]


async def with_work(database: Database, kinds: Sequence[TargetKind]) -> list[JobRecord]:
    """Jobs of these kinds of target with trials that may be leased now, oldest first."""
    query = {
        "status": {"$in": [JobStatus.PENDING, JobStatus.ACTIVE]},
        "target.kind": {"$in": list(kinds)},
        "counts.PENDING": {"$gt": 0},
    }
    found = await database["jobs"].find(query, sort=[("createdAt", 1), ("_id", 1)]).to_list(None)
    return [record(document) for document in found if document["counts"]["RUNNING"] < document["maxConcurrency"]]


async def for_runner(database: Database, workspace: str, runner: str) -> list[ObjectId]:
    """Jobs of a workspace that wait for the runner of this name, oldest first."""
    query = {
        "workspace": workspace,
        "status": {"$in": [JobStatus.PENDING, JobStatus.ACTIVE]},
        "target.kind": TargetKind.RUNNER,
        "target.name": runner,
        "counts.PENDING": {"$gt": 0},
    }
    found = database["jobs"].find(query, {"_id": 1}, sort=[("createdAt", 1), ("_id", 1)])
    return [document["_id"] for document in await found.to_list(None)]


async def with_scoring(database: Database) -> list[ObjectId]:
    """Jobs with reported trials that wait to be scored."""
    found = database["jobs"].find({"status": {"$in": list(OPEN)}, "counts.SCORING": {"$gt": 0}}, {"_id": 1})
    return [document["_id"] for document in await found.to_list(None)]


def record(document: Document) -> JobRecord:
    """A record of its document."""
    fields = json.loads(document["target"]["fields"])
    target = stored_target(TargetKind(document["target"]["kind"]), fields)
    return JobRecord(
        id=document["_id"],
        workspace=document["workspace"],
        name=document["name"],
        project=document["project"],
        description=document["description"],
        labels=json.loads(document["labels"]),
        status=JobStatus(document["status"]),
        status_reason=document["statusReason"],
        taskset=_taskset(document["taskset"]),
        target=target,
        # Outputs are stored with their trials: the document has only their number.
        target_config=fields if target.kind is TargetKind.OUTPUTS else cast(JSON, target.config()),
        prompt_template=document["promptTemplate"],
        options=JobOptions(
            repeats=document["repeats"],
            max_concurrency=document["maxConcurrency"],
            timeout_seconds=document["timeoutSeconds"],
            max_attempts=document["maxAttempts"],
            fail_fast=document["failFast"],
        ),
        definitions={metric["ref"]: metric["digest"] for metric in document["metrics"]},
        task_count=document["taskCount"],
        progress=progress_record(progress_document(document, document["lastHeartbeatAt"] or document["createdAt"])),
        seq=document["seq"],
        lease_seconds=document["leaseSeconds"],
        created_at=document["createdAt"],
        updated_at=document["updatedAt"],
        started_at=document["startedAt"],
        finished_at=document["finishedAt"],
        created_by=document["createdBy"],
    )


def _taskset(document: Document | None) -> TasksetSource | None:
    if document is None:
        return None
    return TasksetSource(document["ref"], document["record"], document["revision"], document["digest"])


def progress_document(job: Mapping[str, Any], at: datetime) -> dict[str, Any]:
    """The counters of a job's document as an event keeps them."""
    return {
        "counts": dict(job["counts"]),
        "retries": job["retries"],
        "rewards": dict(job["rewards"]),
        "usage": dict(job["usage"]),
        "lastHeartbeatAt": job["lastHeartbeatAt"],
        "secondsRemaining": _seconds_remaining(job, at),
    }


def progress_record(document: Mapping[str, Any]) -> Progress:
    """The progress that an event keeps."""
    rewards, usage = document["rewards"], document["usage"]
    return Progress(
        counts=document["counts"],
        retries=document["retries"],
        mean_reward=rewards["sum"] / rewards["count"] if rewards["count"] else None,
        input_tokens=usage["inputTokens"],
        output_tokens=usage["outputTokens"],
        cost_usd=usage["costUsd"],
        last_heartbeat_at=document["lastHeartbeatAt"],
        seconds_remaining=document["secondsRemaining"],
    )


def ended_count(counts: Mapping[str, int]) -> int:
    """How many trials have ended."""
    return sum([counts[status] for status in ENDED_TRIALS])


def _seconds_remaining(job: Mapping[str, Any], at: datetime) -> float | None:
    """By the pace since the job was last started, resumed or retried; unknown before the first trial ends."""
    pace = job["pace"]
    if pace is None or job["status"] != JobStatus.ACTIVE:
        return None
    ended = ended_count(job["counts"])
    done, seconds = ended - pace["ended"], (at - pace["at"]).total_seconds()
    if done <= 0 or seconds <= 0:
        return None
    return float(seconds / done * (sum(job["counts"].values()) - ended))
