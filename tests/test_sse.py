"""Server-sent events by the graphql-sse protocol, in distinct-connections mode."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from server import sse
from tests.small_schema import probe
from tests.transport_fixtures import client, running, until

pytestmark = pytest.mark.anyio

STREAM = {"accept": "text/event-stream"}
QUIET = {"query": "subscription { quiet }"}


def events(text: str) -> list[tuple[str, Any]]:
    """Name and parsed data of each event; comments are skipped."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"]) if fields["data"] else None))
    return found


async def test_a_subscription() -> None:
    response = await client().http.post("/graphql", json={"query": "subscription { ticks }"}, headers=STREAM)
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["cache-control"] == "no-store"
    assert events(response.text) == [
        ("next", {"data": {"ticks": 1}}),
        ("next", {"data": {"ticks": 2}}),
        ("next", {"data": {"ticks": 3}}),
        ("complete", None),
    ]
    assert probe.contexts[0].renewed == 3


async def test_complete_has_a_data_line_for_event_source() -> None:
    response = await client().http.get("/graphql", params={"query": "{ hello }"}, headers=STREAM)
    assert response.text == 'event: next\ndata: {"data":{"hello":"Hello, you!"}}\n\nevent: complete\ndata: \n\n'


@pytest.mark.parametrize(
    "document", ["{ nope }", "{", "subscription($to: Int!) { ticks(to: $to) }", "query A{hello} query B{hello}"]
)
async def test_request_errors_travel_as_an_event(document: str) -> None:
    response = await client().http.post("/graphql", json={"query": document}, headers=STREAM)
    assert response.status_code == 200
    (name, answer), complete = events(response.text)
    assert name == "next"
    assert "data" not in answer
    assert len(answer["errors"]) == 1
    assert complete == ("complete", None)


async def test_what_is_no_request_gets_a_status() -> None:
    http = client().http
    assert (await http.post("/graphql", json=[], headers=STREAM)).status_code == 400
    assert (
        await http.post("/graphql", content=b"x", headers={**STREAM, "content-type": "text/plain"})
    ).status_code == 415
    mutation = {"query": 'mutation { write(text: "x") }'}
    assert (await http.get("/graphql", params=mutation, headers=STREAM)).status_code == 405
    assert probe.written == []


async def test_a_stream_that_is_listed_second_serves_subscriptions_alone() -> None:
    headers = {"accept": "application/graphql-response+json, application/json, text/event-stream"}
    http = client().http
    query = await http.post("/graphql", json={"query": "{ hello }"}, headers=headers)
    assert query.headers["content-type"].startswith("application/graphql-response+json")
    stream = await http.post("/graphql", json={"query": "subscription { ticks }"}, headers=headers)
    assert stream.headers["content-type"].startswith("text/event-stream")


async def test_a_client_that_leaves_ends_its_stream() -> None:
    async with running() as server, httpx.AsyncClient(base_url=f"http://{server.address}") as http:
        async with http.stream("POST", "/graphql", json=QUIET, headers=STREAM) as response:
            assert "quiet" in await anext(response.aiter_text())
            assert probe.open_streams == 1
        await until(lambda: probe.open_streams == 0)


async def test_shutdown_ends_streams_without_complete() -> None:
    async with running() as server, httpx.AsyncClient(base_url=f"http://{server.address}") as http:
        async with http.stream("POST", "/graphql", json=QUIET, headers=STREAM) as response:
            chunks = response.aiter_text()
            await anext(chunks)
            await server.application.close_streams()
            assert [chunk async for chunk in chunks] == []
        await until(lambda: probe.open_streams == 0)


async def test_a_quiet_stream_is_kept_open_by_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "CHECK_SECONDS", 0.01)
    monkeypatch.setattr(sse, "HEARTBEAT_SECONDS", 0.01)
    running_request = asyncio.create_task(client().http.post("/graphql", json=QUIET, headers=STREAM))
    await asyncio.wait({running_request}, timeout=0.2)
    probe.gate.set()
    response = await running_request
    assert ":\n\n" in response.text
    assert events(response.text) == [("next", {"data": {"quiet": 0}}), ("complete", None)]


async def test_a_token_that_becomes_void_ends_its_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "CHECK_SECONDS", 0.01)
    token = "an-admin-token-of-the-test"
    async with running(auth="tokens", admin_token=token) as server:
        headers = {**STREAM, "authorization": f"Bearer {token}"}
        async with (
            httpx.AsyncClient(base_url=f"http://{server.address}", headers=headers) as http,
            http.stream("POST", "/graphql", json=QUIET) as response,
        ):
            chunks = response.aiter_text()
            await anext(chunks)
            authenticator: Any = server.application.operations.authenticator
            authenticator._admin = None
            rest = events("".join([chunk async for chunk in chunks]))
        assert rest[0][1]["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"
        await until(lambda: probe.open_streams == 0)
