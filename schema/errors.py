"""Errors as data: the types that payloads carry, and the one wrapper that every mutation goes through."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import strawberry

from domain import errors as domain
from domain.errors import BadUserInput, Problems
from resolvers.context import Context
from schema.enums import ErrorCode
from storage.ledger import acting

_MESSAGE: Final = "What is wrong and what to do about it, for people. The wording may change; rely on `code`."
_CODE: Final = "What went wrong, for programs."
_PATH: Final = (
    "Where in the arguments the offending value stands: field names and list indices (from 0, as text), starting with "
    '"input".'
)


@strawberry.interface(
    description="Something that the client can act on; a mutation with any error has changed nothing."
)
class UserError:
    message: str = strawberry.field(description=_MESSAGE)
    code: ErrorCode = strawberry.field(description=_CODE)
    path: list[str] = strawberry.field(description=_PATH)


@strawberry.type(description="A value breaks a rule: INVALID_INPUT, LIMIT_EXCEEDED, TAG_RESERVED or DUPLICATE_MEMBER.")
class InvalidInput(UserError):
    pass


@strawberry.type(description="What the input addresses does not exist, or the token may not read it: NOT_FOUND.")
class NotFound(UserError):
    ref: str = strawberry.field(description="The reference or name that led nowhere.")


@strawberry.type(description="A create on a name that is taken: ALREADY_EXISTS.")
class AlreadyExists(UserError):
    ref: str = strawberry.field(description="The record that has the name, as `workspace/name`.")
    digest: str | None = strawberry.field(description="The digest of what the name stands for now, where it has one.")


@strawberry.type(description="An expectation no longer holds, or a race was lost: CONFLICT.")
class Conflict(UserError):
    current_digest: str | None = strawberry.field(
        description="The digest found instead of the expected one; null where nothing is there."
    )


@strawberry.type(description="Others pin what should be deleted: IN_USE.")
class InUse(UserError):
    users: list[str] = strawberry.field(description="References of at most 20 users that the token may read.")
    hidden_users: int = strawberry.field(description="How many more users there are, unreadable ones among them.")


@strawberry.type(
    description="The state, the lease or the token does not allow the action: INVALID_STATE, LEASE_LOST or FORBIDDEN."
)
class Refused(UserError):
    pass


ERROR_TYPES: Final = (InvalidInput, NotFound, AlreadyExists, Conflict, InUse, Refused)

Payload = TypeVar("Payload")


async def answer(context: Context, work: Awaitable[Payload], failed: Callable[..., Payload]) -> Payload:
    """Await a mutation's work and turn its user errors into a payload (`failed(errors=[...])`).

    Everything else, bugs among it, propagates to the top-level errors. What the operation has loaded before is
    forgotten, since the mutation may have changed it.
    """
    context.renew()
    try:
        with acting(context.origin):
            return await work
    except Problems as problems:
        return failed(errors=[present(error) for error in problems.errors])
    except domain.UserError as error:
        return failed(errors=[present(error)])


def present(error: domain.UserError) -> UserError:
    """The GraphQL object of one domain error, its path led from the input object to the argument."""
    common: dict[str, Any] = {"message": error.message, "code": error.code, "path": ["input", *map(str, error.path)]}
    match error:
        case domain.NotFound():
            return NotFound(**common, ref=error.ref)
        case domain.AlreadyExists():
            return AlreadyExists(**common, ref=error.ref, digest=error.digest)
        case domain.Conflict():
            return Conflict(**common, current_digest=error.current_digest)
        case domain.InUse():
            return InUse(**common, users=error.users, hidden_users=error.hidden_users)
        case domain.Refused():
            return Refused(**common)
        case _:
            return InvalidInput(**common)


Result = TypeVar("Result")


async def reading(work: Awaitable[Result], argument: str) -> Result:
    """Await a read; what a mutation would answer as data becomes a top-level BAD_USER_INPUT here."""
    try:
        return await work
    except Problems as problems:
        raise bad_argument(argument, *problems.errors) from problems
    except domain.UserError as error:
        raise bad_argument(argument, error) from error


def bad_argument(argument: str, *errors: domain.UserError) -> BadUserInput:
    """One BAD_USER_INPUT for all that is wrong with one argument."""
    problems = [
        {"message": error.message, "code": error.code.value, "path": [argument, *map(str, error.path)]}
        for error in errors
    ]
    return BadUserInput(" ".join(error.message for error in errors), argument=argument, problems=problems)
