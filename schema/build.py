"""The assembled schema."""

from __future__ import annotations

import strawberry
from strawberry.schema.config import StrawberryConfig

from schema import errors, task_specs
from schema.mutation import Mutation
from schema.query import Query
from schema.scalars import SCALARS


def build_schema() -> strawberry.Schema:
    """The whole schema. Its extensions and limits are those of `schema.execution`, which runs it."""
    return strawberry.Schema(
        query=Query,
        mutation=Mutation,
        types=[*errors.ERROR_TYPES, *task_specs.SPEC_TYPES],
        config=StrawberryConfig(scalar_map=SCALARS),
    )
