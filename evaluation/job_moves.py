"""What people do to jobs: pause, resume, cancel, retry, delete."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from domain.audit import AuditAction, AuditedType
from domain.errors import ErrorCode, InvalidInput, NotFound, Refused
from domain.jobs import JobStatus, check_deletion, check_reopening, check_transition
from domain.trials import TrialStatus
from evaluation.outcomes import end_early
from storage.driver import ObjectId
from storage.job_batches import JobBatch
from storage.jobs import JobRecord, record
from storage.ledger import Origin, current_origin, note

_RETRIED: Final = (TrialStatus.FAILED, TrialStatus.CANCELLED)


def _note(batch: JobBatch, action: AuditAction, origin: Origin) -> None:
    """The committer's task is not the caller's: who asked travels with the transition."""
    job = batch.job
    ref = f"{job['workspace']}/{job['name']}"
    note(action, AuditedType.JOB, job["_id"], ref, workspace=job["workspace"], origin=origin)


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop new leases; trials that run may still report."""

    trials: Sequence[ObjectId] = ()
    claims: int = 0
    origin: Origin = field(default_factory=current_origin)

    def apply(self, batch: JobBatch) -> JobRecord:
        """The job afterwards. Raises Refused (INVALID_STATE) where it has ended."""
        check_transition(batch.status, JobStatus.PAUSED)
        if batch.status is not JobStatus.PAUSED:
            batch.set_status(JobStatus.PAUSED)
            _note(batch, AuditAction.PAUSE, self.origin)
        return record(batch.job)


@dataclass(frozen=True, slots=True)
class Resume:
    """Let trials be leased again."""

    trials: Sequence[ObjectId] = ()
    claims: int = 0
    origin: Origin = field(default_factory=current_origin)

    def apply(self, batch: JobBatch) -> JobRecord:
        """The job afterwards; one that is not paused stays as it is. Raises Refused (INVALID_STATE)."""
        if batch.status.is_ended:
            check_transition(batch.status, JobStatus.ACTIVE)
        if batch.status is JobStatus.PAUSED:
            batch.set_status(JobStatus.PENDING if batch.job["startedAt"] is None else JobStatus.ACTIVE)
            _note(batch, AuditAction.RESUME, self.origin)
        return record(batch.job)


@dataclass(frozen=True, slots=True)
class Cancel:
    """Settle everything that is open and revoke all leases; a job that has ended is answered unchanged."""

    actor: str | None
    trials: Sequence[ObjectId] = ()
    claims: int = 0
    origin: Origin = field(default_factory=current_origin)

    def apply(self, batch: JobBatch) -> JobRecord:
        """The job afterwards."""
        if not batch.status.is_ended:
            by = "" if self.actor is None else f" by {self.actor}"
            end_early(batch, JobStatus.CANCELLED, f"Cancelled{by}.")
            _note(batch, AuditAction.CANCEL, self.origin)
        return record(batch.job)


@dataclass(frozen=True, slots=True)
class Retry:
    """Open an ended job for new attempts at its failed and cancelled trials, or at those of them that are named."""

    wanted: Sequence[ObjectId] | None
    claims: int = 0
    origin: Origin = field(default_factory=current_origin)

    @property
    def trials(self) -> Sequence[ObjectId]:
        """None are read before: it changes them in the database at once."""
        return ()

    def apply(self, batch: JobBatch) -> JobRecord:
        """The job afterwards. Raises Refused (INVALID_STATE), NotFound, InvalidInput."""
        check_reopening(batch.status)
        query: dict[str, Any] = {"status": {"$in": list(_RETRIED)}}
        if self.wanted is not None:
            query["_id"] = {"$in": self._checked(batch, self.wanted)}
        found = batch.find_trials(query, {"status": 1})
        if not found:
            raise Refused(
                "No trial failed or was cancelled, so there is nothing to retry; finished trials never run again.",
                ("trials",),
                ErrorCode.INVALID_STATE,
            )
        batch.update_trials({"_id": {"$in": [trial["_id"] for trial in found]}}, [{"$set": _reopened(batch)}])
        for trial in found:
            batch.count(trial["status"], -1)
            batch.count(TrialStatus.PENDING, 1)
        batch.set_status(JobStatus.ACTIVE, "Retried.")
        _note(batch, AuditAction.RETRY, self.origin)
        return record(batch.job)

    def _checked(self, batch: JobBatch, wanted: Sequence[ObjectId]) -> list[ObjectId]:
        found = batch.find_trials({"_id": {"$in": list(wanted)}}, {"status": 1})
        by_id = {trial["_id"]: trial["status"] for trial in found}
        for index, identity in enumerate(wanted):
            if identity not in by_id:
                raise NotFound("The job has no such trial.", ("trials", index), ref=str(identity))
            if by_id[identity] not in _RETRIED:
                raise InvalidInput(
                    f"This trial is {by_id[identity]}; only failed and cancelled trials are retried.",
                    ("trials", index),
                )
        return list(by_id)


def _reopened(batch: JobBatch) -> dict[str, Any]:
    return {
        "status": TrialStatus.PENDING,
        "reward": None,
        "finishedAt": None,
        "notBefore": None,
        "budget": {"$add": [{"$size": "$attempts"}, batch.job["maxAttempts"]]},
    }


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove a job that has ended."""

    trials: Sequence[ObjectId] = ()
    claims: int = 0
    origin: Origin = field(default_factory=current_origin)

    def apply(self, batch: JobBatch) -> ObjectId:
        """The id of the job. Raises Refused (INVALID_STATE)."""
        check_deletion(batch.status)
        batch.delete()
        _note(batch, AuditAction.DELETE, self.origin)
        identity: ObjectId = batch.job["_id"]
        return identity
