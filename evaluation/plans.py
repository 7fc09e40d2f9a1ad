"""What a job was submitted as, remembered by each process: it never changes, so trials need not read it again."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from domain.metrics import MetricDefinition, MetricType, check_metric
from evaluation.messages import BoundMetric
from evaluation.results import TaskPlan
from evaluation.rows import Work, instruction_of
from storage import contents, job_tasks, jobs
from storage.driver import ObjectId
from storage.job_tasks import JobTask
from storage.jobs import JobRecord
from storage.records import Content
from storage.services import Services

_REMEMBERED_PLANS: Final = 200
_REMEMBERED_TASKS: Final = 5_000
_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class JobPlan:
    """The fixed part of a job; `job` also has moving parts, which are those of the time it was first read."""

    job: JobRecord
    metrics: Mapping[str, BoundMetric]
    tasks: OrderedDict[int, "PlannedTask"] = field(default_factory=OrderedDict)

    @property
    def needs_tasks(self) -> bool:
        """Whether scoring a trial looks at its task at all."""
        return bool(self.metrics)


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """A task of the work list with its content (None where the stored text is corrupt) and its metrics."""

    task: JobTask
    content: Content
    metrics: tuple[BoundMetric, ...]

    @property
    def prompt(self) -> str | None:
        """What an agent is asked where no template says otherwise; None for rows and where the text is corrupt."""
        value = self.content.value
        return None if self.task.is_row or value is None else instruction_of(value["spec"])

    def work(self, repeat: int, trial: ObjectId) -> Work:
        """One trial's share. Raises CorruptContent."""
        if self.content.text is None:
            raise CorruptContent(f"The stored content of task {self.task.name!r} no longer matches its digest.")
        return Work(self.task.name, self.content.text, self.task.is_row, repeat, str(trial))


class CorruptContent(Exception):
    """Stored content that cannot be used."""


class Plans:
    """The plans that this process remembers: `services.shared(Plans)`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._plans: OrderedDict[ObjectId, JobPlan] = OrderedDict()

    async def close(self) -> None:
        """Forget everything."""
        self._plans.clear()

    async def find(self, job: ObjectId) -> JobPlan | None:
        """The plan of a job; None where there is no such job."""
        known = self._plans.get(job)
        if known is not None:
            self._plans.move_to_end(job)
            return known
        record = await jobs.find(self._services.database, job)
        if record is None:
            return None
        plan = JobPlan(record, await bound_metrics(self._services, record))
        self._plans[job] = plan
        while len(self._plans) > _REMEMBERED_PLANS:
            self._plans.popitem(last=False)
        return plan

    def forget(self, job: ObjectId) -> None:
        """Drop the plan of a job that was deleted."""
        self._plans.pop(job, None)

    async def task(self, plan: JobPlan, position: int) -> PlannedTask | None:
        """One task of a job's work list; None where the job was deleted meanwhile."""
        return (await self.tasks(plan, [position])).get(position)

    async def tasks(self, plan: JobPlan, positions: Iterable[int]) -> dict[int, PlannedTask]:
        """Tasks of a job's work list by position, in two queries for all that are not remembered."""
        wanted = set(positions)
        found = {position: plan.tasks[position] for position in wanted if position in plan.tasks}
        missing = wanted - found.keys()
        if missing:
            places = [(plan.job.id, position) for position in missing]
            rows = await job_tasks.find_at(self._services.database, places)
            loaded = await planned(self._services, plan.metrics, list(rows.values()))
            found |= {task.task.position: task for task in loaded}
            plan.tasks.update({task.task.position: task for task in loaded})
            while len(plan.tasks) > _REMEMBERED_TASKS:
                plan.tasks.popitem(last=False)
        return found


async def planned(
    services: Services, metrics: Mapping[str, BoundMetric], tasks: Sequence[JobTask]
) -> list[PlannedTask]:
    """Tasks with their contents and metrics."""
    found = await texts(services, {task.digest for task in tasks})
    return [
        PlannedTask(task, found[task.digest], tuple(metrics[ref] for ref in task.metrics if ref in metrics))
        for task in tasks
    ]


async def bound_metrics(services: Services, job: JobRecord) -> dict[str, BoundMetric]:
    """The metrics of a job by reference, as they were defined when it was submitted."""
    found = await texts(services, set(job.definitions.values()))
    bound: dict[str, BoundMetric] = {}
    for ref, digest in job.definitions.items():
        content = found[digest]
        if content.value is not None:
            bound[ref] = BoundMetric(ref, _definition(content.value))
    return bound


def _definition(value: Mapping[str, Any]) -> MetricDefinition:
    return check_metric(MetricType(value["type"]), value["config"])


async def texts(services: Services, digests: Iterable[str]) -> dict[str, Content]:
    """Stored contents by digest, through the cache of the process; a missing one is corrupt."""
    wanted = set(digests)
    cache = services.caches.contents
    found = {digest: known for digest in wanted if (known := cache.get(digest)) is not None}
    missing = sorted(wanted - found.keys())
    for start in range(0, len(missing), _BATCH):
        async for digest, content, _ in contents.read(services.database, missing[start : start + _BATCH]):
            found[digest] = content
            if not content.is_corrupt:
                cache.put(digest, content)
    return {digest: found.get(digest) or Content(digest, None, None) for digest in wanted}


def task_plan(task: PlannedTask) -> TaskPlan:
    """What statistics expect of a task."""
    value = task.content.value if not task.task.is_row and isinstance(task.content.value, dict) else None
    if value is None:
        row = task.content.value
        metadata = row if task.task.is_row and isinstance(row, dict) else {}
        return TaskPlan(task.task.name, task.task.digest, task.metrics, (), metadata)
    spec = value["spec"]
    annotations = {item["key"]: item["value"] for item in value["metadata"]}
    return TaskPlan(task.task.name, task.task.digest, task.metrics, tuple(spec.get("views") or ()), annotations)
