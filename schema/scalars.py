"""The custom scalars: JSON as it is, times in RFC 3339, integers beyond 32 bits."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Final, NewType

import strawberry
from graphql import (
    BooleanValueNode,
    EnumValueNode,
    FloatValueNode,
    GraphQLError,
    IntValueNode,
    ListValueNode,
    NullValueNode,
    ObjectValueNode,
    StringValueNode,
    ValueNode,
    VariableNode,
)
from strawberry.types.scalar import ScalarDefinition

from domain.canonical import check_json
from domain.errors import InvalidInput, Path

JSON = NewType("JSON", object)
BigInt = NewType("BigInt", int)

MAX_BIG_INTEGER: Final = 2**53
_MAX_DIGITS: Final = 20
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def refused(message: str, path: Path = ()) -> GraphQLError:
    """A coercion error; `path` leads to the offending part inside the scalar's own value."""
    place = "" if not path else f" (at {'.'.join(map(str, path))})"
    extensions: dict[str, object] = {"code": "BAD_USER_INPUT", "valuePath": list(path)}
    return GraphQLError(f"{message.removesuffix('.')}{place}.", extensions=extensions)


def parse_json_value(value: object) -> object:
    """A variable's value, proved to be JSON that survives storage and hashing."""
    try:
        return check_json(value)
    except InvalidInput as error:
        raise refused(error.message, error.path) from None


def parse_json_literal(node: ValueNode, variables: Mapping[str, object] | None = None) -> object:
    """A literal's value, by the same rule; variables in it are taken as they were sent."""
    return parse_json_value(_literal(node, variables or {}, ()))


def _literal(node: ValueNode, variables: Mapping[str, object], path: Path) -> object:
    match node:
        case NullValueNode():
            return None
        case StringValueNode() | BooleanValueNode():
            return node.value
        case IntValueNode():
            return _integer(node.value, path)
        case FloatValueNode():
            return float(node.value)
        case ListValueNode():
            return [_literal(item, variables, (*path, index)) for index, item in enumerate(node.values)]
        case ObjectValueNode():
            return _object(node, variables, path)
        case VariableNode():
            return _variable(variables.get(node.name.value), path)
        case EnumValueNode():
            raise refused(f"The enum literal {node.value} is not JSON; write it as a string", path)
    raise refused("Not a JSON value", path)


def _integer(text: str, path: Path) -> int:
    # Python itself refuses to read integers of more than 4,300 digits, with an error that names no place.
    if len(text) > _MAX_DIGITS:
        raise refused("Integers must lie between -2^63 and 2^63-1; send larger ones as strings", path)
    return int(text)


def _object(node: ObjectValueNode, variables: Mapping[str, object], path: Path) -> dict[str, object]:
    result: dict[str, object] = {}
    for field in node.fields:
        name = field.name.value
        if isinstance(field.value, VariableNode) and field.value.name.value not in variables:
            continue
        result[name] = _literal(field.value, variables, (*path, name))
    return result


def _variable(value: object, path: Path) -> object:
    if isinstance(value, Enum):
        raise refused("A variable of an enum type is not JSON; declare it as JSON or String", path)
    return value


def serialize_time(value: datetime) -> str:
    """RFC 3339 in UTC, with milliseconds and `Z`."""
    return value.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def parse_time(value: object) -> datetime:
    """An RFC 3339 text with its offset, as UTC; digits beyond the millisecond are cut off."""
    if not isinstance(value, str) or _TIME.fullmatch(value) is None:
        raise refused("Not a time: use RFC 3339 with an offset, such as 2026-01-31T12:00:00.000Z")
    try:
        time = datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise refused("Not a time that exists: check the month, the day, the hour and the offset") from None
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def parse_time_literal(node: ValueNode, _variables: Mapping[str, object] | None = None) -> datetime:
    """The same for a literal, which must be a string."""
    return parse_time(node.value if isinstance(node, StringValueNode) else None)


def parse_big_integer(value: object) -> int:
    """An integer of at most 2^53 in size, so that every JSON reader keeps it exact."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_BIG_INTEGER:
        raise refused("Not a BigInt: use an integer between -2^53 and 2^53")
    return value


def parse_big_integer_literal(node: ValueNode, _variables: Mapping[str, object] | None = None) -> int:
    """The same for a literal, which must be an integer."""
    return parse_big_integer(_integer(node.value, ()) if isinstance(node, IntValueNode) else None)


SCALARS: Final[Mapping[object, ScalarDefinition]] = {
    JSON: strawberry.scalar(
        name="JSON",
        description=(
            "Any JSON value. Numbers are finite, integers lie within 64 bits (`1` and `1.0` stay different), text is "
            "valid Unicode, and values nest at most 64 levels. In a literal, a key whose variable was not sent is left "
            "out (in a list it is null), and enum literals are refused."
        ),
        serialize=lambda value: value,
        parse_value=parse_json_value,
        parse_literal=parse_json_literal,
    ),
    datetime: strawberry.scalar(
        name="DateTime",
        description="A time by RFC 3339. Answers are in UTC with milliseconds and end in `Z`; inputs carry an offset.",
        specified_by_url="https://scalars.graphql.org/andimarek/date-time",
        serialize=serialize_time,
        parse_value=parse_time,
        parse_literal=parse_time_literal,
    ),
    BigInt: strawberry.scalar(
        name="BigInt",
        description="An integer between -2^53 and 2^53, written as a JSON number (Int ends at 2^31).",
        serialize=lambda value: value,
        parse_value=parse_big_integer,
        parse_literal=parse_big_integer_literal,
    ),
}
