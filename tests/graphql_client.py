"""Clients for tests: GraphQL over an ASGI application without a socket, and a real server on a free port."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import httpx
import uvicorn
from starlette.types import ASGIApp
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

GRAPHQL_JSON = "application/graphql-response+json"


@dataclass(frozen=True)
class Result:
    """An answer: `data` (None where the key is absent), `errors`, and the HTTP response behind them."""

    data: Any
    errors: list[dict[str, Any]]
    response: httpx.Response

    @property
    def codes(self) -> list[str]:
        """The codes of the errors, in their order."""
        return [error["extensions"]["code"] for error in self.errors]


class GraphQLClient:
    """Sends documents to `/graphql` of an application."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    @classmethod
    def over(cls, app: ASGIApp, token: str | None = None) -> Self:
        """A client of an application in this process; without a lifespan."""
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        transport = httpx.ASGITransport(app=app)
        return cls(httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers))

    async def execute(
        self, document: str, variables: Mapping[str, object] | None = None, operation_name: str | None = None
    ) -> Result:
        """Send a document; transport problems and answers that are not JSON raise."""
        body = {"query": document, "variables": variables, "operationName": operation_name}
        response = await self.http.post("/graphql", json=body, headers={"accept": GRAPHQL_JSON})
        answer = response.json()
        return Result(answer.get("data"), answer.get("errors", []), response)

    async def data(self, document: str, variables: Mapping[str, object] | None = None) -> Any:
        """The data of an answer without errors."""
        result = await self.execute(document, variables)
        assert result.errors == []
        return result.data


class Server(uvicorn.Server):
    """A real server inside the test's own event loop; signals are left to the test runner."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        yield


@contextlib.asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[str]:
    """Run an application on a free loopback port; gives `host:port`."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app, ws="websockets-sansio", ws_per_message_deflate=False, log_config=None, timeout_graceful_shutdown=5
    )
    server = Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        await server.ready.wait()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


class Socket:
    """A WebSocket that speaks JSON."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def send(self, **message: object) -> None:
        """Send one message."""
        await self.connection.send(json.dumps(message))

    async def receive(self) -> dict[str, Any]:
        """The next message; ConnectionClosed where the server closes."""
        message = json.loads(await asyncio.wait_for(self.connection.recv(decode=True), 10))
        assert isinstance(message, dict)
        return message

    async def start(self, payload: dict[str, object] | None = None) -> Self:
        """Send connection_init and wait for its answer."""
        await self.send(type="connection_init", **({} if payload is None else {"payload": payload}))
        assert await self.receive() == {"type": "connection_ack"}
        return self

    async def subscribe(self, identity: str, query: str, **payload: object) -> None:
        """Start an operation."""
        await self.send(type="subscribe", id=identity, payload={"query": query, **payload})


@contextlib.asynccontextmanager
async def socket_to(address: str, *, protocol: str = "graphql-transport-ws", **options: Any) -> AsyncIterator[Socket]:
    """An open WebSocket to `/graphql` of a server."""
    url = f"ws://{address}/graphql"
    async with connect(
        url, subprotocols=[Subprotocol(protocol)], max_size=None, compression=None, **options
    ) as connection:
        yield Socket(connection)
