"""Reading a request's body within its limit, and refusing what we would not understand."""

from collections.abc import Mapping
from typing import Final

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from domain.limits import MAX_BODY_BYTES, MEBIBYTE


class HttpProblem(Exception):
    """A request that is refused before it is a GraphQL request; `allow` and the like travel as headers."""

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


_TOO_LARGE: Final = f"The body is larger than {MAX_BODY_BYTES // MEBIBYTE} MiB ({MAX_BODY_BYTES:,} bytes)."


def check_json_content(headers: Mapping[str, str]) -> None:
    """Demand JSON in UTF-8 and no encoding; browsers ask a server before they post that to another site."""
    given = headers.get("content-type", "")
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if given == "application/json" and encoding == "identity":
        return
    if encoding not in ("", "identity"):
        raise HttpProblem(
            415,
            "UNSUPPORTED_ENCODING",
            f"Bodies are not accepted with Content-Encoding '{encoding[:40]}'; send them as they are.",
            accept_encoding="identity",
        )
    name, *parameters = (part.strip().lower() for part in given.split(";"))
    charsets = [part.partition("=")[2].strip(' "') for part in parameters if part.startswith("charset")]
    if name != "application/json" or any(charset not in ("utf-8", "utf8") for charset in charsets):
        raise HttpProblem(
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            "Send the request as JSON with 'Content-Type: application/json' (UTF-8).",
            accept="application/json",
        )


async def read_body(headers: Mapping[str, str], receive: Receive) -> bytes:
    """The body, counted while it arrives. Raises HttpProblem 413 as soon as it is over 16 MiB, ClientDisconnect."""
    announced = headers.get("content-length", "0")
    if announced.isascii() and announced.isdigit() and int(announced[:20]) > MAX_BODY_BYTES:
        raise HttpProblem(413, "REQUEST_TOO_LARGE", _TOO_LARGE)
    chunks: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            raise HttpProblem(413, "REQUEST_TOO_LARGE", _TOO_LARGE)
        chunks.append(chunk)
        more = message.get("more_body", False)
    return b"".join(chunks)
