"""Rows of an uploaded file, read by the input type that the same task has in a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from graphql import GraphQLError, GraphQLInputType, Undefined, coerce_input_value
from graphql.utilities import validate_input_value
from strawberry.types.arguments import convert_argument

from domain.errors import Collector, InvalidInput
from schema.selection import Info

Input = TypeVar("Input")
Row = TypeVar("Row")


def row_reader(info: Info, input: type[Input], present: Callable[[Input], Row]) -> Callable[[object], Row]:
    """A function that turns a parsed JSON value into what `present` makes of the input.

    It raises Problems (or one InvalidInput) for what a request with this value would be refused for, with paths from
    the row.
    """
    schema = info.schema
    expected = cast(GraphQLInputType, schema._schema.get_type(input.__name__))
    scalars = schema.schema_converter.scalar_registry

    def read(value: object) -> Row:
        try:
            coerced = coerce_input_value(value, expected)
        except GraphQLError as error:
            raise InvalidInput(error.message) from None
        if coerced is Undefined:
            _refuse(value, expected)
        return present(cast(Input, convert_argument(coerced, input, scalars, schema.config)))

    return read


def _refuse(value: object, expected: GraphQLInputType) -> None:
    problems = Collector()

    def found(error: GraphQLError, path: list[str | int]) -> None:
        problems.add(InvalidInput(error.message, path))

    validate_input_value(value, expected, found)
    problems.finish()
