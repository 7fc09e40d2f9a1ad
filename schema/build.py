"""The assembled schema."""

from __future__ import annotations

from typing import TypeAlias

import strawberry
from strawberry.schema.config import StrawberryConfig

from schema import errors, job_events, task_specs
from schema.mutation import Mutation
from schema.query import Query
from schema.scalars import SCALARS
from schema.subscription import Subscription

Schema: TypeAlias = strawberry.Schema


def build_schema() -> Schema:
    """The whole schema. Its extensions and limits are those of `schema.execution`, which runs it."""
    return Schema(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        types=[*errors.ERROR_TYPES, *task_specs.SPEC_TYPES, *job_events.EVENT_TYPES],
        config=StrawberryConfig(scalar_map=SCALARS),
    )
