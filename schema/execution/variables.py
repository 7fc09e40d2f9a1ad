"""The variables of an operation, coerced without looking at their definitions again each time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from graphql import GraphQLError, GraphQLNonNull, GraphQLSchema, OperationDefinitionNode, Undefined
from graphql.execution import VariableValues, get_variable_values
from graphql.execution.get_variable_signature import GraphQLVariableSignature, get_variable_signature
from graphql.execution.values import VariableValueSource, input_is_nested_too_deeply
from graphql.utilities import coerce_input_value

_MOST_ERRORS: Final = 50


class Variables:
    """The definitions of one operation's variables."""

    __slots__ = ("_definitions", "_schema", "_signatures")

    def __init__(self, schema: GraphQLSchema, operation: OperationDefinitionNode) -> None:
        self._schema = schema
        self._definitions = operation.variable_definitions or ()
        found = [get_variable_signature(schema, definition) for definition in self._definitions]
        self._signatures = [each for each in found if isinstance(each, GraphQLVariableSignature)]

    def coerce(self, given: Mapping[str, Any], *, hide_suggestions: bool) -> VariableValues | list[GraphQLError]:
        """The values under what a client sent, or everything that is wrong with that."""
        try:
            found = self._common(given)
        except (GraphQLError, RecursionError):
            found = None
        # None for a default to fill in, or an error to explain.
        return found or get_variable_values(
            self._schema,
            self._definitions,
            dict(given),
            max_errors=_MOST_ERRORS,
            hide_suggestions=hide_suggestions,
        )

    def _common(self, given: Mapping[str, Any]) -> VariableValues | None:
        sources: dict[str, VariableValueSource] = {}
        coerced: dict[str, Any] = {}
        for signature in self._signatures:
            value = given.get(signature.name, Undefined)
            if value is Undefined:
                if signature.default is not None or isinstance(signature.type, GraphQLNonNull):
                    return None
                sources[signature.name] = VariableValueSource(signature)
                continue
            if input_is_nested_too_deeply(value, signature.type):
                return None
            sources[signature.name] = VariableValueSource(signature, value)
            coerced[signature.name] = coerce_input_value(value, signature.type)
        return None if any(value is Undefined for value in coerced.values()) else VariableValues(sources, coerced)
