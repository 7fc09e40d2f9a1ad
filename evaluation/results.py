"""The plain rows that statistics are computed from, and which attempt speaks for a trial."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from domain.canonical import JSON, canonical_text
from domain.jobs import AttemptPolicy
from domain.trials import Score, TrialStatus
from evaluation.messages import BoundMetric


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A task of a job's work list: what its trials are expected to give."""

    name: str
    digest: str
    metrics: tuple[BoundMetric, ...] = ()
    views: tuple[str, ...] = ()
    metadata: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One finished attempt. `is_lost` marks one that ended with its lease; it is in no policy."""

    status: TrialStatus
    reward: float | None = None
    scores: tuple[Score, ...] = ()
    views: Mapping[str, float | None] = field(default_factory=dict)
    error_type: str | None = None
    is_lost: bool = False


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One trial with its finished attempts, oldest first; `status` and `error_type` are the trial's own, now."""

    task: str
    repeat: int
    status: TrialStatus
    attempts: tuple[AttemptRow, ...] = ()
    error_type: str | None = None


def counted_attempt(trial: TrialRow, policy: AttemptPolicy) -> AttemptRow:
    """The attempt that speaks for a trial; one without attempts that count is as its status says.

    BEST is the highest reward, the earlier of equals; an attempt without reward is below every other.
    """
    attempts = [attempt for attempt in trial.attempts if not attempt.is_lost and attempt.status in _COUNTED]
    if not attempts:
        return AttemptRow(trial.status, error_type=trial.error_type)
    match policy:
        case AttemptPolicy.FIRST:
            return attempts[0]
        case AttemptPolicy.LAST:
            return attempts[-1]
        case AttemptPolicy.BEST:
            return max(attempts, key=_rank)


def grouped_tasks(tasks: Iterable[TaskPlan], key: str) -> list[tuple[JSON, list[TaskPlan]]]:
    """Tasks by the value of one metadata key, in order of appearance; a task without it is in the group None."""
    groups: dict[str, tuple[JSON, list[TaskPlan]]] = {}
    for task in tasks:
        value = task.metadata.get(key)
        groups.setdefault(canonical_text(value), (value, []))[1].append(task)
    return list(groups.values())


def trials_of(tasks: Iterable[TaskPlan], trials: Iterable[TrialRow]) -> list[TrialRow]:
    """The trials of some of a job's tasks."""
    names = {task.name for task in tasks}
    return [trial for trial in trials if trial.task in names]


def by_task(trials: Iterable[TrialRow]) -> dict[str, list[TrialRow]]:
    """Trials by the name of their task, in order of appearance."""
    grouped: dict[str, list[TrialRow]] = {}
    for trial in trials:
        grouped.setdefault(trial.task, []).append(trial)
    return grouped


_COUNTED = frozenset({TrialStatus.COMPLETED, TrialStatus.PARTIAL, TrialStatus.FAILED})


def _rank(attempt: AttemptRow) -> tuple[bool, float, bool]:
    reward = attempt.reward
    return reward is not None, reward or 0.0, attempt.status is not TrialStatus.FAILED


def score_of(attempt: AttemptRow, metric: str) -> Score | None:
    """The attempt's score of the metric with this reference."""
    return next((score for score in attempt.scores if score.metric == metric), None)


Attempts = Sequence[tuple[TrialRow, AttemptRow]]
