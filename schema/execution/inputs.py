"""Arguments as resolvers take them: GraphQL's coerced values turned into Strawberry's input objects.

Strawberry looks at the type of every value each time that it converts one. Here the way of each type is found once.
Types with a way of their own (`from_input`, `Maybe`, global ids) are left to Strawberry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING
from functools import cached_property
from typing import Any, TypeAlias, cast

import strawberry
from strawberry.relay import GlobalID
from strawberry.scalars import is_scalar
from strawberry.schema.schema_converter import GraphQLCoreConverter
from strawberry.types.arguments import StrawberryArgument, convert_argument
from strawberry.types.base import (
    StrawberryList,
    StrawberryMaybe,
    StrawberryObjectDefinition,
    StrawberryOptional,
    StrawberryType,
    has_object_definition,
)
from strawberry.types.enum import StrawberryEnumDefinition, has_enum_definition
from strawberry.types.lazy_type import LazyType

Convert: TypeAlias = Callable[[Any], Any]


class Inputs:
    """The conversions of one schema's input types, each made when it is first needed."""

    def __init__(self, converter: GraphQLCoreConverter) -> None:
        self._registry = converter.scalar_registry
        self.config = converter.config
        self._objects: dict[type, InputObject] = {}

    def arguments(self, arguments: Sequence[StrawberryArgument]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
        """The function that turns a field's coerced arguments into what its resolver is called with."""
        rows = [
            (self.config.name_converter.from_argument(each), each.python_name, self.conversion(each.type))
            for each in arguments
        ]

        def convert(values: Mapping[str, Any]) -> dict[str, Any]:
            return {
                python_name: _converted(conversion, values[name])
                for name, python_name, conversion in rows
                if name in values
            }

        return convert

    def conversion(self, type_: StrawberryType | type) -> Convert | None:
        """How values of a type are converted that are neither null nor absent; None where they stay as they are."""
        if isinstance(type_, LazyType):
            return self.conversion(type_.resolve_type())
        if isinstance(type_, StrawberryMaybe) or type_ is GlobalID:
            return self._by_strawberry(type_)
        if isinstance(type_, StrawberryOptional):
            return self.conversion(type_.of_type)
        if isinstance(type_, StrawberryList):
            return self._list(self.conversion(type_.of_type))
        if (
            isinstance(type_, StrawberryEnumDefinition)
            or is_scalar(type_, self._registry)
            or has_enum_definition(type_)
        ):
            return None
        return self._object(type_)

    def _by_strawberry(self, type_: StrawberryType | type) -> Convert:
        return lambda value: convert_argument(value, type_, self._registry, self.config)

    def _list(self, conversion: Convert | None) -> Convert:
        if conversion is None:
            # Copied, since graphql-core gives everybody the same default.
            return list
        return lambda values: [_converted(conversion, value) for value in values]

    def _object(self, type_: StrawberryType | type) -> Convert:
        if not has_object_definition(type_) or type_.__strawberry_definition__.from_input is not None:
            return self._by_strawberry(type_)
        cls = cast("type", type_)
        if cls not in self._objects:
            self._objects[cls] = InputObject(cls, type_.__strawberry_definition__, self)
        return self._objects[cls].convert


class InputObject:
    """The conversion of one input type; its fields are looked at when it is first used, since inputs may nest."""

    def __init__(self, cls: type, definition: StrawberryObjectDefinition, inputs: Inputs) -> None:
        self._cls = cls
        self._definition = definition
        self._inputs = inputs

    def convert(self, value: Mapping[str, Any]) -> Any:
        """The input object; what was not sent has its default, null where it has none."""
        given = self._absent.copy()
        for name, each in value.items():
            python_name, conversion = self._fields[name]
            given[python_name] = _converted(conversion, each)
        return self._cls(**given)

    @cached_property
    def _fields(self) -> dict[str, tuple[str, Convert | None]]:
        name_of = self._inputs.config.name_converter.from_field
        return {
            name_of(field): (
                field.python_name,
                self._inputs.conversion(field.resolve_type(type_definition=self._definition)),
            )
            for field in self._definition.fields
        }

    @cached_property
    def _absent(self) -> dict[str, Any]:
        return {
            field.python_name: None
            for field in self._definition.fields
            if field.default_value is MISSING and field.default_factory is MISSING
        }


def _converted(conversion: Convert | None, value: Any) -> Any:
    return value if conversion is None or value is None or value is strawberry.UNSET else conversion(value)
