"""What runners and workers do to trials: take them, hold them, report them, score them, lose them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from domain.jobs import JobStatus
from domain.trials import FailureType, TrialError, TrialOutcome, TrialStatus
from evaluation.leases import LeaseToken, lost, new_token
from evaluation.outcomes import (
    LEASE_EXPIRED,
    UNSCORED,
    attempt_document,
    blobs_of,
    fail_fast,
    finish,
    lose,
    may_try_again,
    requeue,
    spend,
    verdict_fields,
)
from evaluation.verdicts import Verdict
from storage.driver import ObjectId
from storage.job_batches import JobBatch
from storage.job_events import EventType
from storage.trials import TrialRecord, record


@dataclass(frozen=True, slots=True)
class Leased:
    """A trial that somebody holds until `expires_at`."""

    token: LeaseToken
    expires_at: datetime
    trial: TrialRecord


@dataclass(frozen=True, slots=True)
class Claim:
    """Take up to `count` waiting trials for `seconds`; fewer where the job's concurrency is used up.

    `is_timed` ends the leases at the job's timeout however often they are extended; workers see to it themselves.
    """

    holder: str
    count: int
    seconds: float
    is_timed: bool = True
    trials: Sequence[ObjectId] = ()

    @property
    def claims(self) -> int:
        """How many waiting trials it may take."""
        return self.count

    def apply(self, batch: JobBatch) -> list[Leased]:
        """The trials taken; none where the job is paused, has ended, or has none to give."""
        wanted = min(self.count, batch.room)
        if batch.status not in (JobStatus.PENDING, JobStatus.ACTIVE) or wanted < 1:
            return []
        taken = batch.claimable(wanted)
        if taken and batch.status is JobStatus.PENDING:
            batch.set_status(JobStatus.ACTIVE)
        leased = [self._take(batch, trial) for trial in taken]
        if leased:
            _heard(batch, self.seconds)
        return leased

    def _take(self, batch: JobBatch, trial: dict[str, Any]) -> Leased:
        token = new_token(batch.job["_id"], trial["_id"])
        deadline = batch.now + timedelta(seconds=batch.job["timeoutSeconds"]) if self.is_timed else None
        lease = _lease(batch, token, self.holder, self.seconds, deadline)
        started = trial["startedAt"] or batch.now
        batch.change(trial, {"status": TrialStatus.RUNNING, "lease": lease, "startedAt": started, "finishedAt": None})
        batch.event(EventType.TRIAL_STARTED, trial=trial["_id"])
        return Leased(token, lease["expiresAt"], record(trial))


@dataclass(frozen=True, slots=True)
class ClaimScoring:
    """Take up to `count` reported trials in order to score them; one that was tried too often gets no scores."""

    holder: str
    count: int
    seconds: float
    trials: Sequence[ObjectId] = ()
    claims: int = 0

    def apply(self, batch: JobBatch) -> list[Leased]:
        """The trials taken."""
        leased: list[Leased] = []
        for trial in batch.unscored(self.count):
            if trial["scoringTries"] >= batch.job["maxAttempts"]:
                _end_scoring(batch, trial, UNSCORED)
                continue
            token = new_token(batch.job["_id"], trial["_id"])
            lease = _lease(batch, token, self.holder, self.seconds)
            batch.change(trial, {"lease": lease, "scoringTries": trial["scoringTries"] + 1})
            leased.append(Leased(token, lease["expiresAt"], record(trial)))
        return leased


@dataclass(frozen=True, slots=True)
class Extend:
    """Hold trials for `seconds` from now; answers the tokens that still hold."""

    tokens: Sequence[LeaseToken]
    seconds: float
    claims: int = 0

    @property
    def trials(self) -> Sequence[ObjectId]:
        """The trials that it is about."""
        return [token.trial for token in self.tokens]

    def apply(self, batch: JobBatch) -> list[str]:
        """The tokens that were extended."""
        extended: list[str] = []
        for token in self.tokens:
            trial = batch.trial(token.trial)
            if trial is None or not _holds(batch, trial, token):
                continue
            lease = trial["lease"]
            expires = _expiry(batch, self.seconds, lease["deadline"])
            batch.change(trial, {"lease": {**lease, "expiresAt": expires}})
            extended.append(token.text)
        if extended:
            _heard(batch, self.seconds)
        return extended


@dataclass(frozen=True, slots=True)
class Report:
    """End an attempt with what it brought back.

    `verdict` None lets the trial wait to be scored by a worker. `fingerprint` tells a repetition of the same report
    from another one. `may_retry` lets another attempt follow a timeout or an unreachable target.
    """

    token: LeaseToken
    outcome: TrialOutcome
    payload: dict[str, Any]
    fingerprint: str
    verdict: Verdict | None
    may_retry: bool = False
    claims: int = 0

    @property
    def trials(self) -> Sequence[ObjectId]:
        """The trial that it is about."""
        return (self.token.trial,)

    def apply(self, batch: JobBatch) -> TrialRecord:
        """The trial afterwards. Raises Refused (LEASE_LOST)."""
        trial = batch.trial(self.token.trial)
        if trial is None:
            raise lost()
        if self._is_repetition(trial):
            return record(trial)
        if trial["status"] != TrialStatus.RUNNING or not _holds(batch, trial, self.token):
            raise lost()
        _heard(batch, None)
        spend(batch, self.outcome)
        self._end(batch, trial)
        return record(trial)

    def _is_repetition(self, trial: dict[str, Any]) -> bool:
        return any(
            attempt["token"] == self.token.text and attempt["report"] == self.fingerprint
            for attempt in trial["attempts"]
        )

    def _end(self, batch: JobBatch, trial: dict[str, Any]) -> None:
        status, error = self.outcome.status, self.outcome.error
        is_lost = self.may_retry and status is TrialStatus.FAILED and error is not None and error.is_lost
        again = is_lost and may_try_again(trial)
        waits = self.verdict is None and not again
        attempt = attempt_document(
            trial,
            batch,
            TrialStatus.SCORING if waits else status,
            outcome=self.outcome,
            payload=self.payload,
            verdict=UNSCORED if again or self.verdict is None else self.verdict,
            report=self.fingerprint,
            is_lost=again,
        )
        batch.append_attempt(trial, attempt, blobs_of(self.payload))
        if again and error is not None:
            requeue(batch, trial, error, wait=error.type == FailureType.UNREACHABLE)
        elif self.verdict is None:
            batch.change(trial, {"status": TrialStatus.SCORING, "lease": None, "scoringTries": 0})
        else:
            finish(batch, trial, status, self.verdict.reward)
            fail_fast(batch, trial, self.verdict)


@dataclass(frozen=True, slots=True)
class Scored:
    """End a trial that waited to be scored."""

    token: LeaseToken
    verdict: Verdict
    claims: int = 0

    @property
    def trials(self) -> Sequence[ObjectId]:
        """The trial that it is about."""
        return (self.token.trial,)

    def apply(self, batch: JobBatch) -> TrialRecord:
        """The trial afterwards. Raises Refused (LEASE_LOST)."""
        trial = batch.trial(self.token.trial)
        if trial is None or trial["status"] != TrialStatus.SCORING or not _holds(batch, trial, self.token):
            raise lost()
        _end_scoring(batch, trial, self.verdict)
        return record(trial)


@dataclass(frozen=True, slots=True)
class Expire:
    """Take trials back whose lease has run out by now; the others are left alone."""

    trials: Sequence[ObjectId]
    claims: int = 0

    def apply(self, batch: JobBatch) -> int:
        """How many were taken back."""
        taken = 0
        for identity in self.trials:
            trial = batch.trial(identity)
            if trial is None or trial["lease"] is None or trial["lease"]["expiresAt"] > batch.now:
                continue
            taken += 1
            _take_back(batch, trial, _why_expired(batch, trial))
        return taken


@dataclass(frozen=True, slots=True)
class GiveBack:
    """Return leases before their time, because their holder stops."""

    tokens: Sequence[LeaseToken]
    reason: str
    claims: int = 0

    @property
    def trials(self) -> Sequence[ObjectId]:
        """The trials that it is about."""
        return [token.trial for token in self.tokens]

    def apply(self, batch: JobBatch) -> int:
        """How many were returned."""
        returned = 0
        for token in self.tokens:
            trial = batch.trial(token.trial)
            if trial is not None and _holds(batch, trial, token):
                returned += 1
                _take_back(batch, trial, TrialError(FailureType.LEASE_EXPIRED, self.reason))
        return returned


def _lease(
    batch: JobBatch, token: LeaseToken, holder: str, seconds: float, deadline: datetime | None = None
) -> dict[str, Any]:
    return {
        "token": token.text,
        "holder": holder,
        "startedAt": batch.now,
        "expiresAt": _expiry(batch, seconds, deadline),
        "deadline": deadline,
    }


def _expiry(batch: JobBatch, seconds: float, deadline: datetime | None) -> datetime:
    expires = batch.now + timedelta(seconds=seconds)
    return expires if deadline is None else min(expires, deadline)


def _why_expired(batch: JobBatch, trial: dict[str, Any]) -> TrialError:
    deadline = trial["lease"]["deadline"]
    if deadline is not None and deadline <= batch.now:
        return TrialError(FailureType.TIMEOUT, f"There was no report within {batch.job['timeoutSeconds']:g} s.")
    return LEASE_EXPIRED


def _holds(batch: JobBatch, trial: dict[str, Any], token: LeaseToken) -> bool:
    lease = trial["lease"]
    return lease is not None and lease["token"] == token.text and lease["expiresAt"] > batch.now


def _heard(batch: JobBatch, seconds: float | None) -> None:
    batch.job["lastHeartbeatAt"] = batch.now
    if seconds is not None:
        batch.job["leaseSeconds"] = float(seconds)


def _take_back(batch: JobBatch, trial: dict[str, Any], error: TrialError) -> None:
    if trial["status"] == TrialStatus.SCORING:
        batch.change(trial, {"lease": None})
        return
    lose(batch, trial, error)
    fail_fast(batch, trial, UNSCORED)


def _end_scoring(batch: JobBatch, trial: dict[str, Any], verdict: Verdict) -> None:
    attempt = trial["attempts"][-1]
    status = TrialStatus.COMPLETED if attempt["error"] is None else TrialStatus.PARTIAL
    batch.finish_attempt(trial, {"status": status, **verdict_fields(verdict)})
    finish(batch, trial, status, verdict.reward)
    fail_fast(batch, trial, verdict)
