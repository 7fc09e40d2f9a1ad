"""What an operation may cost: each object is 1, and a page multiplies its items by its length.

Lists that are not paged are bounded by their records and usually short; each counts as three items. A plan is made once
per document; only page lengths and id lists that come from variables are read at run time.
"""

from collections.abc import Mapping, Sized
from dataclasses import dataclass, field
from typing import Final

from graphql import (
    FieldNode,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
    GraphQLObjectType,
    IntValueNode,
    ListValueNode,
    ValueNode,
    VariableNode,
)

from domain.limits import DEFAULT_PAGE, MAX_PAGE

UNPAGED_LIST: Final = 3
PAGE_FIELDS: Final = ("edges", "nodes")


@dataclass(slots=True)
class Length:
    """How long a list may be: a fixed number, or what the variables say."""

    fixed: int | None = None
    pages: tuple[ValueNode, ...] = ()
    ids: ValueNode | None = None

    def under(self, variables: Mapping[str, object]) -> int:
        """The number of items to expect."""
        if self.fixed is not None:
            return self.fixed
        if self.ids is not None:
            return _list_length(self.ids, variables)
        return _page_length(self.pages, variables)


@dataclass(slots=True)
class Weight:
    """A node of the plan: `own` objects and its parts, times `length`.

    `of_page` marks what repeats with the page around it, `page` the field that carries the page's length.
    """

    own: int = 0
    parts: list["Weight"] = field(default_factory=list)
    length: Length | None = None
    of_page: bool = False
    page: Length | None = None


def field_weight(node: FieldNode, definition: GraphQLField, parent: GraphQLNamedType | None, inner: Weight) -> Weight:
    """The weight of a field with a selection set."""
    if not _is_list(definition):
        page = _page(node) if "first" in definition.args else None
        return Weight(1, [inner], page=page)
    if "ids" in definition.args:
        return Weight(1, [inner], length=Length(ids=_argument(node, "ids")))
    if "first" in definition.args:
        return Weight(1, [inner], length=_page(node))
    if node.name.value in PAGE_FIELDS and _is_connection(parent):
        return Weight(1, [inner], of_page=True)
    return Weight(1, [inner], length=Length(UNPAGED_LIST))


def weigh(weight: Weight, variables: Mapping[str, object]) -> int:
    """The total under these variables; fragments that occur many times are weighed once."""
    flat, paged = _weigh(weight, variables, {})
    return flat + paged * DEFAULT_PAGE


def depends_on_variables(weight: Weight) -> bool:
    """Whether the total differs with the variables; fragments that occur many times are looked at once."""
    seen: set[int] = set()
    waiting = [weight]
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if any(length is not None and length.fixed is None for length in (each.length, each.page)):
            return True
        waiting += each.parts
    return False


def _weigh(weight: Weight, variables: Mapping[str, object], known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    found = known.get(id(weight))
    if found is not None:
        return found
    flat, paged = weight.own, 0
    for part in weight.parts:
        part_flat, part_paged = _weigh(part, variables, known)
        flat, paged = flat + part_flat, paged + part_paged
    result = _lengthen(weight, flat, paged, variables)
    known[id(weight)] = result
    return result


def _lengthen(weight: Weight, flat: int, paged: int, variables: Mapping[str, object]) -> tuple[int, int]:
    if weight.page is not None:
        return flat + paged * weight.page.under(variables), 0
    if weight.of_page:
        return 0, flat + paged * DEFAULT_PAGE
    if weight.length is not None:
        return (flat + paged * DEFAULT_PAGE) * weight.length.under(variables), 0
    return flat, paged


def _is_list(definition: GraphQLField) -> bool:
    type_ = definition.type
    return isinstance(type_.of_type if isinstance(type_, GraphQLNonNull) else type_, GraphQLList)


def _is_connection(parent: GraphQLNamedType | None) -> bool:
    return isinstance(parent, GraphQLObjectType | GraphQLInterfaceType) and "pageInfo" in parent.fields


def _argument(node: FieldNode, name: str) -> ValueNode | None:
    return next((argument.value for argument in node.arguments or () if argument.name.value == name), None)


def _page(node: FieldNode) -> Length:
    values = [_argument(node, name) for name in ("first", "last")]
    if any(isinstance(value, VariableNode) for value in values):
        return Length(pages=tuple(value for value in values if value is not None))
    return Length(_page_length([value for value in values if value is not None], {}))


def _page_length(values: list[ValueNode] | tuple[ValueNode, ...], variables: Mapping[str, object]) -> int:
    numbers = [_number(value, variables) for value in values]
    given = [number for number in numbers if number is not None]
    return min(max(given, default=DEFAULT_PAGE), MAX_PAGE)


def _number(value: ValueNode, variables: Mapping[str, object]) -> int | None:
    if isinstance(value, VariableNode):
        number = variables.get(value.name.value)
        return max(number, 0) if isinstance(number, int) else None
    # Nobody needs a page longer than four digits say, and int() of a million digits is slow.
    return max(int(value.value[:9]), 0) if isinstance(value, IntValueNode) else None


def _list_length(value: ValueNode | None, variables: Mapping[str, object]) -> int:
    if isinstance(value, VariableNode):
        items = variables.get(value.name.value)
        return len(items) if isinstance(items, Sized) and not isinstance(items, str) else 1
    return len(value.values) if isinstance(value, ListValueNode) else 1
