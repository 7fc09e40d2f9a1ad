"""The `graphql-transport-ws` protocol without the sockets: its codes, and messages that are what they must be."""

from typing import Any, Final

import orjson
from starlette.datastructures import Headers

from domain.errors import RequestError
from server.requests import parse_body

PROTOCOL: Final = "graphql-transport-ws"
MAX_ID: Final = 1_000
MAX_REASON_BYTES: Final = 123

GOING_AWAY: Final = 1001
BAD_MESSAGE: Final = 4400
UNAUTHORIZED: Final = 4401
FORBIDDEN: Final = 4403
BAD_SUBPROTOCOL: Final = 4406
INIT_TIMEOUT: Final = 4408
DUPLICATE_ID: Final = 4409
TOO_MANY_INITS: Final = 4429
INTERNAL: Final = 4500


class Closed(Exception):
    """The connection must end, with this code and reason; code None where the client has gone already."""

    def __init__(self, code: int | None, reason: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def parse_message(text: str | None) -> dict[str, Any]:
    """The message of a text frame; None is a binary one. Raises Closed where it is none."""
    if text is None:
        raise Closed(BAD_MESSAGE, "Messages are text frames with JSON")
    try:
        message = parse_body(text.encode("utf-8", "surrogatepass"))
    except RequestError as error:
        raise Closed(BAD_MESSAGE, error.message) from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise Closed(BAD_MESSAGE, "A message is a JSON object with a 'type'")
    return message


def cut(reason: str) -> str:
    """A close reason of at most 123 bytes; a longer one would itself break the protocol."""
    return reason.encode("utf-8", "replace")[:MAX_REASON_BYTES].decode("utf-8", "ignore")


def payload_of(message: dict[str, Any]) -> dict[str, Any] | None:
    """The payload, an object or nothing. Raises Closed where it is something else."""
    payload = message.get("payload")
    if payload is not None and not isinstance(payload, dict):
        raise Closed(BAD_MESSAGE, f"The payload of '{message['type']}' must be an object")
    return payload


def identity_of(message: dict[str, Any]) -> str:
    """The id of a message that must have one. Raises Closed where it has none."""
    identity = message.get("id")
    if not isinstance(identity, str) or not 0 < len(identity) <= MAX_ID:
        raise Closed(BAD_MESSAGE, f"'{message['type']}' needs an 'id', a string of 1 to {MAX_ID} characters")
    return identity


def authorization_in(payload: dict[str, Any] | None, headers: Headers) -> str | None:
    """The credential of the payload (browsers cannot set headers on a WebSocket), else of the handshake."""
    for key, value in (payload or {}).items():
        if key.lower() == "authorization" and isinstance(value, str):
            return value
    return headers.get("authorization")


def quoted(text: str) -> str:
    """A string as JSON."""
    return orjson.dumps(text).decode()
