"""Health, metrics, the page for browsers, and the token that guards all but health."""

import pytest

from server.app import assemble
from server.settings import Settings
from tests.graphql_client import GraphQLClient
from tests.small_schema import probe, schema
from tests.transport_fixtures import client

pytestmark = pytest.mark.anyio

TOKEN = "an-admin-token-of-the-test"


async def unreachable() -> None:
    raise ConnectionError("mongodb://user:secret@db")


async def test_alive_and_ready() -> None:
    http = client().http
    assert (await http.get("/healthz")).json() == {"status": "ok"}
    assert (await http.get("/readyz")).json() == {"status": "ok"}


async def test_without_mongodb_the_process_is_alive_but_not_ready() -> None:
    http = GraphQLClient.over(assemble(Settings(), schema, probe.make_context, unreachable).asgi).http  # type: ignore[arg-type]
    assert (await http.get("/healthz")).status_code == 200
    response = await http.get("/readyz")
    assert response.status_code == 503
    assert "secret" not in response.text


async def test_metrics_count_operations_by_kind_transport_and_code() -> None:
    http = client()
    await http.execute("query Named { hello }")
    await http.execute("{ broken }")
    text = (await http.http.get("/metrics")).text
    assert 'pinset_graphql_operations_total{kind="query",outcome="ok",transport="http"} 1.0' in text
    assert 'pinset_graphql_operations_total{kind="query",outcome="error",transport="http"} 1.0' in text
    assert 'pinset_graphql_errors_total{code="INTERNAL_SERVER_ERROR"} 1.0' in text
    assert 'pinset_graphql_operation_seconds_count{kind="query"} 2.0' in text
    assert "Named" not in text


async def test_everything_but_health_demands_the_token() -> None:
    http = client(auth="tokens", admin_token=TOKEN).http
    for path in ("/healthz", "/readyz"):
        assert (await http.get(path)).status_code == 200
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": TOKEN}, {"authorization": "Bearer "}):
        response = await http.post("/graphql", json={"query": "{ hello }"}, headers=headers)
        assert response.status_code == 401
        assert response.headers["www-authenticate"].startswith("Bearer")
        assert response.json()["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"
        assert (await http.get("/metrics", headers=headers)).status_code == 401
    headers = {"authorization": f"Bearer {TOKEN}"}
    answer = (await http.post("/graphql", json={"query": "{ viewer }"}, headers=headers)).json()
    assert answer == {"data": {"viewer": "admin"}}


async def test_a_browser_gets_the_page_and_nothing_from_elsewhere() -> None:
    http = client().http
    browser = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
    page = await http.get("/graphql", headers=browser)
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "://" not in page.text
    for line in page.text.splitlines():
        if "/static/" in line:
            path = line.split('"')[-2]
            assert (await http.get(path)).status_code == 200


async def test_introspection_can_be_off_and_the_page_goes_with_it() -> None:
    http = client(introspection=False)
    assert set((await http.execute("{ __schema { queryType { name } } }")).codes) == {"GRAPHQL_VALIDATION_FAILED"}
    assert (await http.execute("{ __typename }")).data == {"__typename": "Query"}
    assert (await http.http.get("/graphql", headers={"accept": "text/html"})).status_code == 406


async def test_suggestions_can_be_off() -> None:
    assert "Did you mean" in (await client().execute("{ helo }")).errors[0]["message"]
    assert "Did you mean" not in (await client(suggestions=False).execute("{ helo }")).errors[0]["message"]
