"""What lists can be narrowed by and sorted by."""

from datetime import datetime
from enum import Enum

import strawberry

from domain.outcomes import ABSENT
from schema.enums import MetricType, OrderField, TaskKind
from schema.scalars import JSON
from storage import filters
from storage.pages import Order

_CONTAINS = "Part of the name, case-sensitive."
_PREFIX = "Beginning of the name, case-sensitive."
_PROJECT = "The project label, whole."
_METADATA = "Metadata that the latest revision must have; all of the conditions must hold."
_TAG = "A tag that the record must have."
_CREATED = "When the record was created."
_UPDATED = "When the record was last published or tagged."


@strawberry.enum(description="Which way a list runs.")
class OrderDirection(Enum):
    ASC = strawberry.enum_value("asc", description="From small to great, from old to new.")
    DESC = strawberry.enum_value("desc", description="From great to small, from new to old.")


@strawberry.input(description="The order of a list of metrics, tasks or tasksets.")
class DefinitionOrder:
    field: OrderField = strawberry.field(default=OrderField.CREATED_AT, description="What to sort by.")
    direction: OrderDirection = strawberry.field(default=OrderDirection.ASC, description="Which way to sort.")


def order_of(input: DefinitionOrder | None) -> Order:
    """The order that was asked for; oldest first where none was."""
    return Order(input.field, input.direction is OrderDirection.DESC) if input else Order()


@strawberry.input(description="A range of times, both ends included; an absent end is open.")
class DateRange:
    gte: datetime | None = strawberry.field(description="This time or later.")
    lte: datetime | None = strawberry.field(description="This time or earlier.")


@strawberry.input(description="A condition on the metadata of a record.")
class MetadataMatch:
    key: str = strawberry.field(description="A key that must be present.")
    value: JSON | None = strawberry.field(
        default=strawberry.UNSET,
        description="The value that it must have, compared exactly (`1` is not `1.0`); absent means any.",
    )


@strawberry.input(description="Which tasks a list should hold; all conditions must be met.")
class TaskFilter:
    name_contains: str | None = strawberry.field(description=_CONTAINS)
    name_prefix: str | None = strawberry.field(description=_PREFIX)
    kind: TaskKind | None = strawberry.field(description="The kind of the latest revision.")
    project: str | None = strawberry.field(description=_PROJECT)
    metadata: list[MetadataMatch] | None = strawberry.field(description=_METADATA)
    metric: str | None = strawberry.field(
        description="A metric that the latest revision names: `name` (of the same workspace) or `workspace/name`."
    )
    tag: str | None = strawberry.field(description=_TAG)
    created_at: DateRange | None = strawberry.field(description=_CREATED)
    updated_at: DateRange | None = strawberry.field(description=_UPDATED)


@strawberry.input(description="Which tasksets a list should hold; all conditions must be met.")
class TasksetFilter:
    name_contains: str | None = strawberry.field(description=_CONTAINS)
    name_prefix: str | None = strawberry.field(description=_PREFIX)
    project: str | None = strawberry.field(description=_PROJECT)
    metadata: list[MetadataMatch] | None = strawberry.field(description=_METADATA)
    tag: str | None = strawberry.field(description=_TAG)
    created_at: DateRange | None = strawberry.field(description=_CREATED)
    updated_at: DateRange | None = strawberry.field(description=_UPDATED)


@strawberry.input(description="Which metrics a list should hold; all conditions must be met.")
class MetricFilter:
    name_contains: str | None = strawberry.field(description=_CONTAINS)
    name_prefix: str | None = strawberry.field(description=_PREFIX)
    project: str | None = strawberry.field(description=_PROJECT)
    type: MetricType | None = strawberry.field(description="What the metric does.")


def head_filter(input: TaskFilter | TasksetFilter | None) -> filters.HeadFilter | None:
    """The filter that storage understands; None where none was given."""
    if not input:
        return None
    return filters.HeadFilter(
        name_contains=input.name_contains,
        name_prefix=input.name_prefix,
        project=input.project,
        kind=input.kind if isinstance(input, TaskFilter) else None,
        metadata=metadata_matches(input.metadata),
        metric=input.metric if isinstance(input, TaskFilter) else None,
        tag=input.tag,
        created_at=date_range(input.created_at),
        updated_at=date_range(input.updated_at),
    )


def metric_filter(input: MetricFilter | None) -> filters.MetricFilter | None:
    """The filter that storage understands; None where none was given."""
    if not input:
        return None
    return filters.MetricFilter(input.name_contains, input.name_prefix, input.project, input.type)


def date_range(input: DateRange | None) -> filters.DateRange | None:
    """A range of times; None where none was given."""
    return filters.DateRange(input.gte, input.lte) if input else None


def metadata_matches(inputs: list[MetadataMatch] | None) -> list[filters.MetadataMatch]:
    """Conditions on metadata, an absent value kept apart from null."""
    return [
        filters.MetadataMatch(match.key, ABSENT if match.value is strawberry.UNSET else match.value)
        for match in inputs or ()
    ]
