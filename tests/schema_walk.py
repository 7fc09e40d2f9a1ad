"""Documents generated from the schema: every field that can be asked for, and arguments of the right types."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from graphql import (
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    is_input_object_type,
    is_list_type,
    is_non_null_type,
    is_required_argument,
    is_required_input_field,
)

from schema.build import build_schema

SCHEMA: GraphQLSchema = build_schema()._schema

# With this page size a document reaches the items of a page in one way alone, so that it can go deep.
NODES_ALONE: Final = 2

NOWHERE: Final[Mapping[str, str]] = MappingProxyType({})

Filler = Callable[[str, str, Any], Any]


def root_fields(kind: str) -> dict[str, GraphQLField]:
    """The fields of `Query`, `Mutation` or `Subscription`; none where the schema has no such root."""
    root = {"Query": SCHEMA.query_type, "Mutation": SCHEMA.mutation_type, "Subscription": SCHEMA.subscription_type}[
        kind
    ]
    return {} if root is None else dict(root.fields)


def arguments(name: str, field: GraphQLField, fill: Filler) -> dict[str, Any]:
    """Values for the required arguments of a root field, and for every argument that says where to look."""
    return {
        argument: _value(name, argument, definition.type, fill)
        for argument, definition in field.args.items()
        if is_required_argument(definition) or argument in ("workspace", "name")
    }


def _value(root: str, name: str, type_: Any, fill: Filler) -> Any:
    """What `fill(root, name, type)` gives; NotImplemented leaves an input object to its own required fields."""
    given = fill(root, name, type_)
    if given is not NotImplemented:
        return given
    named = get_named_type(type_)
    if not is_input_object_type(named):
        raise AssertionError(f"{root}: say what to send for {name}: {type_}")
    built = _input(root, named, fill)
    inner = type_.of_type if is_non_null_type(type_) else type_
    return [built] if is_list_type(inner) else built


def _input(root: str, type_: GraphQLInputObjectType, fill: Filler) -> dict[str, Any]:
    wanted = {name: field for name, field in type_.fields.items() if is_required_input_field(field)}
    extra = {name: field for name, field in type_.fields.items() if name == "workspace"}
    return {name: _value(root, name, field.type, fill) for name, field in {**extra, **wanted}.items()}


def document(
    kind: str,
    name: str,
    field: GraphQLField,
    given: Collection[str],
    *,
    depth: int,
    page: int = 3,
    places: Mapping[str, str] = NOWHERE,
) -> str:
    """An operation that selects everything below one root field, `depth` levels deep, with the arguments `given`.

    `places` are arguments of fields further down (`Type.field`), written out; without them, fields that demand some are
    left out.
    """
    declared = ", ".join(f"${argument}: {field.args[argument].type}" for argument in given)
    passed = ", ".join(f"{argument}: ${argument}" for argument in given)
    selected = Walk(page, places).below(get_named_type(field.type), depth)
    head = f"{name}({passed})" if passed else name
    return f"{kind.lower()} Walk{f'({declared})' if declared else ''} {{ {head}{selected} }}"


@dataclass(frozen=True)
class Walk:
    """How a document goes down the schema."""

    page: int
    places: Mapping[str, str]

    def below(self, type_: Any, depth: int) -> str:
        """The selection of a type's fields, as deep as `depth` allows; an empty text for a leaf."""
        if not isinstance(type_, GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType):
            return ""
        if depth == 0:
            return " { __typename }"
        if isinstance(type_, GraphQLObjectType):
            return f" {{ __typename {self._fields(type_, frozenset(), depth)} }}"
        possible = SCHEMA.get_possible_types(type_)
        disputed = _disputed(possible)
        parts = [f"... on {each.name} {{ __typename {self._fields(each, disputed, depth)} }}" for each in possible]
        return f" {{ __typename {' '.join(parts)} }}"

    def _fields(self, type_: GraphQLObjectType, disputed: frozenset[str], depth: int) -> str:
        parts = []
        for name, field in type_.fields.items():
            arguments = self._arguments(f"{type_.name}.{name}", field)
            if arguments is None or (name == "edges" and self.page == NODES_ALONE):
                continue
            alias = f"{type_.name}_{name}: " if name in disputed else ""
            parts.append(f"{alias}{name}{arguments}{self.below(get_named_type(field.type), depth - 1)}")
        return " ".join(parts)

    def _arguments(self, place: str, field: GraphQLField) -> str | None:
        """The arguments of a field; None where it demands some and nothing says which."""
        if place in self.places:
            return f"({self.places[place]})"
        if any(is_required_argument(argument) for argument in field.args.values()):
            if self.places:
                raise AssertionError(f"say what to send for {place}")
            return None
        return f"(first: {self.page})" if "first" in field.args else ""


def _disputed(types: Sequence[GraphQLObjectType]) -> frozenset[str]:
    """Names that stand for fields of different types; an alias keeps those apart."""
    seen: dict[str, str] = {}
    return frozenset(
        name
        for type_ in types
        for name, field in type_.fields.items()
        if seen.setdefault(name, str(field.type)) != str(field.type)
    )
