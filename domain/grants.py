"""What a token may do: scopes on one workspace, or on all of them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

EVERY_WORKSPACE: Final = "*"
MAX_GRANTS: Final = 100


class Scope(StrEnum):
    """What a grant allows. Every scope includes READ, since a write answers what it wrote; ADMIN includes all."""

    READ = "READ"
    WRITE = "WRITE"
    RUN = "RUN"
    ADMIN = "ADMIN"


@dataclass(frozen=True, slots=True)
class Grant:
    """Scopes on one workspace, or on all of them (`*`), future ones included."""

    workspace: str
    scopes: frozenset[Scope]
