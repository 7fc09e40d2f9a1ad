"""Random valid operations over the whole schema (`hypothesis-graphql` writes them): never an internal error."""

import json
from collections.abc import AsyncIterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis_graphql import mutations, nodes, queries
from structlog.testing import capture_logs

from schema.build import build_schema
from schema.export import TARGET
from server.app import create_app
from server.settings import Settings
from storage.driver import connect
from storage.services import open_services
from tests.graphql_client import GraphQLClient

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SDL = TARGET.read_text("utf-8")
SCALARS = {
    "JSON": st.sampled_from([nodes.Null, nodes.String("x"), nodes.Int(1), nodes.Object([]), nodes.List([])]),
    "DateTime": st.sampled_from([nodes.String("2026-11-29T12:00:00Z"), nodes.String("not a time")]),
    "BigInt": st.integers(0, 2**53).map(nodes.Int),
}
CREATE = """
mutation {
  createMetric(input: {name: "m", metric: {exactMatch: {reference: "{{reference.x}}"}}}) { errors { message } }
  createTask(input: {name: "a", task: {spec: {evaluator: {intent: "x", metrics: ["m"]}}}}) { errors { message } }
  createTaskset(input: {name: "s", taskset: {tasks: ["a"]}}) { errors { message } }
}
"""
SETTINGS = settings(
    max_examples=100,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
async def client(mongodb_url: str) -> AsyncIterator[GraphQLClient]:
    driver = connect(mongodb_url)
    services = await open_services(driver, "test_schema_fuzz")
    http = GraphQLClient.over(create_app(Settings(), services, build_schema()).asgi)
    await http.data(CREATE)
    yield http
    await services.close()
    await driver.drop_database("test_schema_fuzz")
    driver.close()


async def send(client: GraphQLClient, document: str) -> None:
    with capture_logs() as lines:
        result = await client.execute(document)
    assert "INTERNAL_SERVER_ERROR" not in result.codes, (document, lines)
    assert result.data is not None or result.errors
    json.loads(json.dumps(result.data, allow_nan=False))


@given(document=queries(SDL, custom_scalars=SCALARS))
@SETTINGS
async def test_queries(client: GraphQLClient, document: str) -> None:
    await send(client, document)


@given(document=mutations(SDL, custom_scalars=SCALARS))
@SETTINGS
async def test_mutations(client: GraphQLClient, document: str) -> None:
    await send(client, document)
