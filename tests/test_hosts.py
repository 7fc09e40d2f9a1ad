"""Which Host and which Origin reach the application, on every route and on WebSockets."""

import pytest
from websockets.exceptions import InvalidStatus

from tests.graphql_client import socket_to
from tests.small_schema import probe
from tests.transport_fixtures import client, running

pytestmark = pytest.mark.anyio

ROUTES = ["/graphql", "/healthz", "/readyz", "/metrics", "/static/graphiql/page.js", f"/blobs/{'0' * 64}", "/nothing"]


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8000", "LOCALHOST", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8000", "localhost."],
)
async def test_our_own_names(host: str) -> None:
    assert (await client().http.get("/healthz", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "localhost:", "localhost:x", "::1", "[::1",
     "localhost@evil.example", "localhost/evil", "evil.example:8000", "localhost evil", "0.0.0.0", "localhost:123456"],
)  # fmt: skip
@pytest.mark.parametrize("route", ROUTES)
async def test_foreign_names_are_421_on_every_route(host: str, route: str) -> None:
    response = await client().http.get(route, headers={"host": host})
    assert response.status_code == 421
    assert response.json()["errors"][0]["extensions"] == {"code": "HOST_NOT_ALLOWED"}


async def test_names_from_the_settings() -> None:
    http = client(allowed_hosts=("Pinset.Example",), host="10.0.0.7", auth="open").http
    for host in ("pinset.example", "PINSET.example:443", "10.0.0.7:8000"):
        assert (await http.get("/healthz", headers={"host": host})).status_code == 200
    assert (await http.get("/healthz", headers={"host": "www.pinset.example"})).status_code == 421
    anything = client(allowed_hosts=("*",)).http
    assert (await anything.get("/healthz", headers={"host": "any.example"})).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://localhost", "http://localhost:80", "HTTP://LOCALHOST", "https://app.example"]
)
async def test_allowed_origins(origin: str) -> None:
    http = client(allowed_origins=("https://app.example",)).http
    response = await http.post("/graphql", json={"query": "{ hello }"}, headers={"origin": origin})
    assert response.status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "", "http://localhost:9", "http://localhost.evil.example", "https://app.example.evil.example",
     "file://", "http://localhost/path", "http://user@localhost", "chrome-extension://localhost", "http://"],
)  # fmt: skip
@pytest.mark.parametrize("route", ROUTES)
async def test_foreign_origins_are_refused_on_every_route(origin: str, route: str) -> None:
    http = client(allowed_origins=("https://app.example",)).http
    response = await http.post(route, json={"query": 'mutation { write(text: "x") }'}, headers={"origin": origin})
    assert response.status_code == 403
    assert response.json()["errors"][0]["extensions"] == {"code": "ORIGIN_NOT_ALLOWED"}
    assert "access-control-allow-origin" not in response.headers
    assert probe.written == []


async def test_a_page_behind_a_proxy_that_ends_tls_is_of_our_own_origin() -> None:
    http = client(allowed_hosts=("pinset.example",)).http
    headers = {"host": "pinset.example", "origin": "https://pinset.example"}
    assert (await http.get("/healthz", headers=headers)).status_code == 200
    assert (await http.get("/healthz", headers={**headers, "origin": "https://pinset.example:444"})).status_code == 403


async def test_preflight_for_an_allowed_origin_and_for_another() -> None:
    http = client(allowed_origins=("https://app.example",)).http
    ask = {"access-control-request-method": "POST", "access-control-request-headers": "content-type,authorization"}
    allowed = await http.options("/graphql", headers={**ask, "origin": "https://app.example"})
    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == "https://app.example"
    refused = await http.options("/graphql", headers={**ask, "origin": "https://evil.example"})
    assert refused.status_code == 403


async def test_websockets() -> None:
    async with running(allowed_origins=("https://app.example",)) as server:
        for allowed in (None, "https://app.example", f"http://{server.address}"):
            async with socket_to(server.address, origin=allowed) as socket:
                await socket.start()
        for foreign in ("https://evil.example", "null", "http://localhost:9"):
            with pytest.raises(InvalidStatus) as refused:
                async with socket_to(server.address, origin=foreign):
                    pass
            assert refused.value.response.status_code == 403


async def test_a_foreign_host_on_a_websocket() -> None:
    async with running() as server:
        port = server.address.partition(":")[2]
        with pytest.raises(InvalidStatus) as refused:
            async with socket_to(f"evil.example:{port}", host="127.0.0.1", port=int(port)):
                pass
        assert refused.value.response.status_code == 421
