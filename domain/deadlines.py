"""The time that one operation may take, and the point from which it may no longer be cut off.

Storage marks that point when a transaction begins; whoever runs the operation looks at it before it cancels anything.
"""

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Deadline:
    """Shared by an operation and all that it calls. `may_cut` falls once and never rises again."""

    may_cut: bool = True


CURRENT: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def writing_begins() -> None:
    """From here on the running operation goes on to its end, whatever its time limit and its client do."""
    deadline = CURRENT.get()
    if deadline is not None:
        deadline.may_cut = False
