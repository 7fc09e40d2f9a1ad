"""How attempts, trials and jobs end: the rules that all transitions share, on working copies."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from domain.jobs import JobStatus
from domain.trials import FailureType, TrialError, TrialOutcome, TrialStatus
from evaluation.verdicts import Verdict
from storage.job_batches import JobBatch
from storage.job_events import EventType
from storage.payloads import blob_of, error_document, usage_document
from storage.trials import named_numbers, score_document

_FIRST_WAIT_SECONDS: Final = 0.5
_LONGEST_WAIT_SECONDS: Final = 30.0
_PAYLOADS: Final = ("output", "response", "trajectory")


UNSCORED: Final = Verdict((), {}, None)


def attempt_document(
    trial: Mapping[str, Any],
    batch: JobBatch,
    status: TrialStatus,
    *,
    outcome: TrialOutcome | None = None,
    payload: Mapping[str, Any] | None = None,
    verdict: Verdict = UNSCORED,
    report: str | None = None,
    is_lost: bool = False,
) -> dict[str, Any]:
    """The attempt that ends with the trial's lease; `report` is the fingerprint by which a repetition is known."""
    lease = trial["lease"] or {}
    outcome = outcome or TrialOutcome()
    return {
        "number": len(trial["attempts"]) + 1,
        "token": lease.get("token"),
        "report": report,
        "status": status,
        "isLost": is_lost,
        "reported": outcome.reward,
        "rewards": named_numbers(outcome.rewards or {}),
        "error": error_document(outcome.error),
        "usage": usage_document(outcome.usage),
        "latencyMs": outcome.latency_ms,
        "runner": lease.get("holder"),
        "startedAt": lease.get("startedAt"),
        "finishedAt": batch.now,
        **{name: None if payload is None else payload.get(name) for name in _PAYLOADS},
        **verdict_fields(verdict),
    }


def verdict_fields(verdict: Verdict) -> dict[str, Any]:
    """The fields of an attempt that scoring fills."""
    return {
        "reward": verdict.reward,
        "scores": [score_document(score) for score in verdict.scores],
        "views": named_numbers(verdict.views),
    }


def blobs_of(payload: Mapping[str, Any] | None) -> list[str]:
    """The ids of the blobs that a payload lies in."""
    found = [] if payload is None else [blob_of(payload, name) for name in _PAYLOADS]
    return [blob for blob in found if blob is not None]


def spend(batch: JobBatch, outcome: TrialOutcome) -> None:
    """Count what an attempt consumed; every attempt counts, however it ended."""
    used, total = outcome.usage, batch.job["usage"]
    if used is not None:
        total["inputTokens"] += used.input_tokens or 0
        total["outputTokens"] += used.output_tokens or 0
        total["costUsd"] += used.cost_usd or 0.0


def finish(batch: JobBatch, trial: dict[str, Any], status: TrialStatus, reward: float | None) -> None:
    """End a trial after its attempt was written."""
    batch.change(trial, {"status": status, "reward": reward, "lease": None, "notBefore": None, "finishedAt": batch.now})
    if reward is not None:
        batch.job["rewards"]["sum"] += reward
        batch.job["rewards"]["count"] += 1
    batch.event(EventType.TRIAL_FINISHED, trial=trial["_id"])


def requeue(batch: JobBatch, trial: dict[str, Any], error: TrialError, wait: bool) -> None:
    """Let a trial wait for its next attempt; `wait` leaves its target some time to come back."""
    lost = len(trial["attempts"]) - 1
    seconds = min(_FIRST_WAIT_SECONDS * 2.0 ** min(lost, 10), _LONGEST_WAIT_SECONDS)
    not_before = batch.now + timedelta(seconds=seconds) if wait else None
    batch.change(trial, {"status": TrialStatus.PENDING, "lease": None, "notBefore": not_before})
    batch.job["retries"] += 1
    batch.event(EventType.TRIAL_REQUEUED, trial=trial["_id"], reason=f"{error.type}: {error.message}"[:1000])


def may_try_again(trial: Mapping[str, Any]) -> bool:
    """Whether another attempt may follow the one that ends now."""
    return len(trial["attempts"]) + 1 < int(trial["budget"])


def lose(batch: JobBatch, trial: dict[str, Any], error: TrialError) -> None:
    """End the lease of a running trial that nobody answered for; the trial fails once its attempts are used up."""
    again = may_try_again(trial)
    attempt = attempt_document(trial, batch, TrialStatus.FAILED, outcome=TrialOutcome(error=error), is_lost=True)
    batch.append_attempt(trial, attempt)
    if again:
        requeue(batch, trial, error, wait=False)
    else:
        finish(batch, trial, TrialStatus.FAILED, None)


def close_if_done(batch: JobBatch) -> None:
    """End the job once no trial is open; all of them failing is COMPLETED too."""
    if not batch.status.is_ended and batch.open_count == 0:
        batch.set_status(JobStatus.COMPLETED)


def fail_fast(batch: JobBatch, trial: Mapping[str, Any], verdict: Verdict) -> None:
    """End a fail-fast job with ERROR at the first trial that fails or cannot be scored."""
    if not batch.job["failFast"] or batch.status.is_ended:
        return
    failed = trial["status"] == TrialStatus.FAILED or any(
        score.status is TrialStatus.FAILED for score in verdict.scores
    )
    if failed:
        name = f"{trial['taskName']}, repeat {trial['repeat']}"
        end_early(batch, JobStatus.ERROR, f"Fail-fast: the trial of task {name} failed.")


def end_early(batch: JobBatch, status: JobStatus, reason: str | None) -> None:
    """Cancel every open trial in one event, revoke their leases, and end the job."""
    settled = _cancel_open(batch)
    if settled:
        batch.event(EventType.TRIALS_SETTLED, trialStatus=TrialStatus.CANCELLED, count=settled)
    batch.set_status(status, reason)


def _cancel_open(batch: JobBatch) -> int:
    ended = {"status": TrialStatus.CANCELLED, "lease": None, "notBefore": None, "finishedAt": batch.now}
    for status, update in (
        (TrialStatus.PENDING, {"$set": ended}),
        (TrialStatus.RUNNING, [{"$set": {"attempts": {"$concatArrays": ["$attempts", [_revoked(batch)]]}, **ended}}]),
        (TrialStatus.SCORING, [{"$set": {"attempts": _LAST_CANCELLED, **ended}}]),
    ):
        if batch.job["counts"][status]:
            batch.update_trials({"status": status}, update)
    moved = batch.open_count
    for status in _OPEN:
        batch.job["counts"][status] = 0
    batch.count(TrialStatus.CANCELLED, moved)
    return moved


_OPEN: Final[Sequence[TrialStatus]] = (TrialStatus.PENDING, TrialStatus.RUNNING, TrialStatus.SCORING)

_LAST_CANCELLED: Final = {
    "$map": {
        "input": "$attempts",
        "in": {
            "$cond": [
                {"$eq": ["$$this.status", TrialStatus.SCORING]},
                {"$mergeObjects": ["$$this", {"status": TrialStatus.CANCELLED}]},
                "$$this",
            ]
        },
    }
}


def _revoked(batch: JobBatch) -> dict[str, Any]:
    """The attempt of a trial whose lease is revoked, as an expression over the trial's document."""
    empty: dict[str, Any] = {
        "report": None,
        "status": TrialStatus.CANCELLED,
        "isLost": True,
        "reported": None,
        "rewards": [],
        "error": None,
        "usage": None,
        "latencyMs": None,
        "output": None,
        "response": None,
        "trajectory": None,
        "reward": None,
        "scores": [],
        "views": [],
        "finishedAt": batch.now,
    }
    return {
        **empty,
        "number": {"$add": [{"$size": "$attempts"}, 1]},
        "token": "$lease.token",
        "runner": "$lease.holder",
        "startedAt": "$lease.startedAt",
    }


LEASE_EXPIRED: Final = TrialError(FailureType.LEASE_EXPIRED, "The holder of the lease fell silent.")
