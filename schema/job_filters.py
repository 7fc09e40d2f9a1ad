"""Which jobs a list should hold, and in which order."""

import strawberry

from resolvers import jobs as use_cases
from schema.enums import JobOrderField, JobStatus, TargetKind
from schema.filters import DateRange, MetadataMatch, OrderDirection, date_range, metadata_matches
from storage.pages import Order


@strawberry.input(description="Which jobs a list should hold; all conditions must be met.")
class JobFilter:
    status: list[JobStatus] | None = strawberry.field(description="Jobs that stand at one of these.")
    target_kind: TargetKind | None = strawberry.field(description="Jobs with a target of this kind.")
    target_name: str | None = strawberry.field(description="Jobs whose target has this name.")
    project: str | None = strawberry.field(description="The project label, whole.")
    taskset_name: str | None = strawberry.field(
        description="Jobs over any revision of this taskset: `name` (of the same workspace) or `workspace/name`."
    )
    taskset_digest: str | None = strawberry.field(description="Jobs over the taskset revision of this digest.")
    labels: list[MetadataMatch] | None = strawberry.field(
        description="Labels that the job must have; all of the conditions must hold."
    )
    created_at: DateRange | None = strawberry.field(description="When the job was submitted.")


@strawberry.input(description="The order of a list of jobs.")
class JobOrder:
    field: JobOrderField = strawberry.field(default=JobOrderField.CREATED_AT, description="What to sort by.")
    direction: OrderDirection = strawberry.field(default=OrderDirection.DESC, description="Which way to sort.")


def job_filter(input: JobFilter | None) -> use_cases.JobFilter | None:
    """The filter that the use cases understand; None where none was given."""
    if not input:
        return None
    return use_cases.JobFilter(
        status=input.status or (),
        target_kind=input.target_kind,
        target_name=input.target_name,
        project=input.project,
        taskset_name=input.taskset_name,
        taskset_digest=input.taskset_digest,
        labels=metadata_matches(input.labels),
        created_at=date_range(input.created_at),
    )


def job_order(input: JobOrder | None) -> Order:
    """The order that storage understands; newest first where none was given."""
    if not input:
        return Order(JobOrderField.CREATED_AT, descending=True)
    return Order(input.field, input.direction is OrderDirection.DESC)
