"""The assembled schema."""

from functools import cache
from typing import Final, TypeAlias

import strawberry
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.name_converter import NameConverter
from strawberry.utils.str_converters import to_camel_case

from schema import errors, job_events, task_specs
from schema.mutation import Mutation
from schema.query import Query
from schema.scalars import SCALARS
from schema.subscription import Subscription

Schema: TypeAlias = strawberry.Schema

_camel_case: Final = cache(to_camel_case)


class Names(NameConverter):
    """Remembers names: Strawberry asks for that of every field of every input, each time that one is sent."""

    def apply_naming_config(self, name: str) -> str:
        """A Python name as GraphQL has it."""
        return _camel_case(name)


@cache
def build_schema() -> Schema:
    """The whole schema, one for the process; its limits are those of `schema.execution`, which runs it."""
    return Schema(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        types=[*errors.ERROR_TYPES, *task_specs.SPEC_TYPES, *job_events.EVENT_TYPES],
        config=StrawberryConfig(scalar_map=SCALARS, name_converter=Names()),
    )
