"""Bodies and frames that no client would send: never a 500 or a traceback, and a good query is answered afterwards."""

import asyncio
import contextlib
import json
import random
from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs
from websockets.exceptions import ConnectionClosed

from tests.graphql_client import socket_to
from tests.small_schema import probe
from tests.transport_fixtures import client, reset, running, until

pytestmark = pytest.mark.anyio

QUICK, THOROUGH = 500, 10_000

BODIES: list[object] = [
    {"query": "{ hello }"},
    {"query": "query A($to: Int!) { count(to: $to) }", "variables": {"to": 3}, "operationName": "A"},
    {"query": 'mutation { write(text: "é€🏃") }', "extensions": {"a": [1, 2.5, None, True]}},
    {"query": "{ items(first: 3) { nodes { name parent { ...F } } } } fragment F on Item { name }"},
    {"documentId": "sha256:" + "0" * 64},
]
FRAMES: list[object] = [
    {"type": "connection_init", "payload": {"authorization": "Bearer x"}},
    {"type": "ping", "payload": {}},
    {"type": "pong"},
    {"type": "subscribe", "id": "1", "payload": {"query": "subscription { ticks(to: 2) }"}},
    {"type": "subscribe", "id": "2", "payload": {"query": "subscription { quiet }", "variables": {}}},
    {"type": "subscribe", "id": "3", "payload": {"query": "{ hello }", "operationName": None}},
    {"type": "complete", "id": "2"},
]
VALUES: list[object] = [
    None,
    True,
    0,
    -1,
    1e308,
    2**70,
    "",
    "\ud800",
    "x" * 2_000,
    [],
    {},
    [[]],
    {"": {}},
    {"query": 1},
]


def mutated_value(value: object, chance: random.Random) -> object:
    """The same value with one thing in it replaced, dropped, doubled or renamed."""
    if isinstance(value, dict) and value and chance.random() < 0.8:
        key = chance.choice(list(value))
        rest = {name: item for name, item in value.items() if name != key}
        match chance.randrange(4):
            case 0:
                return rest
            case 1:
                return {**rest, key + chance.choice(["", " ", "é", "\x00"]): value[key]}
            case _:
                return {**rest, key: mutated_value(value[key], chance)}
    if isinstance(value, str) and value and chance.random() < 0.7:
        at = chance.randrange(len(value))
        return (
            value[:at] + chance.choice(["", "{", "}", '"', "\\", "$", "...", "\x00", "é", value[:50]]) + value[at + 1 :]
        )
    return chance.choice(VALUES)


def mutated_bytes(text: bytes, chance: random.Random) -> bytes:
    """The same bytes with a few of them changed, cut or repeated."""
    data = bytearray(text)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(4):
            case 0:
                data[at : at + chance.randrange(8)] = b""
            case 1:
                data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 5)))
            case 2:
                data[at:at] = data[: chance.randrange(40)]
            case _:
                data[at : at + 1] = chance.choice([b"\xff", b"\\u", b"NaN", b"[" * 50, b"\x00", b"1e999"])
    return bytes(data)


def messages(seeds: list[object], count: int, seed: int) -> Iterator[bytes]:
    """So many mutated messages; the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        value: object = chance.choice(seeds)
        for _ in range(chance.randrange(3)):
            value = mutated_value(value, chance)
        text = json.dumps(value).encode()
        yield text if chance.random() < 0.4 else mutated_bytes(text, chance)


async def send_bodies(count: int) -> None:
    http = client()
    for index, body in enumerate(messages(BODIES, count, seed=1)):
        accept = ("application/json", "application/graphql-response+json")[index % 2]
        headers = {"content-type": "application/json", "accept": accept}
        response = await http.http.post("/graphql", content=body, headers=headers)
        assert response.status_code in (200, 400), body
        answer = response.json()
        codes = {error["extensions"]["code"] for error in answer.get("errors", [])}
        assert "INTERNAL_SERVER_ERROR" not in codes, body
        assert codes or "data" in answer
    assert (await http.execute("{ hello }")).data == {"hello": "Hello, you!"}


async def send_frames(count: int) -> None:
    """Mutated frames over one connection after another, some of them after a good handshake."""
    reset()
    before = len(asyncio.all_tasks())
    chance = random.Random(2)
    frames = messages(FRAMES, count, seed=3)
    async with running() as server:
        while batch := [frame for frame, _ in zip(frames, range(chance.randrange(1, 20)), strict=False)]:
            with contextlib.suppress(ConnectionClosed):
                async with socket_to(server.address) as socket:
                    if chance.random() < 0.8:
                        await socket.start()
                    for frame in batch:
                        is_text = chance.random() < 0.9
                        await socket.connection.send(frame.decode("utf-8", "replace") if is_text else frame)
                    await socket.send(type="unknown")
                    while True:
                        assert "INTERNAL_SERVER_ERROR" not in await socket.connection.recv(decode=True)
        async with socket_to(server.address) as socket:
            await socket.start()
            await socket.subscribe("1", "{ hello }")
            assert (await socket.receive())["payload"] == {"data": {"hello": "Hello, you!"}}
        await until(lambda: probe.open_streams == 0 and not server.application.sockets.connections)
    assert len(asyncio.all_tasks()) <= before


async def test_bodies() -> None:
    with capture_logs() as lines:
        await send_bodies(QUICK)
    assert [line for line in lines if line["log_level"] in ("error", "critical")] == []


async def test_frames() -> None:
    with capture_logs() as lines:
        await send_frames(QUICK)
    assert [line for line in lines if line["log_level"] in ("error", "critical")] == []


@pytest.mark.slow
async def test_many_bodies() -> None:
    with capture_logs() as lines:
        await send_bodies(THOROUGH)
    assert [line for line in lines if line["log_level"] in ("error", "critical")] == []


@pytest.mark.slow
async def test_many_frames() -> None:
    with capture_logs() as lines:
        await send_frames(THOROUGH)
    assert [line for line in lines if line["log_level"] in ("error", "critical")] == []
