"""Real JavaScript clients and tools against a real server; they run where node and npm are there."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from schema.build import build_schema
from server.app import create_app
from server.settings import Settings
from storage.driver import Database, connect
from storage.services import open_services
from tests.graphql_client import GraphQLClient, serving
from tests.transport_fixtures import running

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("npm") is None, reason="needs node and npm"),
]

CLIENTS = Path(__file__).with_name("clients")
COMPAT = Path(__file__).with_name("compat")
SDL = Path(__file__).parents[1] / "schema" / "schema.graphql"

CREATE = """
mutation Create($input: CreateTaskInput!) {
  createTask(input: $input) { task { id } errors { message } }
}
"""


async def execute(*command: object) -> None:
    """Run a program among the clients; whatever it says is the failure's message."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command), cwd=CLIENTS, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()


@pytest.fixture(scope="module", autouse=True)
async def packages() -> None:
    """Install the packages once; there is no lock file, which would name a registry."""
    if not (CLIENTS / "node_modules").exists():
        await execute("npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent")


@pytest.fixture
def out() -> Path:
    """An empty directory for what the compilers write, beside the packages that it refers to."""
    directory = CLIENTS / "out"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    return directory


@pytest.fixture
async def url(database: Database, mongodb_url: str) -> AsyncIterator[str]:
    """A server of the whole schema with 25 tasks."""
    client = connect(mongodb_url)
    services = await open_services(client, database.name)
    application = create_app(Settings(), services, build_schema())
    try:
        async with serving(application.asgi) as address:
            seeder = GraphQLClient.over(application.asgi)
            for number in range(25):
                task = {"spec": {"evaluator": {"intent": f"Intent {number}"}}}
                data = await seeder.data(CREATE, {"input": {"name": f"task-{number:02}", "task": task}})
                assert data["createTask"]["errors"] == []
            yield f"http://{address}/graphql"
    finally:
        await services.close()
        client.close()


async def test_audits(url: str) -> None:
    await execute("node", "audits.mjs", url)


async def test_the_complete_introspection_query(url: str) -> None:
    await execute("node", "introspection.mjs", url, SDL)


async def test_apollo_client(url: str) -> None:
    await execute("node", "apollo.mjs", url)


async def test_urql(url: str) -> None:
    await execute("node", "urql.mjs", url)


async def test_graphql_ws_and_graphql_sse() -> None:
    async with running() as server:
        await execute("node", "streams.mjs", f"http://{server.address}/graphql")


async def test_live_subscriptions_of_a_catalog(url: str) -> None:
    await execute("node", "live.mjs", url)


async def test_graphql_inspector() -> None:
    await execute("node", "inspector.mjs", SDL, COMPAT)


async def test_graphql_eslint() -> None:
    await execute("node", "eslint.mjs", SDL)


async def test_graphql_code_generator(out: Path) -> None:
    shutil.copy(CLIENTS / "frontend" / "tasks.ts", out)
    await execute("node", "codegen.mjs", SDL, out.relative_to(CLIENTS))


async def test_relay_compiler(out: Path) -> None:
    shutil.copytree(CLIENTS / "frontend", out / "relay")
    (out / "relay" / "__generated__").mkdir()
    await execute("node_modules/.bin/relay-compiler", "relay.config.json", "--noWatchman")
    assert (out / "relay" / "__generated__" / "TaskListPaginationQuery.graphql.js").exists()
