"""Every error that Pinset raises on purpose.

PinsetError
├── UserError            a mutation answers it as data (`errors: [UserError!]!`)
│   ├── InvalidInput     INVALID_INPUT, LIMIT_EXCEEDED, TAG_RESERVED, DUPLICATE_MEMBER
│   ├── NotFound         NOT_FOUND
│   ├── AlreadyExists    ALREADY_EXISTS
│   ├── Conflict         CONFLICT
│   ├── InUse            IN_USE
│   └── Refused          INVALID_STATE, LEASE_LOST, FORBIDDEN
├── Problems             several UserErrors of one input, reported together
├── RequestError         a top-level GraphQL error with `extensions.code`
│   ├── BadUserInput     BAD_USER_INPUT
│   ├── Unauthenticated  UNAUTHENTICATED
│   ├── Forbidden        FORBIDDEN
│   ├── LimitExceeded    a limit of the request, its code given where it is raised
│   ├── RevisionCorrupt  REVISION_CORRUPT
│   └── ServiceUnavailable  SERVICE_UNAVAILABLE
└── StartupFailure       a server or a command cannot start; printed on the console, never sent to a client

Anything else that reaches a client is a bug and is masked there.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import ClassVar, ParamSpec, TypeVar

Path = tuple[str | int, ...]
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class ErrorCode(StrEnum):
    """What a client can act on, as the schema's enum names it."""

    INVALID_INPUT = "INVALID_INPUT"
    NOT_FOUND = "NOT_FOUND"
    ALREADY_EXISTS = "ALREADY_EXISTS"
    CONFLICT = "CONFLICT"
    IN_USE = "IN_USE"
    DUPLICATE_MEMBER = "DUPLICATE_MEMBER"
    TAG_RESERVED = "TAG_RESERVED"
    INVALID_STATE = "INVALID_STATE"
    LEASE_LOST = "LEASE_LOST"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    FORBIDDEN = "FORBIDDEN"


class PinsetError(Exception):
    """The root of the tree; `message` says what is wrong and what to do about it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UserError(PinsetError):
    """An error that a mutation returns as data. `path` leads from the checked value to the offending one."""

    default_code: ClassVar[ErrorCode]

    def __init__(self, message: str, path: Iterable[str | int] = (), code: ErrorCode | None = None) -> None:
        super().__init__(message)
        self.path: Path = tuple(path)
        self.code = code or self.default_code

    def under(self, *prefix: str | int) -> "UserError":
        """The same error, its path extended at the front; for a caller that knows where the value stood."""
        self.path = (*prefix, *self.path)
        return self


class InvalidInput(UserError):
    """A value breaks a stated rule."""

    default_code = ErrorCode.INVALID_INPUT


class NotFound(UserError):
    """The addressed record, revision, tag or member does not exist (or the viewer may not see it)."""

    default_code = ErrorCode.NOT_FOUND

    def __init__(self, message: str, path: Iterable[str | int] = (), *, ref: str) -> None:
        super().__init__(message, path)
        self.ref = ref


class AlreadyExists(UserError):
    """Create on a taken name; `digest` is what the name stands for now."""

    default_code = ErrorCode.ALREADY_EXISTS

    def __init__(self, message: str, path: Iterable[str | int] = (), *, ref: str, digest: str | None = None) -> None:
        super().__init__(message, path)
        self.ref = ref
        self.digest = digest


class Conflict(UserError):
    """An expectation no longer holds, or a race was lost; `current_digest` is what was found instead."""

    default_code = ErrorCode.CONFLICT

    def __init__(self, message: str, path: Iterable[str | int] = (), *, current_digest: str | None = None) -> None:
        super().__init__(message, path)
        self.current_digest = current_digest


class InUse(UserError):
    """Deleting what others pin. `users` are at most 20 references that the viewer may read."""

    default_code = ErrorCode.IN_USE

    def __init__(
        self,
        message: str,
        path: Iterable[str | int] = (),
        *,
        users: Sequence[str] = (),
        hidden_users: int = 0,
    ) -> None:
        super().__init__(message, path)
        self.users = list(users)
        self.hidden_users = hidden_users


class Refused(UserError):
    """The state, the lease or the token does not allow the action; the code says which."""

    default_code = ErrorCode.INVALID_STATE


class Problems(PinsetError):
    """Everything that is wrong with one input, so that a client can mend it in one go."""

    def __init__(self, errors: Sequence[UserError]) -> None:
        super().__init__("; ".join(error.message for error in errors))
        self.errors = list(errors)

    def under(self, *prefix: str | int) -> "Problems":
        """The same problems, every path extended at the front."""
        for error in self.errors:
            error.under(*prefix)
        return self


class Collector:
    """Gathers the problems of one input; `finish` raises them together."""

    def __init__(self) -> None:
        self.errors: list[UserError] = []

    def add(self, error: UserError | Problems, *prefix: str | int) -> None:
        """Keep one error (or several), its path extended at the front."""
        error.under(*prefix)
        self.errors.extend(error.errors if isinstance(error, Problems) else [error])

    def attempt(
        self, check: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result | None:
        """What a check answers; None, its problem kept, where it raises."""
        try:
            return check(*args, **kwargs)
        except (UserError, Problems) as error:
            self.add(error)
            return None

    def finish(self) -> None:
        """Raise Problems where anything was collected."""
        if self.errors:
            raise Problems(self.errors)


class RequestError(PinsetError):
    """A top-level GraphQL error; `code` becomes `extensions.code`, `extensions` joins it."""

    code: str = "BAD_REQUEST"

    def __init__(self, message: str, **extensions: object) -> None:
        super().__init__(message)
        self.extensions: dict[str, object] = {"code": self.code, **extensions}


class BadUserInput(RequestError):
    """A malformed argument of a read."""

    code = "BAD_USER_INPUT"


class Unauthenticated(RequestError):
    """No valid token where one is demanded."""

    code = "UNAUTHENTICATED"


class Forbidden(RequestError):
    """A read that needs a scope which no grant of the token has; a mutation answers FORBIDDEN as data instead."""

    code = "FORBIDDEN"


class LimitExceeded(RequestError):
    """A limit of the request or of its answer; the message states the limit."""

    def __init__(self, message: str, *, code: str, limit: float, **extensions: object) -> None:
        self.code = code
        super().__init__(message, limit=limit, **extensions)


class RevisionCorrupt(RequestError):
    """Stored text that no longer matches its digest."""

    code = "REVISION_CORRUPT"


class ServiceUnavailable(RequestError):
    """MongoDB cannot be reached; the request may be repeated."""

    code = "SERVICE_UNAVAILABLE"


class StartupFailure(PinsetError):
    """A server or a command cannot start; the message is shown as it is, in place of a traceback."""
