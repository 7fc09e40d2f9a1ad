"""Metrics: stored, immutable scorers."""

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated

import strawberry

from domain.errors import Problems
from domain.errors import UserError as DomainError
from domain.names import DEFAULT_WORKSPACE
from resolvers import metrics as use_cases
from schema import tasks
from schema.arguments import WorkspaceName
from schema.connections import After, Before, Connection, Edge, First, Last, Offset, connect, request
from schema.enums import MetricType
from schema.errors import UserError, answer, reading
from schema.filters import DefinitionOrder, MetricFilter, metric_filter, order_of
from schema.metric_inputs import MetricInput, chosen, configuration, input_path
from schema.nodes import Node, global_id, register
from schema.scalars import JSON
from schema.selection import Info
from storage import records

if TYPE_CHECKING:
    from schema.tasks import TaskRevisionConnection


@strawberry.type(description="One number that a metric gives.")
class MetricOutput:
    name: str = strawberry.field(description="The name of the number, unique within its metric.")
    description: str | None = strawberry.field(description="What the number says.")
    minimum: float | None = strawberry.field(description="The least possible value, where it is known.")
    maximum: float | None = strawberry.field(description="The greatest possible value, where it is known.")


@strawberry.type(
    description=(
        "A stored scorer. It never changes: its name means one definition for ever, so pinning a task pins its "
        "grading too."
    )
)
class Metric(Node):
    record: strawberry.Private[records.MetricRecord]

    workspace: str = strawberry.field(description="The name of the workspace that it belongs to.")
    name: str = strawberry.field(description="The name, unique among the metrics of the workspace.")
    ref: str = strawberry.field(description="How tasks name it: `workspace/name`.")
    project: str | None = strawberry.field(description="A free label to group records by.")
    type: MetricType = strawberry.field(description="What it does.")
    description: str | None = strawberry.field(description="What it is for, at most 1000 characters.")
    labels: JSON = strawberry.field(description="Free annotations, a JSON object; outside the digest.")
    config: JSON = strawberry.field(
        description="The configuration as it is hashed: snake_case names, defaults filled in, secrets by name only."
    )
    digest: str = strawberry.field(
        description="SHA-256 over the canonical text of `{config, outputs, type}`, 64 lowercase hex digits."
    )
    is_retired: bool = strawberry.field(
        description="Deleted while revisions name it: no longer listed or nameable, but still scoring what names it."
    )
    created_at: datetime = strawberry.field(description="When it was created.")
    created_by: str | None = strawberry.field(description="The name of the token that created it.")

    @strawberry.field(description="The numbers that it gives, in order; the first is its headline.")
    def outputs(self) -> list[MetricOutput]:
        return [
            MetricOutput(name=o.name, description=o.description, minimum=o.minimum, maximum=o.maximum)
            for o in self.record.outputs
        ]

    @strawberry.field(description="The task revisions that name it and that the token may read, oldest first.")
    async def used_by(
        self, info: Info, first: First = 100, after: After = strawberry.UNSET
    ) -> Annotated["TaskRevisionConnection", strawberry.lazy("schema.tasks")]:
        page = await use_cases.used_by(info.context, self.record, request(first, after))
        count = partial(use_cases.count_used_by, info.context, self.record)
        return await tasks.connect_revisions(info, page, count)


@strawberry.type(description="One metric of a page.")
class MetricEdge(Edge[Metric]):
    pass


@strawberry.type(description="A page of metrics.")
class MetricConnection(Connection[Metric, MetricEdge]):
    edge_type = MetricEdge


def present_metric(record: records.MetricRecord) -> Metric:
    """The GraphQL object of a stored metric."""
    return Metric(
        record=record,
        id=global_id("Metric", record.id),
        workspace=record.workspace,
        name=record.name,
        ref=record.ref,
        project=record.project,
        type=record.type,
        description=record.description,
        labels=JSON(record.labels),
        config=JSON(record.config),
        digest=record.digest,
        is_retired=record.is_retired,
        created_at=record.created_at,
        created_by=record.created_by,
    )


register("Metric", present_metric)


@strawberry.type
class MetricQueries:
    @strawberry.field(description="A metric by its name, a retired one too; null where it is unknown or unreadable.")
    async def metric(
        self,
        info: Info,
        name: Annotated[str, strawberry.argument(description="The name of the metric.")],
        workspace: WorkspaceName = DEFAULT_WORKSPACE,
    ) -> Metric | None:
        record = await reading(use_cases.metric(info.context, workspace, name), "name")
        return None if record is None else present_metric(record)

    @strawberry.field(description="The metrics of a workspace, retired ones aside.")
    async def metrics(
        self,
        info: Info,
        workspace: WorkspaceName = DEFAULT_WORKSPACE,
        filter: Annotated[
            MetricFilter | None, strawberry.argument(description="Which metrics; absent means all.")
        ] = strawberry.UNSET,
        order_by: Annotated[
            DefinitionOrder | None, strawberry.argument(description="The order; absent means oldest first.")
        ] = strawberry.UNSET,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        last: Last = strawberry.UNSET,
        before: Before = strawberry.UNSET,
        offset: Offset = strawberry.UNSET,
    ) -> MetricConnection:
        page = request(first, after, last, before, offset)
        wanted = metric_filter(filter)
        found = await reading(use_cases.metrics(info.context, workspace, wanted, order_of(order_by), page), "filter")
        count = partial(use_cases.count_metrics, info.context, workspace, wanted)
        return connect(MetricConnection, found, present_metric, count)


@strawberry.input(description="A metric to create.")
class CreateMetricInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description="The workspace that it shall belong to.")
    name: str = strawberry.field(
        description="1 to 255 letters, digits, `_`, `-` or `.`; it means this definition for ever."
    )
    project: str | None = strawberry.field(description="A free label to group records by.")
    description: str | None = strawberry.field(description="What it is for, at most 1000 characters.")
    labels: JSON | None = strawberry.field(description="Free annotations, a JSON object; absent means none.")
    metric: MetricInput = strawberry.field(description="What it does.")


@strawberry.type(description="What `createMetric` did.")
class CreateMetricPayload:
    metric: Metric | None = strawberry.field(default=None, description="The metric; null on errors.")
    errors: list[UserError] = strawberry.field(
        default_factory=list, description="Why nothing was created; empty on success."
    )


@strawberry.input(description="A metric to delete.")
class DeleteMetricInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description="The workspace that it belongs to.")
    name: str = strawberry.field(description="The name of the metric.")


@strawberry.type(description="What `deleteMetric` did.")
class DeleteMetricPayload:
    deleted_id: strawberry.ID | None = strawberry.field(
        default=None, description="The id of the metric that was deleted or retired; null on errors."
    )
    errors: list[UserError] = strawberry.field(
        default_factory=list, description="Why nothing was deleted; empty on success."
    )


@strawberry.type
class MetricMutations:
    @strawberry.mutation(
        description="Create a metric. The same definition under a retired name brings that metric back."
    )
    async def create_metric(
        self,
        info: Info,
        input: Annotated[CreateMetricInput, strawberry.argument(description="The metric to create.")],
    ) -> CreateMetricPayload:
        return await answer(info.context, _create_metric(info, input), CreateMetricPayload)

    @strawberry.mutation(
        description="Delete a metric: its name becomes free, or, where a revision names it, the metric is retired."
    )
    async def delete_metric(
        self,
        info: Info,
        input: Annotated[DeleteMetricInput, strawberry.argument(description="The metric to delete.")],
    ) -> DeleteMetricPayload:
        return await answer(info.context, _delete_metric(info, input), DeleteMetricPayload)


async def _create_metric(info: Info, input: CreateMetricInput) -> CreateMetricPayload:
    kind, variant, value = chosen(input.metric)
    wanted = use_cases.CreateMetric(
        workspace=input.workspace,
        name=input.name,
        project=input.project,
        description=input.description,
        labels=input.labels,
        type=kind,
        config=configuration(value),
    )
    try:
        record = await use_cases.create_metric(info.context, wanted)
    except (Problems, DomainError) as problem:
        for error in problem.errors if isinstance(problem, Problems) else [problem]:
            if error.path[:1] == ("metric",):
                error.path = ("metric", *input_path(error.path[1:], variant, value))
        raise
    return CreateMetricPayload(metric=present_metric(record))


async def _delete_metric(info: Info, input: DeleteMetricInput) -> DeleteMetricPayload:
    identity = await use_cases.delete_metric(info.context, input.workspace, input.name)
    return DeleteMetricPayload(deleted_id=global_id("Metric", identity))
