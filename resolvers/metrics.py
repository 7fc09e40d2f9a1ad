"""Metrics: find, list, create, delete, and who uses them."""

from dataclasses import dataclass
from typing import Any

from domain.canonical import bounded_text, check_json
from domain.errors import Collector, InvalidInput, Problems, UserError
from domain.metrics import MetricType, check_metric
from domain.names import check_name
from evaluation.template_checks import check_metric_templates
from resolvers.context import Context
from resolvers.workspaces import check_description, writable
from storage import metrics as storage
from storage.driver import ObjectId
from storage.filters import MetricFilter, metric_query, readable_users
from storage.pages import Order, OrderField, PageRequest
from storage.records import MetricRecord, Page, Revision


@dataclass(frozen=True, slots=True)
class CreateMetric:
    """A metric as handed in; `config` holds the snake_case fields of the type's configuration."""

    workspace: str
    name: str
    type: MetricType
    config: dict[str, Any]
    project: str | None = None
    description: str | None = None
    labels: Any = None


async def metric(context: Context, workspace: str, name: str) -> MetricRecord | None:
    """The metric of this name, retired or not; None where it does not exist for the viewer."""
    if not context.viewer.reads(workspace):
        return None
    return await storage.find(context.services.database, workspace, name)


async def metrics(
    context: Context, workspace: str, filter: MetricFilter | None, order: Order, page: PageRequest
) -> Page[MetricRecord]:
    """The metrics of a workspace that are not retired; one is never updated, so that order is the order of creation.

    Raises BadUserInput for a bad page.
    """
    if order.field == OrderField.UPDATED_AT:
        order = Order(OrderField.CREATED_AT, order.descending)
    if not context.viewer.reads(workspace):
        page.check()
        return Page((), (), False, False)
    return await storage.page(context.services.database, metric_query(workspace, filter), order, page)


async def count_metrics(context: Context, workspace: str, filter: MetricFilter | None) -> int:
    """How many metrics `metrics` lists in all."""
    if not context.viewer.reads(workspace):
        return 0
    return int(await context.services.database["metrics"].count_documents(metric_query(workspace, filter)))


async def used_by(context: Context, record: MetricRecord, page: PageRequest) -> Page[Revision]:
    """The task revisions that name a metric, oldest first, in the workspaces that the viewer may read."""
    return await storage.users(context.services.database, _users(context, record), page)


async def count_used_by(context: Context, record: MetricRecord) -> int:
    """How many task revisions `used_by` lists in all."""
    return int(await context.services.database["task_revisions"].count_documents(_users(context, record)))


async def create_metric(context: Context, wanted: CreateMetric) -> MetricRecord:
    """Store an immutable definition. Raises Problems, AlreadyExists, NotFound, Refused.

    Problems of the configuration have paths that start with `metric`, followed by its snake_case fields.
    """
    await writable(context, wanted.workspace)
    problems = Collector()
    problems.attempt(check_name, wanted.name, ("name",), "metric name")
    problems.attempt(check_description, wanted.description)
    problems.attempt(check_json, wanted.project, ("project",))
    problems.attempt(_check_labels, wanted.labels)
    try:
        definition = check_metric(wanted.type, wanted.config)
        check_metric_templates(definition.configuration)
    except (UserError, Problems) as error:
        problems.add(error, "metric")
    problems.finish()
    return await storage.create(
        context.services,
        wanted.workspace,
        wanted.name,
        definition,
        project=wanted.project,
        description=wanted.description,
        labels={} if wanted.labels is None else wanted.labels,
        actor=context.actor,
    )


async def delete_metric(context: Context, workspace: str, name: str) -> ObjectId:
    """Free a metric's name, or retire it where a revision names it. Raises NotFound, Refused."""
    await writable(context, workspace)
    return await storage.delete(context.services, workspace, name)


def _check_labels(labels: Any) -> None:
    if labels is None:
        return
    if not isinstance(labels, dict):
        raise InvalidInput("Must be a JSON object.", ("labels",))
    bounded_text(check_json(labels, ("labels",)), ("labels",), "label object")


def _users(context: Context, record: MetricRecord) -> dict[str, Any]:
    return {"metrics": record.ref, **readable_users(context.viewer.readable_workspaces())}
