"""Blobs: written once under their SHA-256, read back to the byte, private to their workspaces, swept when unnamed."""

import hashlib
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from domain.errors import NotFound, Problems
from domain.trials import TrialOutcome
from resolvers.context import Context
from resolvers.trials import payloads
from schema.build import build_schema
from server.app import create_app
from server.settings import Settings
from storage import blobs
from storage.driver import Database
from tests.job_fixtures import lease, open_context, report, runner_job

pytestmark = pytest.mark.anyio

BYTES = {"content-type": "application/octet-stream"}


@pytest.fixture
async def context(database: Database) -> AsyncIterator[Context]:
    async with open_context(database) as opened:
        yield opened


@pytest.fixture
async def http(context: Context) -> AsyncIterator[httpx.AsyncClient]:
    application = create_app(Settings(), context.services, build_schema())
    transport = httpx.ASGITransport(app=application.asgi)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


def named(content: bytes) -> str:
    """The name of a blob."""
    return hashlib.sha256(content).hexdigest()


async def chunks_in(context: Context) -> int:
    """How many chunks are stored."""
    return int(await context.services.database["blobs.chunks"].count_documents({}))


@pytest.mark.parametrize("size", [0, 1, 255 * 1024, 3_000_000])
async def test_what_is_written_is_read_to_the_byte(http: httpx.AsyncClient, context: Context, size: int) -> None:
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    path = f"/blobs/{named(content)}"
    assert (await http.put(path, content=content, headers=BYTES)).status_code == 201
    stored = await chunks_in(context)
    assert (await http.put(path, content=content, headers=BYTES)).status_code == 200
    assert await chunks_in(context) == stored
    answer = await http.get(path)
    assert answer.content == content
    assert answer.headers["content-length"] == str(size)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert (await http.head(path)).headers["content-length"] == str(size)
    assert (await http.get(path, headers={"if-none-match": answer.headers["etag"]})).status_code == 304


async def test_bytes_of_another_digest_are_refused_and_leave_nothing(http: httpx.AsyncClient, context: Context) -> None:
    path = f"/blobs/{named(b'something')}"
    answer = await http.put(path, content=b"something else", headers=BYTES)
    assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (422, "INVALID_INPUT")
    assert (await http.get(path)).status_code == 404
    assert await chunks_in(context) == 0


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("PUT", "0" * 64, {"content-type": "text/plain"}, 415),
        ("PUT", "0" * 64, {**BYTES, "content-length": str(2**31)}, 413),
        ("GET", "nonsense", {}, 404),
        ("GET", "0" * 64, {}, 404),
        ("DELETE", "0" * 64, {}, 405),
        ("PUT", "0" * 64 + "?workspace=nowhere", BYTES, 404),
    ],
)
async def test_malformed_requests_say_what_is_wrong(
    http: httpx.AsyncClient, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    answer = await http.request(method, f"/blobs/{path}", headers=headers, content=b"x" if method == "PUT" else None)
    assert answer.status_code == status
    assert answer.json()["errors"][0]["message"]


async def test_a_blob_is_unknown_in_other_workspaces_until_written_there(http: httpx.AsyncClient) -> None:
    content = b"private"
    await http.put(f"/blobs/{named(content)}", content=content, headers=BYTES)
    assert (await http.get(f"/blobs/{named(content)}?workspace=other")).status_code == 404


async def test_a_reported_blob_is_read_lazily_and_identical(http: httpx.AsyncClient, context: Context) -> None:
    trajectory: Any = {"steps": ["é" * 1000 for _ in range(500)]}
    content = json.dumps(trajectory).encode()
    await http.put(f"/blobs/{named(content)}", content=content, headers=BYTES)
    submitted = await runner_job(context, 2)
    first, second = await lease(context, submitted, 2)
    with pytest.raises(Problems) as raised:
        await report(context, first, TrialOutcome(reward=1.0, trajectory_blob="0" * 64))
    assert isinstance(raised.value.errors[0], NotFound)
    by_blob = await report(context, first, TrialOutcome(reward=1.0, trajectory_blob=named(content)))
    inline = await report(context, second, TrialOutcome(reward=1.0, output="long " * 10_000, trajectory=trajectory))
    assert (await payloads(context, by_blob.id))[1].trajectory == trajectory
    read = (await payloads(context, inline.id))[1]
    assert (read.output, read.trajectory) == ("long " * 10_000, trajectory)


async def test_a_sweep_takes_what_no_trial_names(http: httpx.AsyncClient, context: Context) -> None:
    kept, lost = b"kept" * 10_000, b"lost" * 10_000
    for content in (kept, lost):
        await http.put(f"/blobs/{named(content)}", content=content, headers=BYTES)
    [handout] = await lease(context, await runner_job(context, 1))
    await report(context, handout, TrialOutcome(output_blob=named(kept)))
    assert await blobs.sweep(context.services.database) == 0
    assert await blobs.sweep(context.services.database, timedelta(days=-1)) == 1
    assert (await http.get(f"/blobs/{named(kept)}")).content == kept
    assert (await http.get(f"/blobs/{named(lost)}")).status_code == 404
