"""Arguments that many fields share, and what an absent one means."""

from typing import Annotated, TypeAlias, TypeVar

import strawberry

from domain.outcomes import ABSENT, Absent

Value = TypeVar("Value")

WorkspaceName: TypeAlias = Annotated[str, strawberry.argument(description="The workspace to look in.")]
HomeWorkspace: TypeAlias = Annotated[
    str, strawberry.argument(description="The workspace in which a reference without one is looked up.")
]


def given(value: Value | None) -> Value | None:
    """The value of an optional argument; None where it was absent as well as where it was null."""
    return None if value is strawberry.UNSET else value


def absent_or(value: Value) -> Value | Absent:
    """The value of an input field whose null has a meaning of its own; ABSENT where it was not sent."""
    return ABSENT if value is strawberry.UNSET else value
