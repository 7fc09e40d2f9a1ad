"""Answers: what an operation, or one event of a subscription, comes to."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from graphql import ExecutionResult, GraphQLError

from domain.errors import RequestError
from schema.execution.documents import Operation
from schema.execution.masking import FormattedError, masked, present


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of an operation, or of one event of a subscription.

    A request error has no `data` at all: nothing was executed.
    """

    data: dict[str, Any] | None = None
    errors: tuple[FormattedError, ...] = ()
    is_request_error: bool = False

    def payload(self) -> dict[str, object]:
        """The answer as clients receive it."""
        answer: dict[str, object] = {}
        if self.errors:
            answer["errors"] = list(self.errors)
        if not self.is_request_error:
            answer["data"] = self.data
        return answer


class RequestRefused(Exception):
    """An operation that was not executed; its answer has errors and no data."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.errors[0]["message"])
        self.answer = answer


def refusal(error: RequestError) -> Answer:
    """The answer of a request that is refused for one reason."""
    return Answer(errors=({"message": error.message, "extensions": dict(error.extensions)},), is_request_error=True)


def unexpected(cause: Exception, operation: str | None = None) -> Answer:
    """The answer where a bug kept us from giving one; the log has the details."""
    message, extensions = masked(cause, operation=operation)
    return Answer(errors=({"message": message, "extensions": extensions},), is_request_error=True)


def answer(result: ExecutionResult, operation: Operation) -> Answer:
    """The answer of an execution. Errors without data and without a path are those of variables: a request error."""
    if not result.errors:
        return Answer(result.data)
    if result.data is None and all(error.path is None for error in result.errors):
        return request_error(result.errors, operation)
    errors = tuple(present(error, "BAD_USER_INPUT", operation=operation.name) for error in result.errors)
    return Answer(result.data, errors)


def request_error(errors: Iterable[GraphQLError], operation: Operation) -> Answer:
    """The answer of an operation whose execution did not begin."""
    presented = tuple(present(error, "BAD_USER_INPUT", operation=operation.name) for error in errors)
    return Answer(errors=presented, is_request_error=True)


def stream_error(error: Exception, operation: Operation) -> Answer:
    """The answer that tells of a stream that broke."""
    wrapped = error if isinstance(error, GraphQLError) else GraphQLError(str(error), original_error=error)
    return Answer(None, (present(wrapped, "INTERNAL_SERVER_ERROR", operation=operation.name),))
