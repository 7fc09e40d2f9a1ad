"""Completing scalars and enums: a value that already is what JSON carries is answered as it is."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from graphql import (
    GRAPHQL_MAX_INT,
    GRAPHQL_MIN_INT,
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLID,
    GraphQLInt,
    GraphQLLeafType,
    GraphQLNonNull,
    GraphQLOutputType,
    GraphQLString,
    Undefined,
)

from schema.execution.sites import Site
from schema.execution.trails import Trail

if TYPE_CHECKING:
    from schema.execution.planned import PlannedExecutor
    from schema.execution.selections import Completer

# Numbers are not among them: an Int has bounds, a Float must be finite.
_EXACT: Final[tuple[tuple[GraphQLOutputType, type], ...]] = (
    (GraphQLString, str),
    (GraphQLID, str),
    (GraphQLBoolean, bool),
)


def exact_class(type_: GraphQLOutputType) -> type | None:
    """The class whose values need no completion at a place of this type."""
    inner = type_.of_type if isinstance(type_, GraphQLNonNull) else type_
    return next((exact for leaf, exact in _EXACT if leaf is inner), None)


def leaf_completer(site: Site, type_: GraphQLOutputType, leaf: GraphQLLeafType) -> Completer:
    """Completes the values of a scalar or an enum; `type_` is the same type with its non-null."""
    if leaf is GraphQLInt:
        return _integer_completer(site, type_)
    names = _names(leaf)
    coerce = leaf.coerce_output_value

    def complete(executor: PlannedExecutor, value: Any, trail: Trail) -> Any:
        if value.__class__ in names:
            return names[value.__class__][value]
        if value is None or value is Undefined or isinstance(value, Exception):
            return site.complete(executor, type_, value, trail)
        completed = coerce(value)
        return site.complete(executor, type_, value, trail) if completed is None else completed

    return complete


def _integer_completer(site: Site, type_: GraphQLOutputType) -> Completer:
    def complete(executor: PlannedExecutor, value: Any, trail: Trail) -> Any:
        if value.__class__ is int and GRAPHQL_MIN_INT <= value <= GRAPHQL_MAX_INT:
            return value
        return site.complete(executor, type_, value, trail)

    return complete


def _names(leaf: GraphQLLeafType) -> dict[type, dict[Any, str]]:
    """The names of an enum's members, by their Python class."""
    members = getattr(leaf, "wrapped_cls", None)
    if not isinstance(leaf, GraphQLEnumType) or not (isinstance(members, type) and issubclass(members, Enum)):
        return {}
    return {members: {member: leaf.coerce_output_value(member) for member in members}}
