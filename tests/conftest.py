"""One real MongoDB for the whole run, by the launcher of `pinset serve`, and a database for every test."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from storage import local
from storage.driver import Database, connect


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def mongodb_url() -> Iterator[str]:
    """The URL of the run's MongoDB; it starts with the first test that asks for it."""
    with tempfile.TemporaryDirectory(prefix="pinset-tests-") as data_dir:
        running = asyncio.run(local.start(Path(data_dir), cache_gigabytes=0.25))
        try:
            yield running.url
        finally:
            asyncio.run(running.stop())


@pytest.fixture
async def database(mongodb_url: str) -> AsyncIterator[Database]:
    """An empty database without indexes, dropped afterwards; its client belongs to the test's event loop."""
    client = connect(mongodb_url)
    name = f"test_{uuid4().hex}"
    try:
        yield client[name]
    finally:
        await client.drop_database(name)
        client.close()
