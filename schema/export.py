"""`python -m schema.export [--check]`: write schema.graphql, or say whether it is what the code prints."""

import difflib
import sys
from pathlib import Path
from typing import Final

from graphql import build_schema as build_graphql_schema
from graphql import lexicographic_sort_schema, print_schema

from schema.build import build_schema

TARGET: Final = Path(__file__).with_name("schema.graphql")


def printed() -> str:
    """The schema as text: sorted, with every description.

    Sorted here and not by Strawberry, whose sorted schema no longer gives resolvers the members of enumerations.
    """
    return print_schema(lexicographic_sort_schema(build_graphql_schema(build_schema().as_str()))) + "\n"


def check() -> int:
    """Exit code 0 where the stored file is current; else 1, with the difference on stderr."""
    stored = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
    difference = difflib.unified_diff(
        stored.splitlines(keepends=True), printed().splitlines(keepends=True), TARGET.name, "the code"
    )
    lines = list(difference)
    sys.stderr.writelines(lines)
    return 1 if lines else 0


def main(arguments: list[str]) -> int:
    """Write the file, or with `--check` compare it."""
    if arguments == ["--check"]:
        return check()
    TARGET.write_text(printed(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
