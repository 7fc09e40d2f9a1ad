"""Two jobs side by side: tasks aligned by name, told apart by content, and compared only where that is the same."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evaluation.statistics import Interval, Observation, Statistic, statistic

# Two means that differ by less are the same mean, added up in another order.
_EQUAL_WITHIN: Final = 1e-12


class ComparisonClass(StrEnum):
    """What became of a task from base to candidate; the first three are over the same content."""

    IMPROVED = "IMPROVED"
    REGRESSED = "REGRESSED"
    EQUAL = "EQUAL"
    CHANGED_CONTENT = "CHANGED_CONTENT"
    ONLY_IN_BASE = "ONLY_IN_BASE"
    ONLY_IN_CANDIDATE = "ONLY_IN_CANDIDATE"
    UNSCORED = "UNSCORED"


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A task of one job: its digest and the statistic of its reward."""

    name: str
    digest: str
    reward: Statistic


@dataclass(frozen=True, slots=True)
class TaskComparison:
    """A task in both jobs, or in one; `delta` is candidate minus base where both have a mean."""

    name: str
    comparison: ComparisonClass
    base_digest: str | None
    candidate_digest: str | None
    base: Statistic | None
    candidate: Statistic | None
    delta: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Counts by content, and the mean change over tasks of the same content that both jobs scored."""

    same_content: int
    changed_content: int
    only_in_base: int
    only_in_candidate: int
    mean_delta: float | None
    confidence95: Interval | None
    tasks: tuple[TaskComparison, ...]


def compare(base: Sequence[TaskResult], candidate: Sequence[TaskResult]) -> Comparison:
    """Compare two jobs: the base's tasks in their order, then those that only the candidate has.

    The interval is paired by task: over the differences, one a task.
    """
    found = {result.name: result for result in candidate}
    known = {result.name for result in base}
    tasks = [_compared(result, found.get(result.name)) for result in base]
    tasks += [_compared(None, result) for result in candidate if result.name not in known]
    classes = Counter(task.comparison for task in tasks)
    changed = classes[ComparisonClass.CHANGED_CONTENT]
    only_in_base = classes[ComparisonClass.ONLY_IN_BASE]
    only_in_candidate = classes[ComparisonClass.ONLY_IN_CANDIDATE]
    change = _change(tasks)
    return Comparison(
        same_content=len(tasks) - changed - only_in_base - only_in_candidate,
        changed_content=changed,
        only_in_base=only_in_base,
        only_in_candidate=only_in_candidate,
        mean_delta=change.mean,
        confidence95=change.confidence95,
        tasks=tuple(tasks),
    )


def _change(tasks: Iterable[TaskComparison]) -> Statistic:
    same = (task for task in tasks if task.comparison in _SAME)
    return statistic("delta", [Observation(task.name, task.delta) for task in same])


_SAME: Final = frozenset({ComparisonClass.IMPROVED, ComparisonClass.REGRESSED, ComparisonClass.EQUAL})


def _compared(base: TaskResult | None, candidate: TaskResult | None) -> TaskComparison:
    delta = _delta(base, candidate)
    one = base or candidate
    assert one is not None
    return TaskComparison(
        name=one.name,
        comparison=_class(base, candidate, delta),
        base_digest=None if base is None else base.digest,
        candidate_digest=None if candidate is None else candidate.digest,
        base=None if base is None else base.reward,
        candidate=None if candidate is None else candidate.reward,
        delta=delta,
    )


def _delta(base: TaskResult | None, candidate: TaskResult | None) -> float | None:
    if base is None or candidate is None or base.reward.mean is None or candidate.reward.mean is None:
        return None
    delta = candidate.reward.mean - base.reward.mean
    return delta if math.isfinite(delta) else None


def _class(base: TaskResult | None, candidate: TaskResult | None, delta: float | None) -> ComparisonClass:
    if base is None:
        return ComparisonClass.ONLY_IN_CANDIDATE
    if candidate is None:
        return ComparisonClass.ONLY_IN_BASE
    if base.digest != candidate.digest:
        return ComparisonClass.CHANGED_CONTENT
    if delta is None:
        return ComparisonClass.UNSCORED
    if abs(delta) <= _EQUAL_WITHIN:
        return ComparisonClass.EQUAL
    return ComparisonClass.IMPROVED if delta > 0 else ComparisonClass.REGRESSED
