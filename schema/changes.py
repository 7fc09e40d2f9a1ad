"""What changed between two schemas, and whether the documents of clients still hold against one.

`python -m schema.changes` compares the code with the last released schema and fails on a breaking change.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Final

from graphql import GraphQLError, GraphQLSchema, parse, validate
from graphql import build_schema as read_schema
from graphql.utilities import BreakingChange, DangerousChange, find_schema_changes

from domain.errors import BadUserInput
from schema.export import printed

RELEASED: Final = Path(__file__).with_name("released.graphql")


class Level(IntEnum):
    """What a change means to the clients there are."""

    SAFE = 1
    DANGEROUS = 2
    BREAKING = 3


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two schemas."""

    level: Level
    description: str

    def __str__(self) -> str:
        return f"{self.level.name.lower()}: {self.description}"


def changes(old: str, new: str) -> list[Change]:
    """The differences of two schemas in SDL, the worst first. Raises BadUserInput where one of them is not valid."""
    found = find_schema_changes(_read(old, "old"), _read(new, "new"))
    return sorted((_change(change) for change in found), key=lambda change: (-change.level, change.description))


def breaking(changes: list[Change]) -> list[Change]:
    """Those that break clients."""
    return [change for change in changes if change.level is Level.BREAKING]


def problems(directory: Path, sdl: str) -> Iterator[str]:
    """What is wrong with the documents (`*.graphql`, `*.gql`) under a directory, each with its file and line."""
    schema = _read(sdl, "given")
    for path in sorted(directory.rglob("*")):
        if path.suffix in (".graphql", ".gql"):
            yield from (f"{path}:{_line(error)}: {error.message}" for error in _errors(path, schema))


def _errors(path: Path, schema: GraphQLSchema) -> list[GraphQLError]:
    try:
        return validate(schema, parse(path.read_text("utf-8")))
    except GraphQLError as error:
        return [error]


def _line(error: GraphQLError) -> int:
    return error.locations[0].line if error.locations else 1


def _read(sdl: str, which: str) -> GraphQLSchema:
    try:
        return read_schema(sdl)
    except (GraphQLError, TypeError) as error:
        raise BadUserInput(f"The {which} schema cannot be read: {error}") from None


def _change(change: object) -> Change:
    level = Level.SAFE
    if isinstance(change, BreakingChange):
        level = Level.BREAKING
    elif isinstance(change, DangerousChange):
        level = Level.DANGEROUS
    return Change(level, change.description)  # type: ignore[attr-defined]


def main() -> int:
    """Exit code 1, with the list on stderr, where the code breaks clients of the last release."""
    found = breaking(changes(RELEASED.read_text("utf-8"), printed()))
    sys.stderr.writelines(f"{change}\n" for change in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
