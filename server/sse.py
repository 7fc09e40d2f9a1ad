"""Server-sent events by the graphql-sse protocol, in distinct-connections mode: one operation a request."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from starlette.types import Receive, Scope, Send

from domain.errors import ServiceUnavailable, Unauthenticated
from schema.execution.answers import Answer, refusal, unexpected
from server.answers import encode
from server.drain import Drain

# A comment now and then keeps proxies from closing a quiet stream.
HEARTBEAT_SECONDS: Final = 12.0
CHECK_SECONDS: Final = 1.0

_HEARTBEAT: Final = b":\n\n"
_COMPLETE: Final = b"event: complete\ndata: \n\n"
_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"vary", b"accept"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]


async def single(answer: Answer) -> AsyncGenerator[Answer, None]:
    """A stream of one answer."""
    yield answer


@dataclass(slots=True)
class EventStream:
    """An ASGI response: answers as `next` events, then `complete`.

    It ends without `complete` when the server shuts down, so that the client connects again elsewhere; a client
    that has gone ends it at once. `check` raises Unauthenticated once the caller's credential is void.
    """

    answers: AsyncGenerator[Answer, None]
    request_id: str
    drain: Drain
    check: Callable[[], Awaitable[object]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        headers = [*_HEADERS, (b"x-request-id", self.request_id.encode("ascii"))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        gone = asyncio.create_task(_disconnected(receive))
        ended = asyncio.create_task(self.drain.wait())
        pending: asyncio.Task[Answer | None] | None = None
        try:
            with contextlib.suppress(OSError):
                while True:
                    pending = pending or asyncio.create_task(_next(self.answers))
                    if not await self._waited(pending, gone, ended, send):
                        break
                    answer, pending = pending.result(), None
                    if answer is None:
                        await _write(send, _COMPLETE)
                        break
                    await _write(send, b"event: next\ndata: " + encode(answer)[1] + b"\n\n")
                await send({"type": "http.response.body", "body": b""})
        finally:
            await _end(self.answers, [gone, ended, *([pending] if pending else [])])

    async def _waited(
        self,
        pending: asyncio.Task[Answer | None],
        gone: asyncio.Task[None],
        ended: asyncio.Task[None],
        send: Send,
    ) -> bool:
        """Wait for the next answer; False where the stream is over for another reason."""
        beat = time.monotonic()
        while not pending.done():
            await asyncio.wait({pending, gone, ended}, timeout=CHECK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if gone.done() or ended.done():
                return False
            if not pending.done():
                if not await self._still_allowed(send):
                    return False
                if time.monotonic() - beat >= HEARTBEAT_SECONDS:
                    await _write(send, _HEARTBEAT)
                    beat = time.monotonic()
        return True

    async def _still_allowed(self, send: Send) -> bool:
        try:
            await self.check()
        except Unauthenticated as error:
            await _write(send, b"event: next\ndata: " + encode(refusal(error))[1] + b"\n\n" + _COMPLETE)
            return False
        except ServiceUnavailable:
            # It is asked again in a second, and before the next answer in any case.
            return True
        return True


async def _write(send: Send, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _next(answers: AsyncGenerator[Answer, None]) -> Answer | None:
    try:
        return await anext(answers, None)
    except Exception as error:
        return unexpected(error)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _end(answers: AsyncGenerator[Answer, None], tasks: list[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await answers.aclose()
