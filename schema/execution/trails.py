"""Where a value stands in an answer, as cheap as it can be noted: most notes are never read."""

from __future__ import annotations

from typing import TypeAlias

from graphql.pyutils import Path

# The trail of the value around, the key or index within it, and the type of the object that a key belongs to.
Trail: TypeAlias = "tuple[Trail | None, str | int, str | None]"


def path_of(trail: Trail) -> Path:
    """The same place as graphql-core notes it."""
    steps = []
    current: Trail | None = trail
    while current is not None:
        steps.append(current)
        current = current[0]
    path: Path | None = None
    for _, key, typename in reversed(steps):
        path = Path(path, key, typename)
    assert path is not None
    return path
