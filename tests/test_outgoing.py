"""Outgoing requests: retries, bounds, addresses and secrets, against a scripted server."""

import asyncio
import ipaddress
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Final

import httpcore
import httpx
import pytest

from domain.trials import FailureType
from evaluation.addresses import AddressRules, ForbiddenAddress, is_public
from evaluation.calls import Answer, Call, OutgoingFailure
from evaluation.outgoing import retry_after
from evaluation.secrets import Secrets
from tests.scripted_server import LOCAL, Scripted, outgoing, scripted

pytestmark = pytest.mark.anyio

SECRET: Final = "sk-very-secret-0123456789"
MEBIBYTE: Final = 1024 * 1024


async def post(script: Scripted, **call: Any) -> Answer:
    async with outgoing() as client:
        return await client.post(Call(script.url + "/x", {"a": 1}, **call))


async def failure(script: Scripted, **call: Any) -> OutgoingFailure:
    with pytest.raises(OutgoingFailure) as raised:
        await post(script, **call)
    return raised.value


async def test_an_answer_and_what_was_sent() -> None:
    async with scripted({"b": [2]}) as script:
        answer = await post(script)
        assert answer.value == {"b": [2]}
        assert answer.latency_ms > 0
        path, headers, body = script.seen[0]
        assert (path, body, headers["content-type"]) == ("/x", {"a": 1}, "application/json")
        assert "authorization" not in headers


@pytest.mark.parametrize("broken", [(429, {}), (500, {}), (503, {}), None])
async def test_what_may_pass_is_tried_again(broken: Any) -> None:
    async with scripted(broken, broken, {"ok": True}) as script:
        assert (await post(script)).value == {"ok": True}
        assert len(script.seen) == 3


async def test_retries_end() -> None:
    async with scripted((503, {"error": "down"})) as script:
        found = await failure(script, retries=2)
        assert (found.type, len(script.seen)) == (FailureType.TARGET_ERROR, 3)
        assert "503" in found.message
        assert "down" in found.message
        assert not found.error.is_lost


@pytest.mark.parametrize("status", [400, 401, 404, 422, 301, 302, 204])
async def test_any_other_answer_is_final(status: int) -> None:
    async with scripted((status, b"")) as script:
        found = await failure(script)
        assert len(script.seen) == 1
        assert not found.error.is_lost


async def test_retry_after_is_honoured() -> None:
    async with scripted((429, {}, {"Retry-After": "0"}), {"ok": True}) as script:
        assert (await post(script)).value == {"ok": True}
    async with scripted((429, {}, {"Retry-After": "3600"})) as script:
        found = await failure(script, seconds=5.0)
        assert (found.type, len(script.seen)) == (FailureType.TARGET_ERROR, 1)


def test_retry_after_reads_seconds_and_dates() -> None:
    assert retry_after({"retry-after": "7"}) == 7.0
    assert retry_after({}) is None
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({"retry-after": "-1"}) is None
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < (retry_after({"retry-after": later}) or 0) <= 100
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0


async def test_silence_is_a_timeout_and_no_server_is_unreachable() -> None:
    async with scripted("hang") as script:
        found = await failure(script, seconds=0.2)
        assert (found.type, found.error.is_lost) == (FailureType.TIMEOUT, True)
        found = await failure(script, seconds=30.0, seconds_a_try=0.1, retries=1)
        assert (found.type, found.error.is_lost) == (FailureType.TIMEOUT, True)
        assert len(script.seen) == 3
    found = await failure(Scripted(unused_port(), []), retries=1)
    assert (found.type, found.error.is_lost) == (FailureType.UNREACHABLE, True)
    async with outgoing() as client:
        with pytest.raises(OutgoingFailure) as raised:
            await client.post(Call("http://no-such-host.invalid/", {}, retries=0))
        assert raised.value.type is FailureType.UNREACHABLE


def unused_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"a": NaN}', b'{"a": 1e999}', b'"\\ud800"', b"[" * 100_000])
async def test_what_is_no_json_is_an_invalid_answer(body: bytes) -> None:
    async with scripted((200, body)) as script:
        found = await failure(script)
        assert (found.type, len(script.seen)) == (FailureType.INVALID_ANSWER, 1)


async def test_an_answer_is_bounded() -> None:
    async with scripted((200, b'"' + b"x" * (8 * MEBIBYTE) + b'"')) as script:
        assert "8 MiB" in (await failure(script)).message
    async with scripted((200, b"x", {"Content-Encoding": "gzip"})) as script:
        assert (await failure(script)).type is FailureType.INVALID_ANSWER


async def test_redirects_keep_the_method_and_end() -> None:
    async with scripted((307, b"", {"Location": "/y"}), (308, b"", {"Location": "/z"}), {"ok": 1}) as script:
        assert (await post(script)).value == {"ok": 1}
        assert [(path, body) for path, _, body in script.seen] == [(path, {"a": 1}) for path in ("/x", "/y", "/z")]
    async with scripted((307, b"", {"Location": "/x"})) as script:
        assert (await failure(script)).type is FailureType.TARGET_ERROR
        assert len(script.seen) == 6
    for location in ("ftp://x/", "file:///etc/passwd", "http://user:hunter2@127.0.0.1/", "http://[::1/"):
        async with scripted((307, b"", {"Location": location})) as script:
            found = await failure(script)
            assert found.type is FailureType.FORBIDDEN_ADDRESS
            assert "hunter2" not in found.message


FORBIDDEN: Final = [
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://0.0.0.0:{port}/",
    "http://[::1]:{port}/",
    "http://[::]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://10.0.0.1:{port}/",
    "http://169.254.169.254/latest/meta-data",
    "http://[fe80::1]:{port}/",
    "http://[fd00::1]:{port}/",
    "http://100.64.0.1:{port}/",
]


@pytest.mark.parametrize("url", FORBIDDEN)
async def test_addresses_within_are_not_called(url: str) -> None:
    async with scripted({}) as script, outgoing(AddressRules()) as client:
        with pytest.raises(OutgoingFailure) as raised:
            await client.post(Call(url.format(port=script.port), {}))
        assert raised.value.type is FailureType.FORBIDDEN_ADDRESS
        assert script.seen == []
        assert not raised.value.error.is_lost


async def test_a_redirect_inside_is_not_followed() -> None:
    async with scripted({}) as inner, scripted((307, b"", {"Location": f"http://127.0.0.2:{inner.port}/"})) as outer:
        rules = AddressRules.of([f"127.0.0.1:{outer.port}"])
        async with outgoing(rules) as client:
            with pytest.raises(OutgoingFailure) as raised:
                await client.post(Call(outer.url, {}))
        assert raised.value.type is FailureType.FORBIDDEN_ADDRESS
        assert (len(outer.seen), inner.seen) == (1, [])


@pytest.mark.parametrize("allowed", ["127.0.0.1", "127.0.0.0/8", "localhost", "localhost:{port}"])
async def test_addresses_that_are_named_are_called(allowed: str) -> None:
    host = "localhost" if "localhost" in allowed else "127.0.0.1"
    async with scripted({"ok": 1}) as script:
        rules = AddressRules.of([allowed.format(port=script.port)])
        async with outgoing(rules) as client:
            assert (await client.post(Call(f"http://{host}:{script.port}/", {}))).value == {"ok": 1}


async def test_a_name_is_resolved_once_and_the_checked_address_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [["93.184.216.34", "127.0.0.1"], ["127.0.0.1"]]
    asked: list[str] = []

    async def resolve(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        addresses = answers[min(len(asked), 2) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    connected: list[str] = []

    async def connect(self: Any, host: str, *_: Any) -> Any:
        connected.append(host)
        raise httpcore.ConnectError("refused")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
    monkeypatch.setattr("httpcore.AnyIOBackend.connect_tcp", connect)
    async with outgoing(AddressRules()) as client:
        with pytest.raises(OutgoingFailure) as raised:
            await client.post(Call("http://rebinding.test/", {}, retries=0))
        assert raised.value.type is FailureType.UNREACHABLE
        assert (asked, connected) == (["rebinding.test"], ["93.184.216.34"])
        with pytest.raises(OutgoingFailure) as raised:
            await client.post(Call("http://rebinding.test/", {}, retries=0))
        assert raised.value.type is FailureType.FORBIDDEN_ADDRESS


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::808:808", True),
        ("::ffff:10.0.0.1", False),
        ("2002:7f00:1::", False),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", False),
        ("::7f00:1", False),
        ("224.0.0.1", False),
        ("ff02::1", False),
        ("240.0.0.1", False),
        ("192.168.1.1", False),
        ("fec0::1", False),
    ],
)
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public


def secret_environment(script: Scripted) -> dict[str, str]:
    return {"PINSET_SECRET_KEY": SECRET, "PINSET_SECRET_KEY_ORIGINS": f"https://other.test, {script.url}"}


async def test_a_secret_goes_to_its_origins() -> None:
    async with scripted({"ok": 1}) as script, outgoing(LOCAL, secret_environment(script)) as client:
        await client.post(Call(script.url, {}, api_key_secret="KEY"))
        assert script.seen[0][1]["authorization"] == f"Bearer {SECRET}"


async def test_a_secret_goes_nowhere_else() -> None:
    async with scripted({}) as other, scripted((307, b"", {"Location": other.url})) as script:
        async with outgoing(LOCAL, secret_environment(script)) as client:
            for url in (other.url, f"http://localhost:{script.port}/", script.url):
                with pytest.raises(OutgoingFailure) as raised:
                    await client.post(Call(url, {}, api_key_secret="KEY"))
                assert raised.value.type is FailureType.FORBIDDEN_ADDRESS
                assert SECRET not in str(raised.value)
                assert "PINSET_SECRET_KEY_ORIGINS" in str(raised.value)
        assert other.seen == []
        assert len(script.seen) == 1


@pytest.mark.parametrize("value", ["", "two words", "line\nbreak", "schlüssel"])
async def test_a_secret_that_cannot_be_sent_is_refused_by_name(value: str) -> None:
    secrets = Secrets({"PINSET_SECRET_KEY": value, "PINSET_SECRET_KEY_ORIGINS": "https://x.test"})
    with pytest.raises(ForbiddenAddress) as raised:
        secrets.headers("KEY", httpx.URL("https://x.test/v1"))
    assert "KEY" in str(raised.value)
    assert not value or value not in str(raised.value)
    assert secrets.headers(None, httpx.URL("https://x.test/v1")) == {}


async def test_a_secret_that_comes_back_is_masked() -> None:
    refusal = (401, {"error": f"Incorrect key {SECRET}"})
    async with scripted(refusal, {"echo": [SECRET]}) as script, outgoing(LOCAL, secret_environment(script)) as client:
        with pytest.raises(OutgoingFailure) as raised:
            await client.post(Call(script.url, {}, api_key_secret="KEY"))
        assert "Incorrect key ***" in str(raised.value)
        answer = await client.post(Call(script.url, {}, api_key_secret="KEY"))
        assert answer.value == {"echo": ["***"]}
