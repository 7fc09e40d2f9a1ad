"""What the client asks for below a field, so that a parent can load it before its children need it.

Type conditions are ignored: what is found may be more than what one type answers, never less.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import strawberry
from graphql import (
    BooleanValueNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    SelectionNode,
    SelectionSetNode,
    VariableNode,
)

from resolvers.context import Context

Info: TypeAlias = strawberry.Info[Context, None]

_WANTED: Final[Mapping[str, bool]] = {"include": True, "skip": False}


class Selection:
    """The fields selected at one place of a document, fragments opened and @skip and @include obeyed."""

    __slots__ = ("_document", "_fields")

    def __init__(self, document: "Document", nodes: Iterable[FieldNode]) -> None:
        self._document = document
        self._fields: dict[str, list[FieldNode]] = {}
        for node in nodes:
            for field in document.fields(node.selection_set):
                self._fields.setdefault(field.name.value, []).append(field)

    def has(self, *names: str) -> bool:
        """Whether any of the fields is selected here."""
        return any(name in self._fields for name in names)

    def below(self, *path: str) -> "Selection":
        """What is selected under a field, or under a path of fields."""
        found = self
        for name in path:
            found = Selection(self._document, found._fields.get(name, ()))
        return found

    def items(self) -> "Selection":
        """What is selected of each item of a connection, by `nodes` and by `edges { node }` together."""
        edges = self.below("edges")
        return Selection(self._document, [*self._fields.get("nodes", ()), *edges._fields.get("node", ())])


def selection(info: Info) -> Selection:
    """What is selected below the field that is being resolved."""
    raw = info._raw_info
    return Selection(Document(raw.fragments, info.variable_values), raw.field_nodes)


@dataclass(frozen=True, slots=True)
class Document:
    """What a selection needs of its surroundings: the fragments of the document and the variables of the operation."""

    fragments: Mapping[str, FragmentDefinitionNode]
    variables: Mapping[str, Any]

    def fields(self, selected: SelectionSetNode | None) -> Iterator[FieldNode]:
        """The fields of a selection set, in order, those of its fragments included."""
        for node in selected.selections if selected is not None else ():
            if node.directives and not self._is_included(node):
                continue
            if isinstance(node, FieldNode):
                yield node
            elif isinstance(node, InlineFragmentNode):
                yield from self.fields(node.selection_set)
            elif isinstance(node, FragmentSpreadNode):
                yield from self.fields(self.fragments[node.name.value].selection_set)

    def _is_included(self, node: SelectionNode) -> bool:
        for directive in node.directives or ():
            wanted = _WANTED.get(directive.name.value)
            condition = directive.arguments[0].value if directive.arguments else None
            if wanted is not None and self._holds(condition) is not wanted:
                return False
        return True

    def _holds(self, value: object) -> bool:
        if isinstance(value, VariableNode):
            return bool(self.variables.get(value.name.value))
        return isinstance(value, BooleanValueNode) and value.value
