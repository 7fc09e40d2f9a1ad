"""One real MongoDB for the whole run, by the launcher of `pinset serve`, and a database for every test."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import hypothesis
import pytest

from resolvers.context import Context
from schema.build import Schema, build_schema
from server.app import Application, create_app
from server.settings import Settings
from storage import local
from storage.driver import Database, connect
from storage.services import Services, open_services
from tests.graphql_client import GraphQLClient
from tests.quiet_logs import quiet

quiet()
hypothesis.settings.register_profile("quick", max_examples=40)
hypothesis.settings.load_profile("quick")
_ROOM_BYTES = 4 * 1024**3


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def mongod() -> Path | None:
    """The mongod that the run was told to use; none leaves the choice to the launcher."""
    return Path(os.environ["PINSET_MONGOD"]) if "PINSET_MONGOD" in os.environ else None


@pytest.fixture(scope="session")
def data_dir() -> Iterator[Path]:
    """The data directory of the run's MongoDB, in memory where there is room: the data need not outlive the run."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM_BYTES
    with tempfile.TemporaryDirectory(prefix="pinset-tests-", dir=memory if roomy else None) as directory:
        yield Path(directory)


@pytest.fixture(scope="session")
def mongodb_url(data_dir: Path, mongod: Path | None) -> Iterator[str]:
    """The URL of the run's MongoDB; it starts with the first test that asks for it."""
    running = asyncio.run(local.start(data_dir, mongod=mongod, cache_gigabytes=0.25))
    try:
        yield running.url
    finally:
        asyncio.run(running.stop())


@pytest.fixture(scope="session")
def emptied() -> list[str]:
    """Names of databases that tests have left empty: making forty indexes anew takes longer than most tests."""
    return []


@pytest.fixture
async def database(mongodb_url: str, emptied: list[str]) -> AsyncIterator[Database]:
    """An empty database of the test's own, emptied afterwards; its client belongs to the test's event loop."""
    client = connect(mongodb_url)
    name = emptied.pop() if emptied else f"test_{uuid4().hex}"
    try:
        yield client[name]
        for collection in await client[name].list_collection_names():
            await client[name][collection].delete_many({})
        emptied.append(name)
    finally:
        client.close()


@pytest.fixture
async def services(database: Database) -> AsyncIterator[Services]:
    """The services of one server process on an empty database, its indexes made and its change feed running."""
    opened = await open_services(database.client, database.name)
    try:
        yield opened
    finally:
        await opened.close()


@pytest.fixture
def context(services: Services) -> Context:
    """The context of an operation in open mode."""
    return Context(services)


@pytest.fixture(scope="session")
def schema() -> Schema:
    """The schema, which takes a while to build and does not change."""
    return build_schema()


@pytest.fixture
def application(services: Services, schema: Schema) -> Application:
    """The whole application in open mode over the test's database."""
    return create_app(Settings(), services, schema)


@pytest.fixture
async def client(application: Application) -> AsyncIterator[GraphQLClient]:
    """A GraphQL client of the application, without a socket between them."""
    connected = GraphQLClient.over(application.asgi)
    yield connected
    await connected.http.aclose()
