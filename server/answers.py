"""Answers as bytes, and the status that each deserves."""

from typing import Final

import orjson

from domain.errors import LimitExceeded
from domain.limits import MAX_ANSWER_BYTES, MEBIBYTE
from schema.execution.answers import Answer, refusal, unexpected
from server.accept import MediaType

_STATUS_OF_CODE: Final = {
    "INTERNAL_SERVER_ERROR": 500,
    "OPERATION_TIMEOUT": 503,
    "RATE_LIMITED": 429,
    "SERVICE_UNAVAILABLE": 503,
    "UNAUTHENTICATED": 401,
}


def status_of_refusal(code: str) -> int:
    """The status of a request that was refused before it was looked at, by the code of its error."""
    return _STATUS_OF_CODE.get(code, 400)


def status_of(answer: Answer, media: MediaType) -> int:
    """The status profile, all of it: the one that the audit suite of GraphQL-over-HTTP asks for.

    Clients that accept only plain JSON get 200 for every well-formed request; others get 400 where nothing was
    executed. The draft of 2026-07 would have 422 and 294 here.
    """
    if not answer.is_request_error:
        return 200
    extensions = answer.errors[0].get("extensions")
    code = extensions.get("code") if isinstance(extensions, dict) else None
    ours = _STATUS_OF_CODE.get(str(code))
    if ours is not None:
        return ours
    return 200 if media is MediaType.JSON else 400


def encode(answer: Answer) -> tuple[Answer, bytes]:
    """The answer as JSON, or, where that is over 64 MiB or cannot be, the error that takes its place."""
    try:
        body = orjson.dumps(answer.payload())
    except (TypeError, ValueError, RecursionError) as error:
        return _replaced(unexpected(error))
    if len(body) > MAX_ANSWER_BYTES:
        return _replaced(_too_large(len(body)))
    return answer, body


def _replaced(answer: Answer) -> tuple[Answer, bytes]:
    return answer, orjson.dumps(answer.payload())


def _too_large(size: int) -> Answer:
    return refusal(
        LimitExceeded(
            f"The answer has {size:,} bytes; at most {MAX_ANSWER_BYTES // MEBIBYTE} MiB are sent. Ask for less.",
            code="RESPONSE_TOO_LARGE",
            limit=MAX_ANSWER_BYTES,
            actual=size,
        )
    )
