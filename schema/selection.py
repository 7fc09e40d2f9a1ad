"""What the client asks for below a field, so that a parent can load it before its children need it.

Type conditions are ignored: what is found may be more than what one type answers, never less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import strawberry
from graphql import (
    BooleanValueNode,
    FieldNode,
    FragmentSpreadNode,
    GraphQLResolveInfo,
    InlineFragmentNode,
    SelectionNode,
    SelectionSetNode,
    VariableNode,
)

from resolvers.context import Context

Info: TypeAlias = strawberry.Info[Context, None]


class Selection:
    """The fields selected at one place of a document, fragments opened and @skip and @include obeyed."""

    __slots__ = ("_fields", "_info")

    def __init__(self, info: GraphQLResolveInfo[Context], nodes: Iterable[FieldNode]) -> None:
        self._info = info
        self._fields: dict[str, list[FieldNode]] = {}
        for node in nodes:
            for field in _fields(info, node.selection_set):
                self._fields.setdefault(field.name.value, []).append(field)

    def __bool__(self) -> bool:
        return bool(self._fields)

    def has(self, *names: str) -> bool:
        """Whether any of the fields is selected here."""
        return any(name in self._fields for name in names)

    def below(self, *path: str) -> Selection:
        """What is selected under a field, or under a path of fields."""
        found = self
        for name in path:
            found = Selection(self._info, found._fields.get(name, ()))
        return found

    def items(self) -> Selection:
        """What is selected of each item of a connection, by `nodes` and by `edges { node }` together."""
        edges = Selection(self._info, self._fields.get("edges", ()))
        return Selection(self._info, [*self._fields.get("nodes", ()), *edges._fields.get("node", ())])


def selection(info: Info) -> Selection:
    """What is selected below the field that is being resolved."""
    raw = info._raw_info
    return Selection(raw, raw.field_nodes)


def _fields(info: GraphQLResolveInfo[Context], selected: SelectionSetNode | None) -> Iterator[FieldNode]:
    for node in selected.selections if selected is not None else ():
        if node.directives and not _is_included(node, info.variable_values.coerced):
            continue
        if isinstance(node, FieldNode):
            yield node
        elif isinstance(node, InlineFragmentNode):
            yield from _fields(info, node.selection_set)
        elif isinstance(node, FragmentSpreadNode):
            yield from _fields(info, info.fragments[node.name.value].selection_set)


_WANTED: Final[Mapping[str, bool]] = {"include": True, "skip": False}


def _is_included(node: SelectionNode, variables: Mapping[str, Any]) -> bool:
    for directive in node.directives or ():
        wanted = _WANTED.get(directive.name.value)
        condition = directive.arguments[0].value if directive.arguments else None
        if wanted is not None and _condition(condition, variables) is not wanted:
            return False
    return True


def _condition(value: object, variables: Mapping[str, Any]) -> bool:
    if isinstance(value, VariableNode):
        return bool(variables.get(value.name.value))
    return isinstance(value, BooleanValueNode) and value.value
