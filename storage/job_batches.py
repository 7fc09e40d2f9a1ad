"""Several transitions of one job in one transaction: its document is taken first, and so orders all that happens."""

from collections import deque
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from domain.jobs import JobStatus
from domain.trials import TrialStatus, check_trial_transition
from storage.driver import BlockingDatabase, BlockingSession, Document, ObjectId, ReturnDocument, UpdateOne
from storage.job_events import EventType
from storage.job_memory import JobMemory, KnownTrials
from storage.jobs import ended_count, progress_document
from storage.trials import WITHOUT_PAYLOADS

# Waiting trials that are read beyond those that a batch may take.
READ_AHEAD: Final = 100
_OPEN: Final = (TrialStatus.PENDING, TrialStatus.RUNNING, TrialStatus.SCORING)


class JobBatch:
    """The job as the transaction sees it, changed in memory and written by `flush`.

    `job` is the working copy of its document, `now` the database's time; trials are working copies too.
    """

    def __init__(
        self,
        database: BlockingDatabase,
        session: BlockingSession,
        job: dict[str, Any],
        known: KnownTrials,
    ) -> None:
        self.database = database
        self.session = session
        self.job = job
        self.now: datetime = job["touchedAt"]
        self.is_deleted = False
        self._expected_claims = 0
        self._before = _working_copy({key: value for key, value in job.items() if key in _MUTABLE})
        self._known = known
        self._has_looked = False
        self._taken = 0
        self._has_requeued = False
        self._updates: list[tuple[ObjectId, dict[str, dict[str, Any]]]] = []
        self._latest: dict[ObjectId, dict[str, dict[str, Any]]] = {}
        self._events: list[dict[str, Any]] = []

    @classmethod
    def open(
        cls, database: BlockingDatabase, session: BlockingSession, job: ObjectId, memory: JobMemory
    ) -> "JobBatch | None":
        """Take the job's document: every other transaction on this job waits or starts again. None where it is gone."""
        document = database["jobs"].find_one_and_update(
            {"_id": job},
            [{"$set": {"touchedAt": "$$NOW", "mark": ObjectId(), "markBefore": "$mark"}}],
            return_document=ReturnDocument.AFTER,
            session=session,
        )
        if document is None:
            return None
        return cls(database, session, _working_copy(document), memory.recall(document.get("markBefore")))

    def remember(self, memory: JobMemory) -> None:
        """Hand on what is known of the trials, once it is committed."""
        if self._has_requeued:
            self._known.waiting.clear()
        memory.keep(self.job["mark"], self._known)

    @property
    def status(self) -> JobStatus:
        """Where the job stands."""
        return JobStatus(self.job["status"])

    @property
    def open_count(self) -> int:
        """How many trials have not ended."""
        return sum(self.job["counts"][status] for status in _OPEN)

    @property
    def room(self) -> int:
        """How many more trials may run at once."""
        return max(0, int(self.job["maxConcurrency"]) - int(self.job["counts"][TrialStatus.RUNNING]))

    def load(self, trials: Iterable[ObjectId]) -> None:
        """Read several trials in one query; those of other jobs and those that are gone stay unknown."""
        wanted = [trial for trial in set(trials) if trial not in self._known.by_id]
        if wanted:
            query = {"_id": {"$in": wanted}, "job": self.job["_id"]}
            self._find(query, None, len(wanted))

    def trial(self, identity: ObjectId) -> dict[str, Any] | None:
        """The working copy of one trial, None where the job has none of this id."""
        if identity not in self._known.by_id:
            self.load([identity])
        return self._known.by_id.get(identity)

    def expect_claims(self, most: int) -> None:
        """Say how many waiting trials the whole batch may take, so that they are read in one query."""
        self._expected_claims = most

    def claimable(self, wanted: int) -> list[dict[str, Any]]:
        """Up to `wanted` trials that wait, in the order of the work list."""
        if len(self._known.waiting) < wanted and not self._has_looked:
            self._look(max(wanted, min(self._expected_claims, self.room)))
        taken: list[dict[str, Any]] = []
        while self._known.waiting and len(taken) < wanted:
            trial = self._known.waiting.popleft()
            if trial["status"] == TrialStatus.PENDING:
                taken.append(trial)
        self._taken += len(taken)
        return taken

    def _look(self, wanted: int) -> None:
        """Read the first trials that wait, and some more for the next batches."""
        query = {
            "job": self.job["_id"],
            "status": TrialStatus.PENDING,
            "$or": [{"notBefore": None}, {"notBefore": {"$lte": self.now}}],
        }
        # Those that this batch has taken wait in the database still.
        found = self._find(query, [("order", 1)], self._taken + wanted + READ_AHEAD)
        self._known.waiting = deque(found)
        self._has_looked = True

    def unscored(self, wanted: int) -> list[dict[str, Any]]:
        """Up to `wanted` reported trials that nobody scores yet."""
        query = {"job": self.job["_id"], "status": TrialStatus.SCORING, "lease": None}
        found = self._find(query, [("order", 1)], wanted + len(self._known.by_id))
        free = [trial for trial in found if trial["status"] == TrialStatus.SCORING and trial["lease"] is None]
        return free[:wanted]

    def _find(self, query: Document, sort: Any, limit: int) -> list[dict[str, Any]]:
        cursor = self.database["trials"].find(query, WITHOUT_PAYLOADS, sort=sort, limit=limit, session=self.session)
        found = list(cursor)
        return [self._known.by_id.setdefault(document["_id"], _working_copy(document)) for document in found]

    def change(self, trial: dict[str, Any], fields: Mapping[str, Any]) -> None:
        """Set top-level fields of a trial; a change of status moves the counters too."""
        status = fields.get("status")
        if status is not None and status != trial["status"]:
            check_trial_transition(TrialStatus(trial["status"]), TrialStatus(status))
            if status == TrialStatus.PENDING:
                # It may stand before those that are known to wait.
                self._has_requeued = True
                self._known.waiting.clear()
            self.count(trial["status"], -1)
            self.count(status, 1)
        trial.update(fields)
        self._write(trial["_id"], {"$set": dict(fields)})

    def append_attempt(self, trial: dict[str, Any], attempt: dict[str, Any], blobs: Iterable[str] = ()) -> None:
        """Add an attempt after all others."""
        trial["attempts"].append(attempt)
        update: dict[str, Any] = {"$push": {"attempts": attempt}}
        named = sorted(set(blobs))
        if named:
            update["$addToSet"] = {"blobs": {"$each": named}}
        self._write(trial["_id"], update)

    def finish_attempt(self, trial: dict[str, Any], fields: Mapping[str, Any]) -> None:
        """Set fields of the last attempt, which waited to be scored."""
        index = len(trial["attempts"]) - 1
        trial["attempts"][index].update(fields)
        changes = {f"attempts.{index}.{name}": value for name, value in fields.items()}
        self._write(trial["_id"], {"$set": changes})

    def _write(self, trial: ObjectId, update: dict[str, dict[str, Any]]) -> None:
        """Join an update to the trial's last one where MongoDB takes both at once: one row, one write."""
        latest = self._latest.get(trial)
        if latest is None or not _can_join(latest, update):
            self._latest[trial] = update
            self._updates.append((trial, update))
            return
        for operator, fields in update.items():
            latest.setdefault(operator, {}).update(fields)

    def count(self, status: str, by: int) -> None:
        """Move one of the counters by status."""
        self.job["counts"][status] += by

    def event(self, type: EventType, **fields: Any) -> None:
        """Write the next event, with the progress as it is now."""
        self.job["seq"] += 1
        self.job["updatedAt"] = self.now
        document = {
            "_id": ObjectId(),
            "job": self.job["_id"],
            "seq": self.job["seq"],
            "at": self.now,
            "type": type,
            "progress": progress_document(self.job, self.now),
            **fields,
        }
        self._events.append(document)

    def set_status(self, status: JobStatus, reason: str | None = None) -> None:
        """Move the job, with its event: JobEnded for an end, JobStatusChanged for every other move."""
        before = self.status
        self.job["status"] = status
        self.job["statusReason"] = reason
        if status is JobStatus.ACTIVE:
            self.job["startedAt"] = self.job["startedAt"] or self.now
            self.job["pace"] = {"at": self.now, "ended": ended_count(self.job["counts"])}
        self.job["finishedAt"] = self.now if status.is_ended else None
        if status.is_ended:
            self.event(EventType.ENDED, to=status, reason=reason)
        else:
            self.event(EventType.STATUS_CHANGED, **{"from": before, "to": status, "reason": reason})

    def update_trials(self, query: Document, update: Any) -> int:
        """Change many trials in the database at once; working copies are written before and read anew after."""
        self._write_trials()
        self._known.clear()
        self._has_looked = False
        result = self.database["trials"].update_many({"job": self.job["_id"], **query}, update, session=self.session)
        return int(result.modified_count)

    def find_trials(self, query: Document, fields: Document) -> list[Document]:
        """Fields of the job's trials that match, as they are after everything before."""
        self._write_trials()
        found = self.database["trials"].find({"job": self.job["_id"], **query}, fields, session=self.session)
        return list(found)

    def delete(self) -> None:
        """Remove the job's document; its rows are invisible from then on and swept afterwards."""
        self.database["jobs"].delete_one({"_id": self.job["_id"]}, session=self.session)
        self.is_deleted = True

    def flush(self) -> None:
        """Write what was changed."""
        if self.is_deleted:
            return
        self._write_trials()
        if self._events:
            self.database["job_events"].insert_many(self._events, session=self.session)
        changed = {key: value for key, value in self.job.items() if key in _MUTABLE and self._before[key] != value}
        if changed:
            self.database["jobs"].update_one({"_id": self.job["_id"]}, {"$set": changed}, session=self.session)

    def _write_trials(self) -> None:
        if self._updates:
            operations = [UpdateOne({"_id": trial}, update) for trial, update in self._updates]
            self.database["trials"].bulk_write(operations, session=self.session)
            self._updates, self._latest = [], {}


_MUTABLE: Final = frozenset(
    {
        "status",
        "statusReason",
        "counts",
        "retries",
        "rewards",
        "usage",
        "seq",
        "pace",
        "lastHeartbeatAt",
        "leaseSeconds",
        "startedAt",
        "finishedAt",
        "updatedAt",
    }
)


def _working_copy(document: Document) -> dict[str, Any]:
    return {key: dict(value) if isinstance(value, dict) else value for key, value in document.items()}


def _can_join(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two updates touch no path in common but plain fields, of which the second may overwrite the first."""
    pushes = ("$push" in first) + ("$push" in second)
    if pushes != 1:
        return pushes == 0
    return not any(name.startswith("attempts.") for each in (first, second) for name in each.get("$set", ()))
