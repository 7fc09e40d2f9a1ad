"""One walk over a document that finds how deep, how wide and how costly each operation is.

Fragments are measured once and the result is reused, so a document of fragments that spread each other many times is
measured in linear time although its expansion is exponential.
"""

from dataclasses import dataclass, field
from typing import Final

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLNamedType,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
)

from schema.execution.cost import Weight, field_weight
from schema.execution.types import field_definition, named, root_type, type_named

INTROSPECTION: Final = ("__schema", "__type")


@dataclass(slots=True)
class Size:
    """What one selection set amounts to with its fragments expanded. Depth counts fields, the leaf included."""

    depth: int = 0
    aliases: int = 0
    fields: int = 0
    weight: Weight = field(default_factory=Weight)


class Measurement:
    """Measures the operations of one document against one schema."""

    def __init__(self, schema: GraphQLSchema, document: DocumentNode) -> None:
        self.schema = schema
        self.fragments = {
            node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
        }
        self.measured: dict[str, Size] = {}
        self.open: set[str] = set()

    def operation(self, node: OperationDefinitionNode) -> Size:
        """The size of one operation; unknown fields and fragment cycles count nothing (validation names them)."""
        return self._selection_set(node.selection_set, root_type(self.schema, node))

    def _selection_set(self, node: SelectionSetNode, parent: GraphQLNamedType | None) -> Size:
        size = Size()
        for selection in node.selections:
            self._add(size, selection, parent)
        return size

    def _add(self, size: Size, selection: SelectionNode, parent: GraphQLNamedType | None) -> None:
        if isinstance(selection, FieldNode):
            self._add_field(size, selection, parent)
        elif isinstance(selection, InlineFragmentNode):
            condition = selection.type_condition
            inner = type_named(self.schema, condition.name.value) if condition else parent
            _merge(size, self._selection_set(selection.selection_set, inner))
        else:
            name = selection.name.value  # type: ignore[attr-defined]
            if name in self.fragments and name not in self.open:
                _merge(size, self._fragment(name))

    def _fragment(self, name: str) -> Size:
        if name not in self.measured:
            node = self.fragments[name]
            self.open.add(name)
            condition = type_named(self.schema, node.type_condition.name.value)
            self.measured[name] = self._selection_set(node.selection_set, condition)
            self.open.discard(name)
        return self.measured[name]

    def _add_field(self, size: Size, node: FieldNode, parent: GraphQLNamedType | None) -> None:
        size.fields += 1
        size.aliases += node.alias is not None
        definition = field_definition(self.schema, parent, node.name.value)
        if node.selection_set is None:
            size.depth = max(size.depth, 1)
            return
        inner = self._selection_set(node.selection_set, named(definition.type) if definition else None)
        size.aliases += inner.aliases
        if node.name.value not in INTROSPECTION:
            size.depth = max(size.depth, 1 + inner.depth)
        if definition is not None:
            size.weight.parts.append(field_weight(node, definition, parent, inner.weight))


def _merge(size: Size, other: Size) -> None:
    size.depth = max(size.depth, other.depth)
    size.aliases += other.aliases
    size.fields += other.fields
    size.weight.parts.append(other.weight)
