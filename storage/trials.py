"""Trials as documents: one execution of a task, with its attempts in the order in which they ended."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from domain.trials import Diagnostic, Score, ScoreValue, TrialError, TrialStatus, Usage
from storage.driver import Database, Document, ObjectId
from storage.pages import Order, PageRequest, fetch
from storage.payloads import Payload, error_record, load, usage_record
from storage.records import Page

# What is read with a trial in lists and transitions: everything but the contents that attempts brought back.
WITHOUT_PAYLOADS: Final[Mapping[str, Any]] = {
    "given": 0,
    "attempts.output": 0,
    "attempts.response": 0,
    "attempts.trajectory": 0,
}


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One try at a trial, ended or waiting to be scored; `number` counts from 1, `rewards` are named numbers.

    `is_lost` marks one that ended without an answer and was followed by another, or that went with its lease.
    """

    number: int
    status: TrialStatus
    is_lost: bool
    reward: float | None
    reported_reward: float | None
    rewards: Mapping[str, float]
    scores: tuple[Score, ...]
    views: Mapping[str, float | None]
    error: TrialError | None
    usage: Usage | None
    latency_ms: float | None
    runner: str | None
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class LeaseRecord:
    """Who works on a trial, until when; the token is the fence against everybody who worked on it before."""

    token: str
    holder: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """A trial as it stands, without the contents of its attempts; `position` is its task's, `repeat` counts from 0."""

    id: ObjectId
    job: ObjectId
    position: int
    task_name: str
    task_digest: str
    repeat: int
    status: TrialStatus
    reward: float | None
    attempts: tuple[AttemptRecord, ...]
    lease: LeaseRecord | None
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def last(self) -> AttemptRecord | None:
        """The newest attempt that has ended or waits to be scored."""
        return self.attempts[-1] if self.attempts else None


@dataclass(frozen=True, slots=True)
class TrialFilter:
    """Which trials of a job a list wants; every field given must hold."""

    status: Sequence[TrialStatus] = ()
    task_name: str | None = None
    repeat: int | None = None


def trial_query(job: ObjectId, filter: TrialFilter | None) -> dict[str, Any]:
    """The query of a list of trials."""
    query: dict[str, Any] = {"job": job}
    if filter is None:
        return query
    if filter.status:
        query["status"] = {"$in": sorted(set(filter.status))}
    if filter.task_name is not None:
        query["taskName"] = filter.task_name
    if filter.repeat is not None:
        query["repeat"] = filter.repeat
    return query


async def page(database: Database, query: Mapping[str, Any], request: PageRequest) -> Page[TrialRecord]:
    """Trials in the order of the work list, the repeats of a task together."""
    part = await fetch(database["trials"], query, Order("order"), request, WITHOUT_PAYLOADS)
    return Page(tuple(map(record, part.documents)), part.cursors, part.has_next, part.has_previous)


async def count(database: Database, query: Mapping[str, Any]) -> int:
    """How many trials match a query."""
    return int(await database["trials"].count_documents(query))


async def find_many(database: Database, ids: Iterable[ObjectId]) -> dict[ObjectId, TrialRecord]:
    """Trials by id; those that are gone are left out."""
    found = database["trials"].find({"_id": {"$in": list(set(ids))}}, WITHOUT_PAYLOADS)
    return {document["_id"]: record(document) for document in await found.to_list(None)}


async def rows(database: Database, query: Mapping[str, Any]) -> AsyncIterator[Document]:
    """The fields of trials that statistics need, in the order of the work list."""
    cursor = database["trials"].find(query, _ROW_FIELDS, sort=[("job", 1), ("order", 1)], batch_size=2_000)
    async for document in cursor:
        yield document


_ROW_FIELDS: Final = {
    "job": 1,
    "taskName": 1,
    "repeat": 1,
    "status": 1,
    "attempts.status": 1,
    "attempts.isLost": 1,
    "attempts.reward": 1,
    "attempts.error.type": 1,
    "attempts.views": 1,
    "attempts.scores.metric": 1,
    "attempts.scores.status": 1,
    "attempts.scores.values": 1,
    "attempts.scores.counts": 1,
}


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """What all jobs made of one content of a task."""

    digest: str
    jobs: int
    trials: int
    mean_reward: float | None
    standard_deviation: float | None
    cost_usd: float | None
    last_run_at: datetime | None


async def history(database: Database, task: ObjectId, workspaces: Sequence[str] | None) -> list[HistoryRow]:
    """Trials of a stored task by its digest, over the jobs of the workspaces (None: of all), newest run first."""
    readable = {} if workspaces is None else {"workspace": {"$in": list(workspaces)}}
    group = {
        "_id": "$taskDigest",
        "jobs": {"$addToSet": "$job"},
        "trials": {"$sum": 1},
        "mean": {"$avg": "$reward"},
        "spread": {"$stdDevSamp": "$reward"},
        "cost": {"$sum": {"$sum": "$attempts.usage.costUsd"}},
        "priced": {"$max": {"$max": "$attempts.usage.costUsd"}},
        "last": {"$max": "$finishedAt"},
        "newest": {"$max": "$_id"},
    }
    steps: list[Mapping[str, Any]] = [
        {"$match": {"task": task, **readable}},
        {"$group": group},
        {"$sort": {"newest": -1}},
    ]
    found = await database["trials"].aggregate(steps).to_list(None)
    return [
        HistoryRow(
            digest=row["_id"],
            jobs=len(row["jobs"]),
            trials=row["trials"],
            mean_reward=row["mean"],
            standard_deviation=row["spread"],
            cost_usd=None if row["priced"] is None else row["cost"],
            last_run_at=row["last"],
        )
        for row in found
    ]


async def payloads(
    database: Database, trials: Iterable[ObjectId]
) -> AsyncIterator[tuple[ObjectId, dict[int, Payload]]]:
    """The contents of attempts by their number, trial by trial, blobs read now; trials that are gone are left out."""
    fields = {"attempts.number": 1, "attempts.output": 1, "attempts.response": 1, "attempts.trajectory": 1}
    cursor = database["trials"].find({"_id": {"$in": list(set(trials))}}, fields, batch_size=100)
    async for found in cursor:
        loaded = {attempt["number"]: await load(database, attempt) for attempt in found["attempts"]}
        yield found["_id"], loaded


async def given(database: Database, trials: Sequence[ObjectId]) -> dict[ObjectId, Document | None]:
    """What was handed in with a job for its trials (`given`), as stored; None where nothing was."""
    found = database["trials"].find({"_id": {"$in": list(trials)}}, {"given": 1})
    return {document["_id"]: document.get("given") for document in await found.to_list(None)}


async def expired(database: Database, limit: int = 1_000) -> list[tuple[ObjectId, ObjectId]]:
    """Trials whose lease has run out by the database's clock, as (job, trial)."""
    query = {"lease.expiresAt": {"$gt": EPOCH}, "$expr": {"$lte": ["$lease.expiresAt", "$$NOW"]}}
    found = await database["trials"].find(query, {"job": 1}).limit(limit).to_list(None)
    return [(document["job"], document["_id"]) for document in found]


EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def record(document: Document) -> TrialRecord:
    """A record of its document."""
    lease = document["lease"]
    return TrialRecord(
        id=document["_id"],
        job=document["job"],
        position=document["position"],
        task_name=document["taskName"],
        task_digest=document["taskDigest"],
        repeat=document["repeat"],
        status=TrialStatus(document["status"]),
        reward=document["reward"],
        attempts=tuple(map(_attempt, document["attempts"])),
        lease=None if lease is None else LeaseRecord(lease["token"], lease["holder"], lease["expiresAt"]),
        started_at=document["startedAt"],
        finished_at=document["finishedAt"],
    )


def _attempt(document: Document) -> AttemptRecord:
    return AttemptRecord(
        number=document["number"],
        status=TrialStatus(document["status"]),
        is_lost=document["isLost"],
        reward=document["reward"],
        reported_reward=document["reported"],
        rewards={item["name"]: item["value"] for item in document["rewards"]},
        scores=tuple(map(score_record, document["scores"])),
        views={item["name"]: item["value"] for item in document["views"]},
        error=error_record(document["error"]),
        usage=usage_record(document["usage"]),
        latency_ms=document["latencyMs"],
        runner=document["runner"],
        started_at=document["startedAt"],
        finished_at=document["finishedAt"],
    )


def score_document(score: Score) -> dict[str, Any]:
    """A score as a document."""
    return {
        "metric": score.metric,
        "status": score.status.value,
        "values": [[value.name, value.value, value.label] for value in score.values],
        "diagnostics": [[diagnostic.severity, diagnostic.message] for diagnostic in score.diagnostics],
        "counts": list(score.counts),
    }


def score_record(document: Document) -> Score:
    """A score of its document; diagnostics may have been left out by the query."""
    return Score(
        metric=document["metric"],
        status=TrialStatus(document["status"]),
        values=tuple(ScoreValue(*value) for value in document["values"]),
        diagnostics=tuple(Diagnostic(*diagnostic) for diagnostic in document.get("diagnostics", ())),
        counts=tuple(document["counts"]),
    )


def named_numbers(numbers: Mapping[str, float | None]) -> list[Document]:
    """Numbers by name as rows of a document: a name may hold a dot."""
    return [{"name": name, "value": value} for name, value in numbers.items()]
