"""Summaries of a job, of its groups, and of a task, from plain rows."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain.canonical import JSON
from domain.jobs import AttemptPolicy
from domain.metrics import MetricOutput, MetricType
from domain.trials import TrialStatus
from evaluation.messages import BoundMetric
from evaluation.metrics.text import corpus_bleu
from evaluation.pass_rates import PassRate, pass_rates, tally
from evaluation.results import (
    AttemptRow,
    TaskPlan,
    TrialRow,
    by_task,
    counted_attempt,
    grouped_tasks,
    score_of,
    trials_of,
)
from evaluation.statistics import UNIT, Interval, Observation, Statistic, statistic

REWARD: Final = "reward"
CORPUS: Final = "corpus"
UNKNOWN_FAILURE: Final = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class FailureCount:
    """How many trials failed with one type of error."""

    type: str
    count: int


@dataclass(frozen=True, slots=True)
class JobSummary:
    """A job's numbers, or those of one group of its tasks. `failures` add up to what failed in `reward`."""

    reward: Statistic
    statistics: tuple[Statistic, ...]
    pass_rates: tuple[PassRate, ...]
    failures: tuple[FailureCount, ...]
    group: JSON = None


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """A task's numbers within a job."""

    reward: Statistic
    pass_rates: tuple[PassRate, ...]


Counted = Sequence[tuple[str, AttemptRow]]


def job_summary(
    tasks: Sequence[TaskPlan],
    trials: Iterable[TrialRow],
    repeats: int,
    policy: AttemptPolicy = AttemptPolicy.LAST,
    missing_as: float | None = None,
) -> JobSummary:
    """Summarise trials, one counted attempt each; `trials` are all of the tasks' trials, ended or not."""
    counted = [(trial.task, counted_attempt(trial, policy)) for trial in trials]
    return JobSummary(
        reward=_reward(counted, missing_as),
        statistics=tuple(_statistics(tasks, counted, missing_as)),
        pass_rates=_pass_rates(counted, repeats),
        failures=_failures(counted),
    )


def group_summaries(
    tasks: Sequence[TaskPlan],
    trials: Sequence[TrialRow],
    repeats: int,
    key: str,
    policy: AttemptPolicy = AttemptPolicy.LAST,
    missing_as: float | None = None,
) -> list[JobSummary]:
    """One summary a value of a metadata key, in the order of the work list."""
    return [
        replace(job_summary(members, trials_of(members, trials), repeats, policy, missing_as), group=value)
        for value, members in grouped_tasks(tasks, key)
    ]


def task_summary(trials: Iterable[TrialRow], repeats: int, policy: AttemptPolicy = AttemptPolicy.LAST) -> TaskSummary:
    """Summarise the trials of one task."""
    counted = [(trial.task, counted_attempt(trial, policy)) for trial in trials]
    return TaskSummary(_reward(counted, None), _pass_rates(counted, repeats))


def reward_by_task(trials: Iterable[TrialRow], policy: AttemptPolicy = AttemptPolicy.LAST) -> dict[str, Statistic]:
    """The reward's statistic of every task."""
    return {
        task: _reward([(task, counted_attempt(trial, policy)) for trial in members], None)
        for task, members in by_task(trials).items()
    }


def _reward(counted: Counted, missing_as: float | None) -> Statistic:
    seen = (Observation(task, attempt.reward, _is_failed(attempt)) for task, attempt in counted)
    return statistic(REWARD, seen, UNIT, missing_as)


def _statistics(tasks: Sequence[TaskPlan], counted: Counted, missing_as: float | None) -> Iterator[Statistic]:
    attempts: dict[str, list[AttemptRow]] = {}
    for task, attempt in counted:
        attempts.setdefault(task, []).append(attempt)
    for metric, names in _metrics(tasks):
        chosen = [(name, attempt) for name in names for attempt in attempts.get(name, ())]
        for output in metric.configuration.outputs():
            yield _metric_statistic(metric, output, chosen, missing_as)
    for view, names in _views(tasks).items():
        seen = (
            Observation(name, attempt.views.get(view), _is_failed(attempt))
            for name in names
            for attempt in attempts.get(name, ())
        )
        yield statistic(f"view.{view}", seen, UNIT, missing_as)


def _metrics(tasks: Sequence[TaskPlan]) -> list[tuple[BoundMetric, list[str]]]:
    by_ref: dict[str, tuple[BoundMetric, list[str]]] = {}
    for task in tasks:
        for metric in task.metrics:
            by_ref.setdefault(metric.ref, (metric, []))[1].append(task.name)
    return list(by_ref.values())


def _views(tasks: Sequence[TaskPlan]) -> dict[str, list[str]]:
    views: dict[str, list[str]] = {}
    for task in tasks:
        for view in task.views:
            views.setdefault(view, []).append(task.name)
    return views


def _metric_statistic(
    metric: BoundMetric, output: MetricOutput, chosen: Counted, missing_as: float | None
) -> Statistic:
    name = f"{metric.ref}.{output.name}"
    if metric.type is MetricType.BLEU and output.name == CORPUS:
        return _corpus(name, metric.ref, chosen)
    seen = (_observation(task, attempt, metric.ref, output.name) for task, attempt in chosen)
    return statistic(name, seen, _bounds(output), missing_as)


def _observation(task: str, attempt: AttemptRow, metric: str, output: str) -> Observation:
    score = score_of(attempt, metric)
    if score is None or score.status is TrialStatus.FAILED:
        return Observation(task, None, _is_failed(attempt) or score is not None)
    return Observation(task, score.value(output))


def _corpus(name: str, metric: str, chosen: Counted) -> Statistic:
    """BLEU of a corpus is one number over all rows, so it has a mean and counts, and no spread."""
    scores = [score_of(attempt, metric) for _, attempt in chosen]
    counts = [score.counts for score in scores if score is not None and score.counts]
    marks = (
        Observation(task, 1.0 if score is not None and score.counts else None, _is_failed(attempt) or _failed(score))
        for (task, attempt), score in zip(chosen, scores, strict=True)
    )
    counted = statistic(name, marks)
    return Statistic(
        name,
        counted.expected,
        counted.scored,
        counted.failed,
        counted.missing,
        counted.coverage,
        mean=corpus_bleu(counts),
    )


def _failed(score: object) -> bool:
    return getattr(score, "status", None) is TrialStatus.FAILED


def _bounds(output: MetricOutput) -> Interval:
    low = UNIT[0] if output.minimum is None else output.minimum
    high = UNIT[1] if output.maximum is None else output.maximum
    return float(low), float(high)


def _pass_rates(counted: Counted, repeats: int) -> tuple[PassRate, ...]:
    attempts: dict[str, list[AttemptRow]] = {}
    for task, attempt in counted:
        attempts.setdefault(task, []).append(attempt)
    return pass_rates([tally(members) for members in attempts.values()], repeats)


def _failures(counted: Counted) -> tuple[FailureCount, ...]:
    types = Counter(attempt.error_type or UNKNOWN_FAILURE for _, attempt in counted if _is_failed(attempt))
    return tuple(FailureCount(type, types[type]) for type in sorted(types, key=lambda type: (-types[type], type)))


def _is_failed(attempt: AttemptRow) -> bool:
    return attempt.status is TrialStatus.FAILED
