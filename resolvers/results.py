"""Results of jobs: statistics over rows read with a projection, remembered by the job's last event."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from domain.errors import BadUserInput
from domain.jobs import AttemptPolicy
from domain.trials import TrialStatus
from evaluation.comparison import Comparison, TaskResult, compare
from evaluation.plans import Plans, planned, task_plan
from evaluation.results import AttemptRow, TaskPlan, TrialRow
from evaluation.statistics import Statistic
from evaluation.summaries import JobSummary, TaskSummary, group_summaries, job_summary, reward_by_task, task_summary
from storage import job_tasks, jobs, trials
from storage.driver import Document, ObjectId
from storage.jobs import JobRecord
from storage.pages import PageRequest, Positions
from storage.records import Head, Page
from storage.services import Services
from storage.trials import HistoryRow, score_record

if TYPE_CHECKING:
    from resolvers.context import Context

_REMEMBERED: Final = 256
_BATCH: Final = 1_000
Result = TypeVar("Result")
Key: TypeAlias = tuple[ObjectId, int, object]


@dataclass(frozen=True, slots=True)
class JobComparison:
    """Two jobs side by side."""

    base: JobRecord
    candidate: JobRecord
    comparison: Comparison


class Results:
    """The results that this process remembers: `services.shared(Results)`. A job's next event makes them old."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._known: OrderedDict[Key, asyncio.Task[Any]] = OrderedDict()

    async def close(self) -> None:
        """Forget everything."""
        for task in self._known.values():
            task.cancel()
        self._known.clear()

    async def of(self, job: JobRecord, key: object, compute: Callable[[Rows], Result]) -> Result:
        """What `compute` makes of the job's rows, in a thread, once for all who ask at the same event."""
        place = (job.id, job.seq, key)
        task = self._known.get(place)
        if task is None or task.cancelled() or (task.done() and task.exception() is not None):
            task = asyncio.create_task(self._compute(job, compute))
            self._known[place] = task
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(place)
        result: Result = await asyncio.shield(task)
        return result

    async def _compute(self, job: JobRecord, compute: Callable[[Rows], Result]) -> Result:
        rows = Rows(await task_plans(self._services, job), await trial_rows(self._services, {"job": job.id}))
        return await asyncio.to_thread(compute, rows)


@dataclass(frozen=True, slots=True)
class Rows:
    """A job's work list and trials, as statistics take them."""

    tasks: list[TaskPlan]
    trials: list[TrialRow]


async def summary(context: Context, job: JobRecord, policy: AttemptPolicy, missing_as: float | None) -> JobSummary:
    """The numbers of a job. Raises BadUserInput for a `missing_as` that is not finite."""
    _check(missing_as)
    repeats = job.options.repeats

    def compute(rows: Rows) -> JobSummary:
        return job_summary(rows.tasks, rows.trials, repeats, policy, missing_as)

    return await context.services.shared(Results).of(job, ("summary", policy, missing_as), compute)


async def summaries(
    context: Context, job: JobRecord, key: str, policy: AttemptPolicy, missing_as: float | None
) -> list[JobSummary]:
    """The numbers of a job by the value of one metadata key. Raises BadUserInput."""
    _check(missing_as)
    repeats = job.options.repeats

    def compute(rows: Rows) -> list[JobSummary]:
        return group_summaries(rows.tasks, rows.trials, repeats, key, policy, missing_as)

    return await context.services.shared(Results).of(job, ("groups", key, policy, missing_as), compute)


async def task_summaries(
    context: Context, places: Sequence[tuple[ObjectId, str]]
) -> dict[tuple[ObjectId, str], TaskSummary]:
    """The numbers of tasks by (job, name), in one query a job."""
    grouped: dict[ObjectId, list[str]] = defaultdict(list)
    for job, name in places:
        grouped[job].append(name)
    found: dict[tuple[ObjectId, str], TaskSummary] = {}
    plans = context.services.shared(Plans)
    for job, names in grouped.items():
        plan = await plans.find(job)
        repeats = 1 if plan is None else plan.job.options.repeats
        rows: dict[str, list[TrialRow]] = defaultdict(list)
        for row in await trial_rows(context.services, {"job": job, "taskName": {"$in": names}}):
            rows[row.task].append(row)
        found |= {(job, name): task_summary(rows[name], repeats) for name in names}
    return found


async def compare_jobs(context: Context, base: JobRecord, candidate: ObjectId) -> JobComparison | None:
    """Two jobs aligned by the names of their tasks; None where the other does not exist for the viewer."""
    other = await jobs.find(context.services.database, candidate)
    if other is None or not context.viewer.reads(other.workspace):
        return None
    one, two = [await context.services.shared(Results).of(job, "rewards", _rewards) for job in (base, other)]
    return JobComparison(base, other, await asyncio.to_thread(compare, one, two))


def _rewards(rows: Rows) -> list[TaskResult]:
    statistics: Mapping[str, Statistic] = reward_by_task(rows.trials)
    return [TaskResult(task.name, task.digest, statistics[task.name]) for task in rows.tasks if task.name in statistics]


async def history(context: Context, head: Head, request: PageRequest) -> Page[HistoryRow]:
    """What the readable jobs made of each content of a task, newest first. Raises BadUserInput."""
    found = await trials.history(context.services.database, head.id, context.viewer.readable_workspaces())
    chosen, cursors, has_next, has_previous = Positions(len(found), head.id, "history").page(request)
    return Page(tuple(found[index] for index in chosen), tuple(cursors), has_next, has_previous)


async def count_history(context: Context, head: Head) -> int:
    """How many contents `history` lists in all."""
    return len(await trials.history(context.services.database, head.id, context.viewer.readable_workspaces()))


async def task_plans(services: Services, job: JobRecord) -> list[TaskPlan]:
    """The work list of a job with what statistics expect of each task."""
    plan = await services.shared(Plans).find(job.id)
    metrics = {} if plan is None else plan.metrics
    tasks = await job_tasks.find_all(services.database, job.id)
    plans: list[TaskPlan] = []
    for start in range(0, len(tasks), _BATCH):
        plans += map(task_plan, await planned(services, metrics, tasks[start : start + _BATCH]))
    return plans


async def trial_rows(services: Services, query: Mapping[str, Any]) -> list[TrialRow]:
    """Trials with their finished attempts, in the order of the work list."""
    return [_row(document) async for document in trials.rows(services.database, query)]


def _row(document: Document) -> TrialRow:
    attempts = tuple(map(_attempt, document["attempts"]))
    last = attempts[-1].error_type if attempts else None
    return TrialRow(document["taskName"], document["repeat"], TrialStatus(document["status"]), attempts, last)


def _attempt(document: Document) -> AttemptRow:
    return AttemptRow(
        status=TrialStatus(document["status"]),
        reward=document["reward"],
        scores=tuple(map(score_record, document["scores"])),
        views={view["name"]: view["value"] for view in document["views"]},
        error_type=(document.get("error") or {}).get("type"),
        is_lost=document["isLost"],
    )


def _check(missing_as: float | None) -> None:
    if missing_as is not None and not abs(missing_as) < float("inf"):
        raise BadUserInput("`missingAs` must be a finite number.", argument="missingAs")
