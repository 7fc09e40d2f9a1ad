"""The `graphql-transport-ws` protocol on a real server: every message, every way to break it, what is left behind."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from domain.limits import MAX_BODY_BYTES, MAX_SOCKET_OPERATIONS
from server import sockets
from tests.graphql_client import Socket, socket_to
from tests.small_schema import probe
from tests.transport_fixtures import Running, reset, running, until

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def shared() -> AsyncIterator[Running]:
    async with running() as server:
        yield server


@pytest.fixture
async def server(shared: Running) -> AsyncIterator[Running]:
    """The module's server, with fresh counters and without connections of other tests."""
    reset()
    yield shared
    await until(lambda: not shared.application.sockets.connections)


async def closed(socket: Socket) -> tuple[int | None, str | None]:
    """The code and reason with which the server closes; messages before that are skipped."""
    try:
        async with asyncio.timeout(10):
            while True:
                await socket.connection.recv()
    except ConnectionClosed:
        return socket.connection.close_code, socket.connection.close_reason


async def test_a_subscription_from_its_first_to_its_last_event(server: Running) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        await socket.subscribe("1", "subscription { ticks }")
        for number in (1, 2, 3):
            assert await socket.receive() == {"type": "next", "id": "1", "payload": {"data": {"ticks": number}}}
        assert await socket.receive() == {"type": "complete", "id": "1"}


async def test_queries_and_mutations_run_too_and_an_id_may_be_used_again(server: Running) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        for document, data in (
            ("{ hello }", {"hello": "Hello, you!"}),
            ('mutation { write(text: "a") }', {"write": "a"}),
        ):
            await socket.subscribe("same", document)
            assert (await socket.receive())["payload"] == {"data": data}
            assert await socket.receive() == {"type": "complete", "id": "same"}


async def test_variables_and_operation_name(server: Running) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        document = "query A { hello } query B($to: Int!) { count(to: $to) }"
        await socket.subscribe("1", document, operationName="B", variables={"to": 4})
        assert (await socket.receive())["payload"] == {"data": {"count": 4}}


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"query": "{ nope }"}, "GRAPHQL_VALIDATION_FAILED"),
        ({"query": "{"}, "GRAPHQL_PARSE_FAILED"),
        ({"query": "query A { hello } query B { hello }"}, "OPERATION_RESOLUTION_FAILURE"),
        ({"query": "query ($to: Int!) { count(to: $to) }", "variables": {"to": "x"}}, "BAD_USER_INPUT"),
        ({"query": "subscription ($to: Int!) { ticks(to: $to) }", "variables": {"to": "x"}}, "BAD_USER_INPUT"),
        ({"documentId": "sha256:0"}, "PERSISTED_QUERY_NOT_FOUND"),
    ],
)
async def test_a_request_error_is_one_error_message_and_nothing_more(
    server: Running, payload: dict[str, Any], code: str
) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        await socket.send(type="subscribe", id="1", payload=payload)
        message = await socket.receive()
        assert (message["type"], message["id"]) == ("error", "1")
        assert [error["extensions"]["code"] for error in message["payload"]] == [code]
        await socket.send(type="ping")
        assert await socket.receive() == {"type": "pong"}


async def test_a_stream_that_fails_tells_its_error_masked(server: Running) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        await socket.subscribe("1", "subscription { failing }")
        assert (await socket.receive())["payload"] == {"data": {"failing": 1}}
        message = await socket.receive()
        assert message["payload"]["errors"][0]["extensions"]["code"] == "INTERNAL_SERVER_ERROR"
        assert "secret" not in json.dumps(message)
        assert await socket.receive() == {"type": "complete", "id": "1"}


async def test_ping_is_answered_with_its_payload_also_before_the_handshake(server: Running) -> None:
    async with socket_to(server.address) as socket:
        await socket.send(type="ping", payload={"a": 1})
        assert await socket.receive() == {"type": "pong", "payload": {"a": 1}}
        await socket.send(type="pong")
        await socket.start()


async def test_completing_ends_a_stream_and_unknown_ids_are_ignored(server: Running) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        await socket.send(type="complete", id="unknown")
        await socket.subscribe("1", "subscription { quiet }")
        await socket.receive()
        assert probe.open_streams == 1
        await socket.send(type="complete", id="1")
        await until(lambda: probe.open_streams == 0)
        await socket.subscribe("1", "{ hello }")
        assert (await socket.receive())["type"] == "next"


async def test_every_operation_has_a_context_and_every_event_renews_it(server: Running) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        await socket.subscribe("1", "subscription { ticks(to: 5) }")
        await socket.subscribe("2", "{ hello }")
        messages = [await socket.receive() for _ in range(8)]
        assert [message["id"] for message in messages].count("1") == 6
    assert len(probe.contexts) == 2
    assert sorted(context.renewed for context in probe.contexts) == [0, 5]


MALFORMED = [
    "",
    "{",
    "null",
    "7",
    "[]",
    '"ping"',
    "{}",
    '{"type": 7}',
    '{"type": "unknown"}',
    '{"type": "start", "id": "1"}',
    '{"type": "connection_init", "payload": 7}',
    '{"type": "connection_init", "payload": []}',
    '{"type": "ping", "payload": "x"}',
    '{"type": "pong", "payload": 1}',
    '{"type": "subscribe", "payload": {"query": "{ hello }"}}',
    '{"type": "subscribe", "id": "", "payload": {"query": "{ hello }"}}',
    '{"type": "subscribe", "id": 1, "payload": {"query": "{ hello }"}}',
    '{"type": "subscribe", "id": "' + "x" * 1_001 + '", "payload": {"query": "{ hello }"}}',
    '{"type": "complete"}',
    '{"type": "complete", "id": null}',
    '{"type": "ping", "payload": {"a": "\\ud800"}}',
    '{"type": "' + "é" * 500 + '"}',
    "[" * 50_000,
    b'{"type": "connection_init"}',
]


@pytest.mark.parametrize("message", MALFORMED, ids=range(len(MALFORMED)))
async def test_a_malformed_message_closes_with_4400(server: Running, message: str | bytes) -> None:
    async with socket_to(server.address) as socket:
        await socket.connection.send(message)
        code, reason = await closed(socket)
        assert code == 4400
        assert reason
        assert len(reason.encode()) <= 123


@pytest.mark.parametrize(
    "payload",
    [
        None,
        7,
        "x",
        [],
        {},
        {"query": 7},
        {"query": "{ hello }", "variables": []},
        {"query": "{ hello }", "operationName": 1},
    ],
)
async def test_a_malformed_operation_closes_with_4400(server: Running, payload: object) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        await socket.send(type="subscribe", id="1", payload=payload)
        assert (await closed(socket))[0] == 4400


async def test_an_operation_before_the_handshake_closes_with_4401(server: Running) -> None:
    async with socket_to(server.address) as socket:
        await socket.subscribe("1", "{ hello }")
        assert (await closed(socket))[0] == 4401


async def test_a_second_handshake_closes_with_4429(server: Running) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        await socket.send(type="connection_init")
        assert (await closed(socket))[0] == 4429


async def test_an_id_in_use_closes_with_4409_and_a_reason_that_fits(server: Running) -> None:
    identity = "€" * 300
    async with socket_to(server.address) as socket:
        await socket.start()
        await socket.subscribe(identity, "subscription { quiet }")
        await socket.subscribe(identity, "{ hello }")
        code, reason = await closed(socket)
        assert code == 4409
        assert reason is not None
        assert len(reason.encode()) <= 123
    await until(lambda: probe.open_streams == 0)


async def test_no_handshake_in_time_closes_with_4408(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "INIT_SECONDS", 0.05)
    async with socket_to(server.address) as socket:
        assert (await closed(socket))[0] == 4408


@pytest.mark.parametrize("protocol", ["graphql-ws", "unknown"])
async def test_another_protocol_closes_with_4406(server: Running, protocol: str) -> None:
    with contextlib.suppress(Exception):
        async with socket_to(server.address, protocol=protocol) as socket:
            await socket.send(type="connection_init")
            assert (await closed(socket))[0] == 4406
    async with socket_to(server.address) as socket:
        await socket.start()


async def test_the_operations_of_a_socket_are_limited(server: Running) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        for number in range(MAX_SOCKET_OPERATIONS):
            await socket.subscribe(str(number), "subscription { quiet }")
        for _ in range(MAX_SOCKET_OPERATIONS):
            assert (await socket.receive())["type"] == "next"
        await socket.subscribe("over", "{ hello }")
        message = await socket.receive()
        assert (message["type"], message["id"]) == ("error", "over")
        assert message["payload"][0]["extensions"] == {"code": "TOO_MANY_OPERATIONS", "limit": MAX_SOCKET_OPERATIONS}
        await socket.send(type="complete", id="0")
        await until(lambda: probe.open_streams == MAX_SOCKET_OPERATIONS - 1)
        await socket.subscribe("again", "{ hello }")
        assert (await socket.receive())["type"] == "next"
    await until(lambda: probe.open_streams == 0)


async def test_a_frame_over_the_limit_closes_with_1009(server: Running) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        with contextlib.suppress(ConnectionClosed):
            await socket.connection.send(" " * (MAX_BODY_BYTES + 1))
        assert (await closed(socket))[0] == 1009


async def test_clients_that_vanish_leave_nothing_behind(server: Running) -> None:
    tasks = len(asyncio.all_tasks())
    for _ in range(50):
        async with socket_to(server.address) as socket:
            await socket.start()
            for number in range(3):
                await socket.subscribe(str(number), "subscription { quiet }")
            await socket.receive()
            socket.connection.transport.abort()
    await until(lambda: probe.open_streams == 0 and not server.application.sockets.connections)
    await until(lambda: len(asyncio.all_tasks()) <= tasks)


async def test_a_slow_reader_slows_nobody_else(server: Running) -> None:
    async with socket_to(server.address, max_queue=1) as slow, socket_to(server.address) as quick:
        await slow.start()
        await slow.subscribe("1", "subscription { ticks(to: 1000000) }")
        await quick.start()
        await quick.subscribe("1", "subscription { ticks(to: 2000) }")
        for _ in range(2001):
            message = await quick.receive()
        assert message == {"type": "complete", "id": "1"}
        slow.connection.transport.abort()


async def test_a_client_that_takes_nothing_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "CHECK_SECONDS", 0.02)
    monkeypatch.setattr(sockets, "SEND_SECONDS", 0.2)
    async with running() as server, socket_to(server.address) as stuck, socket_to(server.address) as quick:
        await stuck.start()
        await quick.start()
        stuck.connection.transport.pause_reading()
        for identity in ("1", "2"):
            await stuck.subscribe(identity, "{ large(megabytes: 16) }")
        await until(lambda: len(server.application.sockets.connections) == 1)
        await quick.subscribe("1", "{ hello }")
        assert (await quick.receive())["type"] == "next"
        stuck.connection.transport.abort()


async def test_a_mutation_that_writes_survives_its_client(server: Running) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        await socket.subscribe("1", "mutation { holdWriting }")
        await until(lambda: len(probe.contexts) == 1)
        socket.connection.transport.abort()
    await until(lambda: not server.application.sockets.connections)
    probe.gate.set()
    await until(lambda: probe.written == ["held"])


async def test_shutdown_closes_with_1001_after_the_operations() -> None:
    async with running() as server:
        async with socket_to(server.address) as socket:
            await socket.start()
            await socket.subscribe("1", "subscription { quiet }")
            await socket.receive()
            await server.application.close_streams()
            assert await closed(socket) == (1001, "The server shuts down")
        assert probe.open_streams == 0


async def test_tokens_are_read_from_the_payload_or_the_header() -> None:
    token = "an-admin-token-of-the-test"
    async with running(auth="tokens", admin_token=token) as server:
        async with socket_to(server.address) as socket:
            await socket.start({"authorization": f"Bearer {token}"})
            await socket.subscribe("1", "{ viewer }")
            assert (await socket.receive())["payload"] == {"data": {"viewer": "admin"}}
        headers = {"authorization": f"Bearer {token}"}
        async with socket_to(server.address, additional_headers=headers) as socket:
            await socket.start()
        for payload in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic eA=="}, {"authorization": 7}):
            async with socket_to(server.address) as socket:
                await socket.send(type="connection_init", payload=payload)
                assert (await closed(socket))[0] == 4403


async def test_a_token_that_becomes_void_closes_open_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "CHECK_SECONDS", 0.02)
    token = "an-admin-token-of-the-test"
    async with running(auth="tokens", admin_token=token) as server:
        async with socket_to(server.address) as socket:
            await socket.start({"Authorization": f"Bearer {token}"})
            await socket.subscribe("1", "subscription { quiet }")
            await socket.receive()
            authenticator: Any = server.application.operations.authenticator
            authenticator._admin = None
            assert (await closed(socket))[0] == 4403
        assert probe.open_streams == 0


async def test_a_server_that_ends_a_busy_socket_logs_no_traceback(
    server: Running, caplog: pytest.LogCaptureFixture
) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        for number in range(MAX_SOCKET_OPERATIONS):
            await socket.subscribe(str(number), "subscription { ticks(to: 100000) }")
        reader = asyncio.create_task(closed(socket))
        await until(lambda: probe.open_streams == MAX_SOCKET_OPERATIONS)
        with contextlib.suppress(ConnectionClosed):
            await socket.connection.send(" " * (MAX_BODY_BYTES + 1))
        # The rest of the frame meets a closed connection, whose reset may overtake the close code.
        assert (await reader)[0] in (1009, 1006)
    await until(lambda: probe.open_streams == 0 and not server.application.sockets.connections)
    assert [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []


async def test_a_text_frame_that_is_not_utf_8_closes_with_1007(
    server: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    async with socket_to(server.address) as socket:
        await socket.start()
        await socket.connection.send(b"\xff\xfe", text=True)
        assert (await closed(socket))[0] == 1007
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.slow
async def test_a_thousand_clients_that_come_subscribe_and_vanish(server: Running) -> None:
    tasks = len(asyncio.all_tasks())
    for _ in range(1_000):
        async with socket_to(server.address) as socket:
            await socket.start()
            await socket.subscribe("1", "subscription { ticks(to: 1000) }")
            await socket.receive()
            socket.connection.transport.abort()
    await until(lambda: probe.open_streams == 0 and not server.application.sockets.connections)
    await until(lambda: len(asyncio.all_tasks()) <= tasks)
