"""Everything that the client raises on purpose.

PinsetError
├── Unreachable        no answer: refused, timed out, cut
├── RequestError       the request was refused as a whole; `code` is `extensions.code`
└── MutationError      a mutation answered errors as data; the subclass follows the first error's code
    ├── InvalidInput   INVALID_INPUT, LIMIT_EXCEEDED, TAG_RESERVED, DUPLICATE_MEMBER
    ├── NotFound       NOT_FOUND, also for a read that found nothing
    ├── AlreadyExists  ALREADY_EXISTS
    ├── Conflict       CONFLICT
    ├── InUse          IN_USE
    └── Refused        INVALID_STATE, LEASE_LOST, FORBIDDEN
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final


class PinsetError(Exception):
    """The root of the tree."""


class Unreachable(PinsetError):
    """The server gave no answer; the request may be repeated."""


class RequestError(PinsetError):
    """The server refused the request as a whole."""

    def __init__(self, message: str, code: str, status: int, errors: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.errors = list(errors)


@dataclass(frozen=True, slots=True)
class Problem:
    """One error of a mutation: what is wrong, and where in the input; `details` are the fields of its type."""

    message: str
    code: str
    path: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)


class MutationError(PinsetError):
    """A mutation changed nothing; `problems` says why."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = list(problems)
        self.code = problems[0].code


class InvalidInput(MutationError):
    """A value breaks a stated rule."""


class NotFound(MutationError):
    """The addressed record, revision, tag or member does not exist."""


class AlreadyExists(MutationError):
    """Create on a taken name."""


class Conflict(MutationError):
    """An expectation no longer holds, or a race was lost."""


class InUse(MutationError):
    """Deleting what others pin."""


class Refused(MutationError):
    """The state, the lease or the token does not allow it."""


_CLASSES: Final[dict[str, type[MutationError]]] = {
    "NOT_FOUND": NotFound,
    "ALREADY_EXISTS": AlreadyExists,
    "CONFLICT": Conflict,
    "IN_USE": InUse,
    "INVALID_STATE": Refused,
    "LEASE_LOST": Refused,
    "FORBIDDEN": Refused,
}
_COMMON: Final = {"typename__", "message", "code", "path"}


def raise_for(errors: Sequence[Any]) -> None:
    """Raise the errors of a payload, where there are any."""
    raise_problems([_problem(error) for error in errors])


def raise_problems(problems: Sequence[Problem]) -> None:
    """Raise problems as the class of the first one, where there are any."""
    if problems:
        raise _CLASSES.get(problems[0].code, InvalidInput)(problems)


def not_found(what: str) -> NotFound:
    """What a read raises that found nothing."""
    return NotFound([Problem(f"{what} does not exist, or may not be read.", "NOT_FOUND")])


def _problem(error: Any) -> Problem:
    details = {key: value for key, value in error.model_dump().items() if key not in _COMMON and value is not None}
    return Problem(error.message, str(getattr(error.code, "value", error.code)), tuple(error.path), details)
