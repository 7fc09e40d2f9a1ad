"""Jobs for tests: services over an empty database, a runner's job of any size, and reports for it."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

from domain.content import EvaluatorDraft, HarborDraft, TaskDraft, TasksetDraft
from domain.jobs import JobOptions
from domain.metrics import MetricType
from domain.targets import TargetKind
from domain.trials import TrialOutcome
from resolvers.context import Context
from resolvers.leases import Handout, lease_trials, report_trial
from resolvers.metrics import CreateMetric, create_metric
from resolvers.submission import InlineTask, SubmitJob, submit_job
from resolvers.tasks import create_task
from resolvers.tasksets import create_taskset
from storage.driver import Database
from storage.jobs import JobRecord
from storage.services import Services, open_services
from storage.trials import TrialRecord

RUNNER = (TargetKind.RUNNER, {"name": "robot"})
MATCH = {"candidate": "{{ sample.output_text }}", "reference": "{{ item.reference.expected }}"}


@contextlib.asynccontextmanager
async def open_context(database: Database) -> AsyncIterator[Context]:
    """A context over services of its own, as another server would have them."""
    services: Services = await open_services(database.client, database.name)
    try:
        yield Context(services)
    finally:
        await services.close()


def harbor(number: int = 0) -> TaskDraft:
    """A task that only runners execute, different for each number."""
    return TaskDraft(HarborDraft("default/packages#task", f"{number:064x}"))


def question(text: str, expected: str, metrics: Sequence[str] = ("match",)) -> TaskDraft:
    """A task with a prompt and a truth."""
    return TaskDraft(EvaluatorDraft(text, reference={"expected": expected}, metrics=metrics))


async def match_metric(context: Context, name: str = "match") -> None:
    """An exact match of the output with the truth."""
    await create_metric(context, CreateMetric("default", name, MetricType.EXACT_MATCH, dict(MATCH)))


async def runner_job(context: Context, tasks: int = 3, options: JobOptions | None = None, **given: Any) -> JobRecord:
    """A job of harbor tasks for the runner `robot`."""
    wanted = SubmitJob(
        workspace="default",
        fingerprint="",
        tasks=[InlineTask(f"task-{number}", harbor(number)) for number in range(tasks)],
        target=RUNNER,
        options=options or JobOptions(max_concurrency=1000),
        **given,
    )
    return await submit_job(context, wanted)


async def geography(context: Context, size: int = 3) -> None:
    """A taskset `geography` of tasks `q0`, `q1`, … whose expected answers are `a0`, `a1`, …"""
    await match_metric(context)
    for number in range(size):
        await create_task(context, "default", f"q{number}", None, question(f"Question {number}?", f"a{number}"))
    draft = TasksetDraft(tasks=[f"q{number}" for number in range(size)])
    await create_taskset(context, "default", "geography", None, draft)


async def lease(context: Context, job: JobRecord, count: int = 1, seconds: float = 60) -> list[Handout]:
    """Trials of a job for the runner `robot`."""
    return await lease_trials(context, job.id, "default", "robot", count, seconds)


async def report(context: Context, handout: Handout, outcome: TrialOutcome | None = None) -> TrialRecord:
    """The end of a leased trial, by default with a reward of 1."""
    return await report_trial(context, handout.leased.token.text, outcome or TrialOutcome(reward=1.0))
