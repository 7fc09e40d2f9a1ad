"""Errors as clients see them: coded, located, and without a word about our insides.

What a client can act on keeps its message. Everything else is a bug: the client gets an id, the log gets the id with
the traceback.
"""

import secrets
from typing import Final, TypeAlias

import structlog
from graphql import GraphQLError, GraphQLFormattedError, GraphQLSyntaxError

from domain.errors import ErrorCode, InvalidInput, Problems, RequestError, UserError

FormattedError: TypeAlias = dict[str, object]

MAX_MESSAGE: Final = 2_000

log = structlog.get_logger("pinset.graphql")


def present(error: GraphQLError, default: str, *, operation: str | None = None) -> FormattedError:
    """One error of an answer. `default` is the code of an error that GraphQL itself raised at this stage."""
    cause = _cause(error)
    if isinstance(cause, RequestError):
        return _formatted(error, cause.message, dict(cause.extensions))
    if isinstance(cause, UserError):
        return _formatted(error, error.message, _user_extensions(cause))
    if isinstance(cause, Problems):
        return _formatted(error, error.message, {"code": "BAD_USER_INPUT"})
    if cause is None or (error.path is None and error.nodes is not None):
        return _formatted(error, error.message, {"code": _code(error, default), **(error.extensions or {})})
    return _masked(error, cause, operation)


def _cause(error: GraphQLError) -> Exception | None:
    """The first exception in the chain that is not GraphQL's own; None where a client's mistake began it all."""
    cause: BaseException | None = error
    while isinstance(cause, GraphQLError):
        cause = cause.original_error
    return cause if isinstance(cause, Exception) else None


def _code(error: GraphQLError, default: str) -> str:
    return "GRAPHQL_PARSE_FAILED" if isinstance(error, GraphQLSyntaxError) else default


def _user_extensions(cause: UserError) -> dict[str, object]:
    code = "BAD_USER_INPUT" if isinstance(cause, InvalidInput) else str(cause.code)
    extensions: dict[str, object] = {"code": code}
    if cause.code is ErrorCode.LIMIT_EXCEEDED:
        extensions["reason"] = str(cause.code)
    if cause.path:
        extensions["argumentPath"] = [str(part) for part in cause.path]
    return extensions


def _formatted(error: GraphQLError, message: str, extensions: dict[str, object]) -> FormattedError:
    formatted: GraphQLFormattedError = error.formatted
    answer: FormattedError = {"message": message if len(message) <= MAX_MESSAGE else message[:MAX_MESSAGE] + "…"}
    if "locations" in formatted:
        answer["locations"] = formatted["locations"]
    if "path" in formatted:
        answer["path"] = formatted["path"]
    answer["extensions"] = extensions
    return answer


def _masked(error: GraphQLError, cause: Exception, operation: str | None) -> FormattedError:
    return _formatted(error, *masked(cause, operation=operation, path=error.path))


def masked(cause: Exception, **fields: object) -> tuple[str, dict[str, object]]:
    """Log a bug under a new id; the message and the extensions that a client gets for it."""
    identity = secrets.token_hex(8)
    log.error("internal error", error_id=identity, exc_info=cause, **fields)
    message = f"Something went wrong on our side. The server's log has the details under the id {identity}."
    return message, {"code": "INTERNAL_SERVER_ERROR", "id": identity}
