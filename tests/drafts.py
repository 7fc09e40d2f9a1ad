"""Content that tests publish, in one line each."""

from collections.abc import Sequence

from domain.content import EvaluatorDraft, MetadataItem, TaskDraft, TasksetDraft
from domain.metrics import MetricType
from resolvers.context import Context
from resolvers.metrics import CreateMetric, create_metric
from resolvers.tasks import create_task
from storage.publications import Published
from storage.records import MetricRecord

GEOGRAPHY = "Answer the user's geography question with the capital city."
SUITE_DESCRIPTION = "Geography questions for smoke-testing the agent."
SUITE = (MetadataItem("suite", "geography"),)


def task(instruction: str | None, *, metrics: Sequence[str] = (), tags: Sequence[str] = ()) -> TaskDraft:
    """An evaluator task of the geography suite."""
    return TaskDraft(EvaluatorDraft(GEOGRAPHY, instruction, metrics=metrics), SUITE, tags)


def suite(*tasks: str, description: str | None = SUITE_DESCRIPTION, tags: Sequence[str] = ()) -> TasksetDraft:
    """A taskset of the given references."""
    return TasksetDraft(description, tasks, tags=tags)


async def stored_metric(context: Context, name: str = "answer-exact-match", reference: str = "{{x}}") -> MetricRecord:
    """An exact-match metric in `default`."""
    return await create_metric(context, CreateMetric("default", name, MetricType.EXACT_MATCH, {"reference": reference}))


async def stored_tasks(context: Context, count: int, prefix: str = "t") -> list[Published]:
    """`count` tasks named `<prefix>0`, `<prefix>1`, …, each with content of its own."""
    return [await create_task(context, "default", f"{prefix}{n}", None, task(f"{prefix}{n}")) for n in range(count)]
