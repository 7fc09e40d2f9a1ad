"""Jobs: their states, the moves between them, and the options that bound a run."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from domain.errors import Collector, ErrorCode, InvalidInput, Refused
from domain.limits import MAX_ATTEMPTS, MAX_CONCURRENCY, MAX_REPEATS, MAX_TIMEOUT_SECONDS, MAX_TRIALS


class JobStatus(StrEnum):
    """Where a job stands; COMPLETED, ERROR and CANCELLED end it."""

    PENDING = "PENDING"
    ACTIVE = "ACTIVE"
    PAUSED = "PAUSED"
    COMPLETED = "COMPLETED"
    ERROR = "ERROR"
    CANCELLED = "CANCELLED"

    @property
    def is_ended(self) -> bool:
        """Whether nothing more happens unless the job is retried."""
        return self in _ENDED


class AttemptPolicy(StrEnum):
    """Which finished attempt of a trial speaks for it in statistics; attempts lost with their lease never do."""

    FIRST = "FIRST"
    LAST = "LAST"
    BEST = "BEST"


_ENDED: Final = frozenset({JobStatus.COMPLETED, JobStatus.ERROR, JobStatus.CANCELLED})

# A paused job still takes the reports of trials that were running, and so may end without being resumed.
JOB_TRANSITIONS: Final[Mapping[JobStatus, frozenset[JobStatus]]] = MappingProxyType(
    {
        JobStatus.PENDING: frozenset({JobStatus.ACTIVE, JobStatus.PAUSED, JobStatus.CANCELLED}),
        JobStatus.ACTIVE: _ENDED | {JobStatus.PAUSED},
        JobStatus.PAUSED: _ENDED | {JobStatus.PENDING, JobStatus.ACTIVE},
        JobStatus.COMPLETED: frozenset(),
        JobStatus.ERROR: frozenset(),
        JobStatus.CANCELLED: frozenset(),
    }
)


def can_become(current: JobStatus, wanted: JobStatus) -> bool:
    """Whether a job may move so; staying where it is changes nothing and is allowed."""
    return current == wanted or wanted in JOB_TRANSITIONS[current]


def check_transition(current: JobStatus, wanted: JobStatus) -> None:
    """Raise Refused (INVALID_STATE) where a job may not move so."""
    if can_become(current, wanted):
        return
    if current.is_ended:
        advice = "it has ended; `retryJob` opens it again."
    else:
        allowed = ", ".join(sorted(JOB_TRANSITIONS[current]))
        advice = f"from there it can become {allowed}."
    raise Refused(f"A job that is {current} cannot become {wanted}: {advice}", code=ErrorCode.INVALID_STATE)


def check_reopening(current: JobStatus) -> None:
    """Raise Refused (INVALID_STATE) unless the job has ended: only an ended job is retried, which makes it ACTIVE."""
    if not current.is_ended:
        raise Refused(
            f"The job is {current}; `retryJob` is for jobs that have ended. Wait for its end, or cancel it first.",
            code=ErrorCode.INVALID_STATE,
        )


def check_deletion(current: JobStatus) -> None:
    """Raise Refused (INVALID_STATE) unless the job has ended."""
    if not current.is_ended:
        raise Refused(
            f"The job is {current}; only a job that has ended can be deleted. Cancel it first.",
            code=ErrorCode.INVALID_STATE,
        )


@dataclass(frozen=True, slots=True)
class JobOptions:
    """How a job runs: `repeats` trials a task, `timeout_seconds` an attempt, `max_attempts` a trial."""

    repeats: int = 1
    max_concurrency: int = 4
    timeout_seconds: float = 600.0
    max_attempts: int = 3
    fail_fast: bool = False


def check_options(options: JobOptions, problems: Collector) -> None:
    """Collect everything that is out of bounds; paths as the input of `submitJob` names the fields."""
    _bounded(options.repeats, MAX_REPEATS, "repeats", problems)
    _bounded(options.max_concurrency, MAX_CONCURRENCY, "maxConcurrency", problems)
    _bounded(options.max_attempts, MAX_ATTEMPTS, "maxAttempts", problems)
    seconds = options.timeout_seconds
    if not (math.isfinite(seconds) and 0 < seconds <= MAX_TIMEOUT_SECONDS):
        problems.add(
            InvalidInput(
                f"`timeoutSeconds` lies above 0 and at most at {MAX_TIMEOUT_SECONDS:,}; {seconds} does not.",
                ("timeoutSeconds",),
            )
        )


def check_trial_count(tasks: int, repeats: int) -> None:
    """Raise InvalidInput (LIMIT_EXCEEDED) where tasks times repeats is more than a job may hold."""
    if tasks * repeats > MAX_TRIALS:
        raise InvalidInput(
            f"{tasks:,} tasks times {repeats:,} repeats are {tasks * repeats:,} trials; a job has at most "
            f"{MAX_TRIALS:,}. Select fewer tasks with `only` or `limit`, or lower `repeats`.",
            ("repeats",),
            ErrorCode.LIMIT_EXCEEDED,
        )


def _bounded(value: int, most: int, name: str, problems: Collector) -> None:
    if not 1 <= value <= most:
        code = ErrorCode.LIMIT_EXCEEDED if value > most else ErrorCode.INVALID_INPUT
        problems.add(InvalidInput(f"`{name}` lies between 1 and {most:,}; {value} does not.", (name,), code))
