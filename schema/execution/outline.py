"""A document without its literals, fit for a trace: what was asked is seen, with which values is not."""

from collections import OrderedDict
from typing import Any, Final

from graphql import (
    DocumentNode,
    EnumValueNode,
    FloatValueNode,
    IntValueNode,
    ListValueNode,
    Node,
    ObjectValueNode,
    StringValueNode,
    Visitor,
    print_ast,
    visit,
)

_REMEMBERED: Final = 500
_EMPTY: Final[dict[type[Node], Node]] = {
    StringValueNode: StringValueNode(value="", block=False),
    IntValueNode: IntValueNode(value="0"),
    FloatValueNode: FloatValueNode(value="0"),
    ListValueNode: ListValueNode(values=()),
    ObjectValueNode: ObjectValueNode(fields=()),
}


class _Emptied(Visitor):
    """Replaces literals by empty ones; names of enumerations belong to the schema and stay."""

    def enter(self, node: Node, *_: Any) -> Node | None:
        return None if isinstance(node, EnumValueNode) else _EMPTY.get(type(node))


class Outlines:
    """Outlines by document; a document is kept while its outline is, so that its identity stays its own."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, tuple[DocumentNode, str]] = OrderedDict()

    def of(self, document: DocumentNode) -> str:
        """The document as text with empty literals."""
        found = self._known.get(id(document))
        if found is None:
            found = (document, print_ast(visit(document, _Emptied())))
            self._known[id(document)] = found
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return found[1]
