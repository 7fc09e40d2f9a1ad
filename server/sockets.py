"""GraphQL over WebSocket by the `graphql-transport-ws` protocol.

Each operation runs in a task of its own with a context of its own. A message is sent only when the socket takes it, so
a slow reader slows its own subscriptions and nobody else's. Whatever ends a connection ends its tasks first.
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import orjson
import structlog
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from domain.errors import LimitExceeded, RequestError, Unauthenticated
from domain.limits import MAX_SOCKET_OPERATIONS
from schema.execution.answers import Answer, RequestRefused, refusal, unexpected
from server.addresses import client_address
from server.answers import encode
from server.frames import (
    BAD_MESSAGE,
    BAD_SUBPROTOCOL,
    DUPLICATE_ID,
    FORBIDDEN,
    GOING_AWAY,
    INIT_TIMEOUT,
    INTERNAL,
    PROTOCOL,
    TOO_MANY_INITS,
    UNAUTHORIZED,
    Closed,
    authorization_in,
    cut,
    identity_of,
    parse_message,
    payload_of,
    quoted,
)
from server.operations import Caller, Operations
from server.requests import GraphQLRequest, read_request
from server.telemetry import Transport, trace_headers

log = structlog.get_logger("pinset.sockets")

INIT_SECONDS: Final = 3.0
SEND_SECONDS: Final = 30.0
CHECK_SECONDS: Final = 1.0


@dataclass(eq=False, slots=True)
class SocketView:
    """Serves WebSocket connections, and knows all that are open."""

    operations: Operations
    connections: set["Connection"] = field(default_factory=set)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection to its end."""
        connection = Connection(self.operations, scope, receive, send)
        self.connections.add(connection)
        self.operations.telemetry.sockets.inc()
        try:
            await connection.run()
        finally:
            self.connections.discard(connection)
            self.operations.telemetry.sockets.dec()

    async def close_all(self) -> None:
        """End every connection; their clients connect again elsewhere."""
        await asyncio.gather(
            *(connection.end(GOING_AWAY, "The server shuts down") for connection in set(self.connections))
        )

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """While the body runs, close connections that are stuck or whose credential has become void."""
        task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait({task})

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            for connection in set(self.connections):
                await connection.check()


class Connection:
    """One socket: its handshake, its messages, and its operations by id."""

    def __init__(self, operations: Operations, scope: Scope, receive: Receive, send: Send) -> None:
        self.operations = operations
        self.headers = Headers(scope=scope)
        self.address = client_address(scope)
        self.subprotocols: list[str] = scope.get("subprotocols", [])
        self._receive = receive
        self._send = send
        self.caller: Caller | None = None
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.ending: set[asyncio.Task[None]] = set()
        self.is_closed = False
        self.is_gone = False
        self.main: asyncio.Task[Any] | None = None
        self.sending = 0
        self.taken_at = 0.0

    async def run(self) -> None:
        """Serve the connection; ends all of its operations before it ends itself."""
        self.main = asyncio.current_task()
        try:
            await self._accept()
            await self._serve()
        except Closed as closed:
            await self.end(closed.code, closed.reason)
        except asyncio.CancelledError:
            if not self.is_gone:
                raise
        except Exception as error:
            unexpected(error)
            await self.end(INTERNAL, "Internal error")
        finally:
            await self.end(None)

    async def end(self, code: int | None, reason: str = "") -> None:
        """Cancel the operations, then close the socket; once only. Code None where the client has gone."""
        if self.is_closed:
            return
        self.is_closed = True
        tasks = [*self.tasks.values(), *self.ending]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if code is not None:
            with contextlib.suppress(OSError, RuntimeError, TimeoutError):
                async with asyncio.timeout(SEND_SECONDS):
                    await self._send({"type": "websocket.close", "code": code, "reason": cut(reason)})

    async def check(self) -> None:
        """Close the connection where its client takes nothing for half a minute, or its credential has become void."""
        if self.sending and time.monotonic() - self.taken_at > SEND_SECONDS:
            self._interrupt()
        if self.caller is None:
            return
        try:
            await self.operations.authenticator.authenticate(self.caller.authorization)
        except Unauthenticated as error:
            await self.end(FORBIDDEN, error.message)
        except Exception as error:
            log.warning("credential not checked", reason=type(error).__name__)

    async def _accept(self) -> None:
        message = await self._receive()
        if message["type"] != "websocket.connect":
            raise Closed(None)
        is_ours = PROTOCOL in self.subprotocols
        await self._put({"type": "websocket.accept", "subprotocol": PROTOCOL if is_ours else None})
        if not is_ours:
            raise Closed(BAD_SUBPROTOCOL, f"Subprotocol not acceptable: use {PROTOCOL}")

    async def _serve(self) -> None:
        try:
            async with asyncio.timeout(INIT_SECONDS):
                while self.caller is None:
                    await self._handle(await self._message())
        except TimeoutError:
            raise Closed(INIT_TIMEOUT, "Connection initialisation timeout") from None
        while not self.is_closed:
            await self._handle(await self._message())

    async def _message(self) -> dict[str, Any]:
        event = await self._receive()
        if event["type"] == "websocket.disconnect":
            raise Closed(None)
        return parse_message(event.get("text"))

    async def _handle(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "connection_init":
                await self._initialise(payload_of(message))
            case "ping":
                payload = payload_of(message)
                await self._put_json({"type": "pong"} if payload is None else {"type": "pong", "payload": payload})
            case "pong":
                payload_of(message)
            case "subscribe":
                await self._subscribe(identity_of(message), message.get("payload"))
            case "complete":
                self._complete(identity_of(message))
            case other:
                raise Closed(BAD_MESSAGE, f"Unknown message type {other[:40]!r}")

    async def _initialise(self, payload: dict[str, Any] | None) -> None:
        if self.caller is not None:
            raise Closed(TOO_MANY_INITS, "Too many initialisation requests")
        authorization = authorization_in(payload, self.headers)
        try:
            viewer = await self.operations.authenticator.authenticate(authorization)
        except Unauthenticated as error:
            raise Closed(FORBIDDEN, error.message) from None
        except RequestError as error:
            raise Closed(INTERNAL, error.message) from None
        trace = trace_headers(self.headers)
        self.caller = Caller(viewer, authorization, secrets.token_hex(8), Transport.WEBSOCKET, self.address, trace)
        await self._put_json({"type": "connection_ack"})

    async def _subscribe(self, identity: str, payload: object) -> None:
        if self.caller is None:
            raise Closed(UNAUTHORIZED, "Unauthorized: send connection_init and wait for connection_ack")
        if identity in self.tasks:
            raise Closed(DUPLICATE_ID, f"Subscriber for {identity} already exists")
        try:
            request = read_request(payload)
        except RequestError as error:
            raise Closed(BAD_MESSAGE, error.message) from None
        if len(self.tasks) >= MAX_SOCKET_OPERATIONS:
            await self._put_errors(identity, refusal(_too_many_operations()))
            return
        task = asyncio.create_task(self._operate(identity, request, self.caller))
        self.tasks[identity] = task
        task.add_done_callback(self.ending.discard)

    def _complete(self, identity: str) -> None:
        task = self.tasks.pop(identity, None)
        if task is not None:
            self.ending.add(task)
            task.cancel()

    async def _operate(self, identity: str, request: GraphQLRequest, caller: Caller) -> None:
        try:
            await self._answer(identity, request, await self._recognised(caller))
        except Closed:
            self._interrupt()
        except Exception as error:
            self._forget(identity)
            answer = refusal(error) if isinstance(error, RequestError) else unexpected(error)
            with contextlib.suppress(Closed):
                await self._put_errors(identity, answer)

    async def _recognised(self, caller: Caller) -> Caller:
        """The caller with the rights it has now: a socket lives longer than its token's grants may."""
        viewer = await self.operations.recognise(caller.authorization, caller.address)
        return replace(caller, viewer=viewer, request_id=secrets.token_hex(8))

    async def _answer(self, identity: str, request: GraphQLRequest, caller: Caller) -> None:
        try:
            operation = await self.operations.prepare(request)
        except RequestRefused as refused:
            self._forget(identity)
            await self._put_errors(identity, refused.answer)
            return
        async with contextlib.aclosing(self.operations.stream(operation, request, caller)) as answers:
            async for answer in answers:
                sent, body = encode(answer)
                if sent.is_request_error:
                    self._forget(identity)
                    await self._put_errors(identity, sent)
                    return
                await self._put_text(f'{{"type":"next","id":{quoted(identity)},"payload":{body.decode()}}}')
        self._forget(identity)
        await self._put_json({"type": "complete", "id": identity})

    def _forget(self, identity: str) -> None:
        """Free the id before the last message goes out: its client may use it again as soon as it reads that."""
        task = self.tasks.pop(identity, None)
        if task is not None:
            self.ending.add(task)

    def _interrupt(self) -> None:
        """Nothing can be sent any more: wake the reader, which then ends the connection."""
        if self.main is not None and not self.is_closed:
            self.is_gone = True
            self.main.cancel()

    async def _put_errors(self, identity: str, answer: Answer) -> None:
        await self._put_json({"type": "error", "id": identity, "payload": list(answer.errors)})

    async def _put_json(self, message: dict[str, Any]) -> None:
        await self._put_text(orjson.dumps(message).decode())

    async def _put_text(self, text: str) -> None:
        await self._put({"type": "websocket.send", "text": text})

    async def _put(self, event: dict[str, Any]) -> None:
        """Send an event. Raises Closed where the client has gone."""
        self.sending += 1
        if self.sending == 1:
            self.taken_at = time.monotonic()
        try:
            await self._send(event)
        except (OSError, RuntimeError):
            raise Closed(None) from None
        finally:
            self.sending -= 1
            if self.sending:
                self.taken_at = time.monotonic()


def _too_many_operations() -> LimitExceeded:
    return LimitExceeded(
        f"This connection has {MAX_SOCKET_OPERATIONS} operations open, the limit. Complete some, or connect again.",
        code="TOO_MANY_OPERATIONS",
        limit=MAX_SOCKET_OPERATIONS,
    )
