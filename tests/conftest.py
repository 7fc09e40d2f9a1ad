"""One real MongoDB for the whole run, by the launcher of `pinset serve`, and a database for every test."""

import asyncio
import os
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
def mongod() -> Path | None:
    """The mongod that the run was told to use; none leaves the choice to the launcher."""
    return Path(os.environ["PINSET_MONGOD"]) if "PINSET_MONGOD" in os.environ else None


@pytest.fixture(scope="session")
def data_dir() -> Iterator[Path]:
    """The data directory of the run's MongoDB."""
    with tempfile.TemporaryDirectory(prefix="pinset-tests-") as directory:
        yield Path(directory)


@pytest.fixture(scope="session")
def mongodb_url(data_dir: Path, mongod: Path | None) -> Iterator[str]:
    """The URL of the run's MongoDB; it starts with the first test that asks for it."""
    running = asyncio.run(local.start(data_dir, mongod=mongod, cache_gigabytes=0.25))
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
