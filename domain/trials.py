"""Trials: their states, what an attempt at one brings back, and the scores that it gets."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from domain.canonical import JSON, bounded_text, check_json
from domain.errors import Collector, ErrorCode, InvalidInput, Refused, UserError
from domain.limits import MAX_CONTENT_BYTES, MAX_ERROR_MESSAGE_LENGTH, MAX_INTEGER, MAX_NAME_LENGTH, MEBIBYTE


class TrialStatus(StrEnum):
    """Where a trial, an attempt or a score stands; the last four are terminal."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SCORING = "SCORING"
    COMPLETED = "COMPLETED"
    PARTIAL = "PARTIAL"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"

    @property
    def is_ended(self) -> bool:
        """Whether nothing more happens unless the trial is retried."""
        return self in ENDED_TRIALS


ENDED_TRIALS: Final = frozenset({TrialStatus.COMPLETED, TrialStatus.PARTIAL, TrialStatus.FAILED, TrialStatus.CANCELLED})

# PENDING to FAILED is a trial whose output was never handed in; RUNNING to PENDING a lost attempt;
# ended to PENDING a retry.
TRIAL_TRANSITIONS: Final[Mapping[TrialStatus, frozenset[TrialStatus]]] = MappingProxyType(
    {
        TrialStatus.PENDING: frozenset({TrialStatus.RUNNING, TrialStatus.FAILED, TrialStatus.CANCELLED}),
        TrialStatus.RUNNING: ENDED_TRIALS | {TrialStatus.PENDING, TrialStatus.SCORING},
        TrialStatus.SCORING: ENDED_TRIALS,
        TrialStatus.COMPLETED: frozenset({TrialStatus.PENDING}),
        TrialStatus.PARTIAL: frozenset({TrialStatus.PENDING}),
        TrialStatus.FAILED: frozenset({TrialStatus.PENDING}),
        TrialStatus.CANCELLED: frozenset({TrialStatus.PENDING}),
    }
)


def check_trial_transition(current: TrialStatus, wanted: TrialStatus) -> None:
    """Raise Refused (INVALID_STATE) where a trial may not move so."""
    if wanted not in TRIAL_TRANSITIONS[current]:
        raise Refused(f"A trial that is {current} cannot become {wanted}.", code=ErrorCode.INVALID_STATE)


class FailureType(StrEnum):
    """The types of error that Pinset itself gives to attempts; runners report types of their own."""

    NO_OUTPUT = "NO_OUTPUT"  # the outputs handed in hold none for this trial
    REPORTED = "REPORTED"  # the outputs handed in say that it failed
    TIMEOUT = "TIMEOUT"  # no answer in time; a new attempt may follow
    UNREACHABLE = "UNREACHABLE"  # no answer at all; a new attempt may follow
    LEASE_EXPIRED = "LEASE_EXPIRED"  # the holder fell silent; a new attempt may follow
    TARGET_ERROR = "TARGET_ERROR"  # the target answered that it refuses or failed
    INVALID_ANSWER = "INVALID_ANSWER"  # the answer does not hold what it should
    FORBIDDEN_ADDRESS = "FORBIDDEN_ADDRESS"  # the address or the secret may not be used
    TEMPLATE_ERROR = "TEMPLATE_ERROR"  # the prompt or body could not be rendered

    @property
    def is_lost(self) -> bool:
        """Whether nothing answered, so that a new attempt may follow; an answer is never retried."""
        return self in (FailureType.TIMEOUT, FailureType.UNREACHABLE, FailureType.LEASE_EXPIRED)


@dataclass(frozen=True, slots=True)
class TrialError:
    """Why an attempt went wrong: a short type to count by, and a message for people."""

    type: str
    message: str

    @property
    def is_lost(self) -> bool:
        """Whether a new attempt may follow; see FailureType."""
        return any(kind.is_lost and kind == self.type for kind in FailureType)


@dataclass(frozen=True, slots=True)
class Usage:
    """What an attempt consumed, in tokens and US dollars; None where nobody said."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """What one attempt brought back. `rewards` are named numbers; blobs are SHA-256 ids of larger content.

    Nothing here is shared: JSON values may be kept without copying.
    """

    output: str | None = None
    response: JSON = None
    trajectory: JSON = None
    output_blob: str | None = None
    trajectory_blob: str | None = None
    reward: float | None = None
    rewards: Mapping[str, float] | None = None
    error: TrialError | None = None
    usage: Usage | None = None
    latency_ms: float | None = None

    @property
    def has_result(self) -> bool:
        """Whether there is something to score: an output, a response or a reward."""
        results = (self.output, self.response, self.output_blob, self.reward, self.rewards or None)
        return any(result is not None for result in results)

    @property
    def status(self) -> TrialStatus:
        """COMPLETED for a result without error, PARTIAL for both, FAILED for an error alone (or nothing)."""
        if not self.has_result:
            return TrialStatus.FAILED
        return TrialStatus.COMPLETED if self.error is None else TrialStatus.PARTIAL

    def reward_of(self, key: str) -> float | None:
        """The reported reward of this name; the headline `reward` answers to its own name too."""
        named = None if self.rewards is None else self.rewards.get(key)
        return self.reward if named is None and key == "reward" else named


@dataclass(frozen=True, slots=True)
class ScoreValue:
    """One output of a metric: a finite number, a label, or neither where it could not be measured."""

    name: str
    value: float | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What a metric has to say about its score; severity is error, warning or info."""

    severity: str
    message: str


@dataclass(frozen=True, slots=True)
class Score:
    """A metric's verdict on one attempt. `metric` is its reference; PARTIAL where some values are missing.

    `counts` are the sums that a corpus BLEU over many attempts adds up (see evaluation/metrics/text.py); they are
    stored with the score and not shown.
    """

    metric: str
    status: TrialStatus
    values: tuple[ScoreValue, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    counts: tuple[int, ...] = ()

    def value(self, output: str) -> float | None:
        """The number of one output, None where it is missing."""
        return next((value.value for value in self.values if value.name == output), None)


def check_outcome(outcome: TrialOutcome) -> TrialOutcome:
    """The outcome itself, proved fit to be stored; for what comes from outside.

    Raises Problems with paths as `ReportTrialInput` names the fields.
    """
    problems = Collector()
    if not outcome.has_result and outcome.error is None:
        problems.add(InvalidInput("Report an output, a response, a reward or an error; this report holds none."))
    check_inline(outcome.output, ("output",), problems)
    check_inline(outcome.response, ("response",), problems)
    check_inline(outcome.trajectory, ("trajectory",), problems)
    _check_number(outcome.reward, ("reward",), problems)
    for key, value in (outcome.rewards or {}).items():
        check_inline(key, ("rewards", key), problems)
        _check_number(value, ("rewards", key), problems)
    _check_error(outcome.error, problems)
    _check_usage(outcome.usage, problems)
    problems.finish()
    return outcome


def check_inline(value: object, path: tuple[str | int, ...], problems: Collector) -> None:
    """Collect a problem where a value is not JSON or has more than 8 MiB; larger content goes by blob."""
    try:
        if isinstance(value, str) and len(value) > MAX_CONTENT_BYTES:
            raise _too_large(path)
        text = check_json(value, path)
        if isinstance(text, str):
            if len(text.encode()) > MAX_CONTENT_BYTES:
                raise _too_large(path)
        elif text is not None:
            bounded_text(text, path, "value")
    except UserError as error:
        problems.add(error)


def _too_large(path: tuple[str | int, ...]) -> InvalidInput:
    return InvalidInput(
        f"Inline content has at most {MAX_CONTENT_BYTES // MEBIBYTE} MiB; upload more as a blob and name its id.",
        path,
        ErrorCode.LIMIT_EXCEEDED,
    )


def _check_number(value: object, path: tuple[str | int, ...], problems: Collector) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        problems.add(InvalidInput("Must be a finite number.", path))


def _is_finite(value: int | float) -> bool:
    return math.isfinite(value) if isinstance(value, float) else abs(value) <= MAX_INTEGER


def _check_error(error: TrialError | None, problems: Collector) -> None:
    if error is None:
        return
    if not 1 <= len(error.type) <= MAX_NAME_LENGTH:
        problems.add(InvalidInput(f"An error's type has 1 to {MAX_NAME_LENGTH} characters.", ("error", "type")))
    check_inline(error.type, ("error", "type"), problems)
    check_inline(error.message, ("error", "message"), problems)
    if len(error.message) > MAX_ERROR_MESSAGE_LENGTH:
        problems.add(
            InvalidInput(
                f"An error's message has at most {MAX_ERROR_MESSAGE_LENGTH:,} characters; put logs in the trajectory.",
                ("error", "message"),
                ErrorCode.LIMIT_EXCEEDED,
            )
        )


def _check_usage(usage: Usage | None, problems: Collector) -> None:
    if usage is None:
        return
    for name, tokens in (("inputTokens", usage.input_tokens), ("outputTokens", usage.output_tokens)):
        if tokens is not None and not 0 <= tokens <= 2**53:
            problems.add(InvalidInput("Tokens lie between 0 and 2^53.", ("usage", name)))
    cost = usage.cost_usd
    if cost is not None and not (math.isfinite(cost) and cost >= 0):
        problems.add(InvalidInput("A cost is a finite number of US dollars, 0 or more.", ("usage", "costUsd")))
