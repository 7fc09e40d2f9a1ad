"""Storing a submitted job: rows first, then the document that makes all of them visible.

A crash before that leaves rows without a job, which nobody sees and a sweep takes away.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Final

from domain.audit import AuditAction, AuditedType
from domain.canonical import JSON, canonical_text
from domain.errors import AlreadyExists
from domain.jobs import JobOptions, JobStatus
from domain.targets import Target
from domain.trials import TrialOutcome, TrialStatus
from storage import contents, guards
from storage.clock import now
from storage.driver import Database, Document, DuplicateKeyError, ObjectId, Session
from storage.filters import facet
from storage.job_tasks import JobTask, document
from storage.jobs import DEFAULT_LEASE_SECONDS, JobRecord, TasksetSource, find_by_key, find_by_name, record
from storage.ledger import note
from storage.payloads import blob_of, error_document, store
from storage.services import Services

_BATCH: Final = 1_000
ORPHANED_AFTER: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Submission:
    """A job that was resolved and checked.

    `texts` are contents and metric definitions by digest, `definitions` the digest by metric reference; `given` the
    outcomes that were handed in, by task name and repeat; `held` the guards of what the job relies on.
    """

    job: ObjectId
    workspace: str
    name: str
    project: str | None
    description: str | None
    labels: JSON
    taskset: TasksetSource | None
    target: Target
    prompt_template: str | None
    options: JobOptions
    tasks: Sequence[JobTask]
    texts: Mapping[str, str]
    definitions: Mapping[str, str]
    held: Sequence[str]
    actor: str | None
    idempotency_key: str | None
    fingerprint: str | None
    given: Mapping[tuple[str, int], TrialOutcome] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The bytes of the contents that the job keeps."""
        return sum(map(len, self.texts.values()))


class SourceGone(Exception):
    """A task or metric was deleted between its resolution and the submission; the caller resolves again."""


class KeyTaken(Exception):
    """Another submission with the same idempotency key was faster; the caller reads it."""


async def submit(services: Services, submission: Submission) -> JobRecord:
    """Store a job with its whole work list. Raises AlreadyExists, KeyTaken, SourceGone; then nothing is left."""
    await _check_free(services.database, submission)
    await services.quotas.admit(submission.workspace, records=1, size=submission.size)
    await contents.stage(services.database, submission.texts)
    try:
        await _stage_rows(services.database, submission)
        keys = [f"jobs:{submission.workspace}"]
        return await services.transactions.run(keys, lambda session: _reveal(services, session, submission))
    except BaseException:
        await drop_rows(services.database, submission.job)
        raise


async def _check_free(database: Database, submission: Submission) -> None:
    if await find_by_name(database, submission.workspace, submission.name) is not None:
        raise _taken(submission)


def _taken(submission: Submission) -> AlreadyExists:
    ref = f"{submission.workspace}/{submission.name}"
    return AlreadyExists(f"The job '{ref}' exists already; choose another name.", ("name",), ref=ref)


async def _stage_rows(database: Database, submission: Submission) -> None:
    for chunk in _chunks(map(document, submission.tasks)):
        await database["job_tasks"].insert_many(chunk, ordered=False)
    given = {key: await _given(database, submission.workspace, value) for key, value in submission.given.items()}
    for chunk in _chunks(_trials(submission, given)):
        await database["trials"].insert_many(chunk, ordered=False)


def _chunks(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    iterator = iter(rows)
    while chunk := list(islice(iterator, _BATCH)):
        yield chunk


async def _given(database: Database, workspace: str, outcome: TrialOutcome) -> dict[str, Any]:
    stored = await store(database, workspace, outcome)
    return {**stored, "reward": outcome.reward, "error": error_document(outcome.error)}


def _trials(submission: Submission, given: Mapping[tuple[str, int], Document]) -> Iterator[dict[str, Any]]:
    repeats = submission.options.repeats
    for task in submission.tasks:
        for repeat in range(repeats):
            handed_in = given.get((task.name, repeat))
            blobs = (
                [] if handed_in is None else [blob_of(handed_in, name) for name in ("output", "response", "trajectory")]
            )
            yield {
                "_id": ObjectId(),
                "job": submission.job,
                "order": task.position * repeats + repeat,
                "position": task.position,
                "taskName": task.name,
                "taskDigest": task.digest,
                "task": task.task_id,
                "workspace": submission.workspace,
                "repeat": repeat,
                "status": TrialStatus.PENDING,
                "reward": None,
                "attempts": [],
                "budget": submission.options.max_attempts,
                "scoringTries": 0,
                "lease": None,
                "notBefore": None,
                "given": handed_in,
                "blobs": [blob for blob in blobs if blob is not None],
                "startedAt": None,
                "finishedAt": None,
            }


async def _reveal(services: Services, session: Session, submission: Submission) -> JobRecord:
    if not await guards.hold(services.database, session, submission.held):
        raise SourceGone
    row = _document(submission)
    try:
        await services.database["jobs"].insert_one(row, session=session)
    except DuplicateKeyError as error:
        raise await _explained(services.database, submission) from error
    await services.quotas.admit(submission.workspace, records=1, size=submission.size)
    ref = f"{submission.workspace}/{submission.name}"
    note(AuditAction.SUBMIT, AuditedType.JOB, submission.job, ref, workspace=submission.workspace)
    return record(row)


async def _explained(database: Database, submission: Submission) -> Exception:
    # Read outside the transaction, which the duplicate has aborted.
    key = submission.idempotency_key
    if key is not None and await find_by_key(database, submission.workspace, key) is not None:
        return KeyTaken()
    return _taken(submission)


def _document(submission: Submission) -> dict[str, Any]:
    options, at = submission.options, now()
    total = len(submission.tasks) * options.repeats
    key = {} if submission.idempotency_key is None else {"idempotencyKey": submission.idempotency_key}
    return {
        "_id": submission.job,
        "workspace": submission.workspace,
        "name": submission.name,
        "project": submission.project,
        "description": submission.description,
        "labels": canonical_text(submission.labels),
        "facets": _facets(submission.labels),
        "status": JobStatus.PENDING,
        "statusReason": None,
        "taskset": _taskset(submission.taskset),
        "target": {
            "kind": submission.target.kind,
            "name": submission.target.name,
            "fields": canonical_text(_fields(submission.target)),
        },
        "promptTemplate": submission.prompt_template,
        "repeats": options.repeats,
        "maxConcurrency": options.max_concurrency,
        "timeoutSeconds": float(options.timeout_seconds),
        "maxAttempts": options.max_attempts,
        "failFast": options.fail_fast,
        "metrics": [{"ref": ref, "digest": digest} for ref, digest in submission.definitions.items()],
        "taskCount": len(submission.tasks),
        "size": submission.size,
        "counts": {status.value: 0 for status in TrialStatus} | {TrialStatus.PENDING.value: total},
        "retries": 0,
        "rewards": {"sum": 0.0, "count": 0},
        "usage": {"inputTokens": 0, "outputTokens": 0, "costUsd": 0.0},
        "seq": 0,
        "pace": None,
        "lastHeartbeatAt": None,
        "leaseSeconds": DEFAULT_LEASE_SECONDS,
        "createdAt": at,
        "updatedAt": at,
        "touchedAt": at,
        "startedAt": None,
        "finishedAt": None,
        "createdBy": submission.actor,
        "fingerprint": submission.fingerprint,
        **key,
    }


def _fields(target: Target) -> JSON:
    dumped: dict[str, JSON] = target.model_dump(mode="json")
    if "outputs" in dumped:
        dumped["outputs"] = len(target.outputs)  # type: ignore[union-attr]
    return dumped


def _facets(labels: JSON) -> list[str]:
    items = labels.items() if isinstance(labels, dict) else ()
    return [each for key, value in items for each in (facet(key), facet(key, value))]


def _taskset(source: TasksetSource | None) -> Document | None:
    if source is None:
        return None
    return {"ref": source.ref, "record": source.record, "revision": source.revision_id, "digest": source.digest}


async def drop_rows(database: Database, job: ObjectId) -> None:
    """Remove the rows of a job that does not exist; those of one that does stay."""
    if await database["jobs"].find_one({"_id": job}, {"_id": 1}) is None:
        for collection in CHILDREN:
            await database[collection].delete_many({"job": job})


CHILDREN: Final = ("job_tasks", "trials", "job_events")


async def sweep(database: Database, older_than: timedelta = ORPHANED_AFTER) -> int:
    """Remove rows of jobs that were deleted, or never came to be; answers how many."""
    young = ObjectId.from_datetime(datetime.now(UTC) - older_than)
    removed = 0
    for collection in CHILDREN:
        jobs = await database[collection].distinct("job")
        known = set(await database["jobs"].distinct("_id", {"_id": {"$in": jobs}})) if jobs else set()
        for job in jobs:
            if job not in known and job < young:
                result = await database[collection].delete_many({"job": job})
                removed += int(result.deleted_count)
    return removed
