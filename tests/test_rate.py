"""Limits on how often a caller may ask, and whose word counts for its address."""

from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from starlette.types import Scope

from domain.errors import StartupFailure
from server.addresses import client_address
from server.rate import MAX_CALLERS, RateLimited, RateLimiter
from server.serving import Server
from server.settings import load_settings
from tests.graphql_client import serving, socket_to
from tests.transport_fixtures import application, client

pytestmark = pytest.mark.anyio


class Clock:
    """A clock that moves by hand."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def admitted(limiter: RateLimiter, caller: str, tries: int) -> int:
    count = 0
    for _ in range(tries):
        try:
            limiter.admit(caller)
        except RateLimited:
            continue
        count += 1
    return count


def test_a_burst_passes_and_then_the_rate() -> None:
    clock = Clock()
    limiter = RateLimiter(2.0, 5, clock)
    assert admitted(limiter, "a", 20) == 5
    clock.now += 1.0
    assert admitted(limiter, "a", 20) == 2
    clock.now += 3_600.0
    assert admitted(limiter, "a", 20) == 5


def test_callers_do_not_use_up_each_others_share() -> None:
    limiter = RateLimiter(1.0, 1, Clock())
    assert admitted(limiter, "a", 3) == 1
    assert admitted(limiter, "b", 3) == 1


def test_the_wait_is_long_enough() -> None:
    clock = Clock()
    limiter = RateLimiter(0.1, 1, clock)
    limiter.admit("a")
    clock.now += 4.0
    with pytest.raises(RateLimited) as refused:
        limiter.admit("a")
    assert refused.value.retry_after == 6
    clock.now += refused.value.retry_after
    limiter.admit("a")


def test_many_callers_take_bounded_memory() -> None:
    limiter = RateLimiter(1.0, 1, Clock())
    for number in range(MAX_CALLERS + 100):
        limiter.admit(str(number))
    assert len(limiter._buckets) == MAX_CALLERS


def test_without_a_rate_everything_passes() -> None:
    assert admitted(RateLimiter(None), "a", 1_000) == 1_000


async def test_http_answers_429_with_retry_after() -> None:
    http = client(rate_limit=0.01, rate_burst=2)
    for _ in range(2):
        assert (await http.execute("{ __typename }")).errors == []
    refused = await http.execute("{ __typename }")
    assert refused.response.status_code == 429
    assert refused.codes == ["RATE_LIMITED"]
    assert 1 <= int(refused.response.headers["retry-after"]) <= 100
    assert refused.data is None


async def test_sockets_are_counted_by_the_operation() -> None:
    async with serving(application(rate_limit=0.01, rate_burst=1).asgi) as address, socket_to(address) as socket:
        await socket.start()
        await socket.subscribe("1", "{ __typename }")
        assert (await socket.receive())["type"] == "next"
        assert (await socket.receive())["type"] == "complete"
        await socket.subscribe("2", "{ __typename }")
        message = await socket.receive()
        assert message["type"] == "error"
        assert [error["extensions"]["code"] for error in message["payload"]] == ["RATE_LIMITED"]


@pytest.mark.parametrize(
    ("client", "expected"),
    [(("192.0.2.1", 80), "192.0.2.1"), (("evil\r\nx: y", 0), None), (None, None), (("testclient", 5), None)],
)
def test_an_address_is_an_address(client: Any, expected: str | None) -> None:
    scope: Scope = {"type": "http", "client": client}
    assert client_address(scope) == expected


@pytest.mark.parametrize("proxies", ["*", "proxy.example", "10.0.0.0/33", "10.0.0.1/8"])
def test_only_addresses_and_networks_are_trusted(proxies: str) -> None:
    with pytest.raises(StartupFailure, match="PINSET_TRUSTED_PROXIES"):
        load_settings(trusted_proxies=proxies)


def test_trusted_proxies_are_kept_in_their_canonical_form() -> None:
    assert load_settings(trusted_proxies="10.0.0.0/8, ::0001").trusted_proxies == ("10.0.0.0/8", "::1")


@pytest.mark.parametrize(
    ("proxies", "expected"), [((), "127.0.0.1"), (("127.0.0.1",), "203.0.113.9"), (("192.0.2.1",), "127.0.0.1")]
)
async def test_only_a_trusted_proxy_says_where_a_request_comes_from(proxies: tuple[str, ...], expected: str) -> None:
    seen: list[str | None] = []

    async def app(scope: Scope, _: Any, send: Any) -> None:
        seen.append(client_address(scope))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    config = Server(SimpleNamespace(asgi=app), lambda: None, proxies).config  # type: ignore[arg-type]
    config.load()
    transport = httpx.ASGITransport(config.loaded_app, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        await http.get("/", headers={"x-forwarded-for": "198.51.100.1, 203.0.113.9"})
    assert seen == [expected]
