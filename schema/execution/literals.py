"""Arguments read from a document and its variables, by functions that are made once per field.

Only what is common is done here: values that are variables, plain constants, or input objects of such. Whatever else
occurs, or is wrong, is left to graphql-core, which also says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final, TypeAlias

from graphql import (
    FieldNode,
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLNonNull,
    NullValueNode,
    ObjectValueNode,
    Undefined,
    ValueNode,
    VariableNode,
    is_leaf_type,
)
from graphql.utilities import coerce_input_literal
from graphql.utilities.coerce_input_value import coerce_default_value

Variables: TypeAlias = Mapping[str, Any]
Read: TypeAlias = Callable[[Variables], Any]

# Constants that nobody can change, so that all executions may have the same.
_IMMUTABLE: Final = (str, int, float, Enum, type(None))


class Uncommon(Exception):
    """A value that graphql-core has to look at."""


def argument_reader(definition: GraphQLField, node: FieldNode) -> Callable[[Variables], dict[str, Any]] | None:
    """Reads a field's arguments; raises Uncommon under variables, or is None where graphql-core has to."""
    nodes = {argument.name.value: argument.value for argument in node.arguments or ()}
    try:
        return _entries(definition.args, nodes)
    except Uncommon:
        return None


def _entries(
    definitions: Mapping[str, GraphQLArgument] | Mapping[str, GraphQLInputField], nodes: Mapping[str, ValueNode]
) -> Callable[[Variables], dict[str, Any]]:
    constants: dict[str, Any] = {}
    rows: list[tuple[str, Read]] = []
    for name, definition in definitions.items():
        key = definition.out_name or name
        value = _constant(definition, nodes.get(name))
        if value is not Undefined:
            constants[key] = value
        elif name in nodes:
            rows.append((key, _value(nodes[name], definition.type)))

    def read(variables: Variables) -> dict[str, Any]:
        values = constants.copy()
        for key, value in rows:
            values[key] = value(variables)
        return values

    return read


def _constant(definition: GraphQLArgument | GraphQLInputField, node: ValueNode | None) -> Any:
    """What an argument is under all variables; Undefined where it depends on them, or is left out."""
    if node is None:
        default = coerce_default_value(definition)
        if default is Undefined and isinstance(definition.type, GraphQLNonNull):
            raise Uncommon
        return default
    if isinstance(node, NullValueNode) and not isinstance(definition.type, GraphQLNonNull):
        return None
    if isinstance(node, VariableNode) or not is_leaf_type(_nullable(definition.type)):
        return Undefined
    value = coerce_input_literal(node, definition.type)
    if not isinstance(value, _IMMUTABLE):
        raise Uncommon
    return value


def _value(node: ValueNode, type_: GraphQLInputType) -> Read:
    if isinstance(node, VariableNode):
        return _variable(node.name.value, isinstance(type_, GraphQLNonNull))
    inner = _nullable(type_)
    if not isinstance(inner, GraphQLInputObjectType) or inner.is_one_of or not isinstance(node, ObjectValueNode):
        raise Uncommon
    nodes = {field.name.value: field.value for field in node.fields}
    if not nodes.keys() <= inner.fields.keys():
        raise Uncommon
    read = _entries(inner.fields, nodes)
    return lambda variables: inner.out_type(read(variables))


def _variable(name: str, is_required: bool) -> Read:
    def read(variables: Variables) -> Any:
        value = variables.get(name, Undefined)
        if value is Undefined or (value is None and is_required):
            raise Uncommon
        return value

    return read


def _nullable(type_: GraphQLInputType) -> Any:
    return type_.of_type if isinstance(type_, GraphQLNonNull) else type_
