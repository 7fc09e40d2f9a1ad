"""What is open when a token ends: streams, sockets and their operations, on this server and on another one."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any, cast

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from domain.grants import Grant, Scope
from resolvers.context import Context
from resolvers.tokens import create_token, revoke_token
from server.app import assemble
from server.auth import ADMIN_VIEWER, TokenAuthenticator
from server.settings import Settings
from storage.clock import now
from storage.driver import Database, connect
from storage.records import TokenRecord
from storage.services import Services, open_services
from tests.graphql_client import GraphQLClient, Socket, serving, socket_to
from tests.small_schema import probe, schema
from tests.transport_fixtures import ready, reset, until

pytestmark = pytest.mark.anyio

GRANTS = (Grant("default", frozenset({Scope.READ})),)


@pytest.fixture
async def address(services: Services) -> AsyncIterator[str]:
    """A server that demands tokens, with subscriptions that wait."""
    reset()
    authenticator = TokenAuthenticator(None, services)
    app = assemble(Settings(auth="tokens"), schema, cast("Any", probe.make_context), ready, authenticator)
    async with serving(app.asgi) as address:
        yield address


@pytest.fixture
async def elsewhere(mongodb_url: str, database: Database) -> AsyncIterator[Context]:
    """The administrator at another server on the same database."""
    client = connect(mongodb_url)
    opened = await open_services(client, database.name)
    yield Context(opened, ADMIN_VIEWER)
    await opened.close()
    client.close()


@pytest.fixture
async def made(services: Services) -> tuple[str, TokenRecord]:
    return await create_token(Context(services, ADMIN_VIEWER), "dashboard", GRANTS, None)


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


async def streamed(address: str, secret: str) -> list[dict[str, Any]]:
    """The answers of a subscription that waits after its first event, once its stream is over."""
    async with httpx.AsyncClient() as http:
        headers = {**bearer(secret), "accept": "text/event-stream"}
        response = await http.post(
            f"http://{address}/graphql", json={"query": "subscription { quiet }"}, headers=headers, timeout=10
        )
    lines = [line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in lines]


async def everything(socket: Socket) -> list[str]:
    """The types of all messages until the server closes, which it must do with 4403."""
    types = []
    with contextlib.suppress(ConnectionClosed):
        while True:
            types.append((await socket.receive())["type"])
    assert socket.connection.close_code == 4403
    return types


def codes(answers: list[dict[str, Any]]) -> list[str]:
    return [error["extensions"]["code"] for answer in answers for error in answer.get("errors", ())]


async def test_an_open_stream_ends_when_its_token_is_revoked(
    services: Services, address: str, made: tuple[str, TokenRecord]
) -> None:
    stream = asyncio.create_task(streamed(address, made[0]))
    await until(lambda: probe.open_streams == 1)
    await revoke_token(Context(services, ADMIN_VIEWER), made[1].id, "id")
    assert codes(await stream) == ["UNAUTHENTICATED"]
    await until(lambda: probe.open_streams == 0)


async def test_an_open_socket_closes_when_its_token_is_revoked_elsewhere(
    elsewhere: Context, address: str, made: tuple[str, TokenRecord]
) -> None:
    async with socket_to(address, additional_headers=bearer(made[0])) as socket:
        await socket.start()
        await socket.subscribe("1", "subscription { quiet }")
        await until(lambda: probe.open_streams == 1)
        await revoke_token(elsewhere, made[1].id, "id")
        assert "error" not in await everything(socket)
    await until(lambda: probe.open_streams == 0)


async def test_a_token_that_expires_ends_streams_and_operations(services: Services, address: str) -> None:
    admin = Context(services, ADMIN_VIEWER)
    secret, _ = await create_token(admin, "brief", GRANTS, now() + timedelta(seconds=1.5))
    assert codes(await streamed(address, secret)) == ["UNAUTHENTICATED"]
    client = GraphQLClient(httpx.AsyncClient(base_url=f"http://{address}", headers=bearer(secret)))
    result = await client.execute("{ hello }")
    assert (result.codes, result.response.status_code) == (["UNAUTHENTICATED"], 401)
    await client.http.aclose()


async def test_the_next_operation_of_a_socket_is_refused_at_once(
    services: Services, address: str, made: tuple[str, TokenRecord]
) -> None:
    async with socket_to(address, additional_headers=bearer(made[0])) as socket:
        await socket.start()
        await socket.subscribe("1", "{ hello }")
        assert [(await socket.receive())["type"] for _ in range(2)] == ["next", "complete"]
        await revoke_token(Context(services, ADMIN_VIEWER), made[1].id, "id")
        await socket.subscribe("2", "{ hello }")
        # The socket itself closes within a second: whichever comes first, there is no answer.
        assert "next" not in await everything(socket)


async def test_when_the_last_token_ends_nothing_opens(
    services: Services, address: str, made: tuple[str, TokenRecord]
) -> None:
    await revoke_token(Context(services, ADMIN_VIEWER), made[1].id, "id")
    async with httpx.AsyncClient(base_url=f"http://{address}") as http:
        for headers in ({}, bearer(made[0]), bearer("pinset_" + "A" * 43), {"authorization": "Basic YTpi"}):
            answer = await http.post("/graphql", json={"query": "{ hello }"}, headers=headers)
            assert answer.status_code == 401
            assert answer.json()["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"
            assert (await http.get("/metrics", headers=headers)).status_code == 401
        assert (await http.get("/healthz")).status_code == 200
    for payload in ({}, {"authorization": f"Bearer {made[0]}"}):
        async with socket_to(address) as socket:
            await socket.send(type="connection_init", payload=payload)
            assert await everything(socket) == []
