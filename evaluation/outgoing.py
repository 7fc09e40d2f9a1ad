"""The one client for outgoing requests: targets, judges and remote metrics all POST JSON through it."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, Self
from urllib.parse import urlsplit

import httpx
import orjson

from domain.canonical import JSON, check_json, parse_json
from domain.errors import InvalidInput
from domain.limits import MAX_CONCURRENCY, MAX_CONTENT_BYTES, MEBIBYTE
from domain.trials import FailureType
from evaluation.addresses import AddressRules, ForbiddenAddress
from evaluation.calls import Answer, Call, OutgoingFailure
from evaluation.network import guarded_transport
from evaluation.secrets import Secrets

MAX_REDIRECTS: Final = 5
LONGEST_PAUSE_SECONDS: Final = 30.0
_EXCERPT: Final = 500
_HEADERS: Final = {
    "User-Agent": "pinset",
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
}
_REDIRECTS: Final = (307, 308)
_RETRIED: Final = 429


class _Again(Exception):
    """A try that may be repeated, after a pause that the other side may have asked for."""

    def __init__(self, failure: OutgoingFailure, pause: float | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.pause = pause


class Outgoing:
    """POSTs JSON within the rules. `first_pause_seconds` doubles with every retry. Use as an async context manager."""

    def __init__(self, rules: AddressRules, secrets: Secrets, first_pause_seconds: float = 0.5) -> None:
        self._secrets = secrets
        self._first_pause = first_pause_seconds
        # The transport alone: a client would keep cookies from one job to the next, and read redirects by itself.
        self._transport = guarded_transport(rules, MAX_CONCURRENCY)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def post(self, call: Call) -> Answer:
        """POST and read the JSON answer. Raises OutgoingFailure.

        429, 5xx and broken connections are tried again with growing pauses, Retry-After honoured; any other answer
        is final. Without an answer the failure is UNREACHABLE or TIMEOUT, else TARGET_ERROR or INVALID_ANSWER.
        """
        started = time.monotonic()
        try:
            async with asyncio.timeout(call.seconds):
                return await self._tried(call, started)
        except TimeoutError:
            raise OutgoingFailure(
                FailureType.TIMEOUT, f"{_host(call.url)} did not answer within {call.seconds:g} seconds."
            ) from None
        except ForbiddenAddress as refusal:
            raise OutgoingFailure(FailureType.FORBIDDEN_ADDRESS, str(refusal)) from None

    async def _tried(self, call: Call, started: float) -> Answer:
        for tries in range(call.retries + 1):
            try:
                return await self._once(call)
            except _Again as again:
                pause = self._pause(tries) if again.pause is None else again.pause
                left = call.seconds - (time.monotonic() - started)
                if tries == call.retries or pause >= left:
                    raise again.failure from None
                await asyncio.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _pause(self, tries: int) -> float:
        # The jitter keeps the trials of a job, which were all refused together, from coming back together.
        return min(self._first_pause * float(2**tries), LONGEST_PAUSE_SECONDS) * random.uniform(0.5, 1.0)

    async def _once(self, call: Call) -> Answer:
        started = time.monotonic()
        try:
            async with asyncio.timeout(call.seconds_a_try), self._response(call) as response:
                body = await _read(response)
        except TimeoutError:
            raise _Again(
                OutgoingFailure(
                    FailureType.TIMEOUT, f"{_host(call.url)} did not answer within {call.seconds_a_try:g} seconds."
                )
            ) from None
        except httpx.HTTPError as error:
            raise _Again(
                OutgoingFailure(
                    FailureType.UNREACHABLE, f"{_host(call.url)} could not be reached ({type(error).__name__})."
                )
            ) from None
        latency = (time.monotonic() - started) * 1000
        return Answer(self._value(call, response, body), latency)

    @asynccontextmanager
    async def _response(self, call: Call) -> AsyncIterator[httpx.Response]:
        """The response after redirects that keep the method; each hop is checked like the first."""
        url = _plain(call.url)
        content = orjson.dumps(call.body)
        for _ in range(MAX_REDIRECTS + 1):
            headers = {**_HEADERS, **self._secrets.headers(call.api_key_secret, url)}
            request = httpx.Request("POST", url, content=content, headers=headers)
            async with aclosing(await self._transport.handle_async_request(request)) as response:
                if response.status_code not in _REDIRECTS or "location" not in response.headers:
                    yield response
                    return
                url = _plain(response.headers["location"], url)
        raise OutgoingFailure(FailureType.TARGET_ERROR, f"{_host(call.url)} redirects more than {MAX_REDIRECTS} times.")

    def _value(self, call: Call, response: httpx.Response, body: bytes) -> JSON:
        body = self._secrets.masked(call.api_key_secret, body)
        status = response.status_code
        if not response.is_success:
            failure = OutgoingFailure(
                FailureType.TARGET_ERROR, f"{_host(call.url)} answered {status}: {_excerpt(body) or 'nothing'}"
            )
            if status == _RETRIED or response.is_server_error:
                raise _Again(failure, retry_after(response.headers))
            raise failure
        try:
            return check_json(parse_json(body))
        except InvalidInput as error:
            raise OutgoingFailure(
                FailureType.INVALID_ANSWER, f"{_host(call.url)} answered with what is not JSON: {error.message}"
            ) from None


async def _read(response: httpx.Response) -> bytes:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise OutgoingFailure(FailureType.INVALID_ANSWER, "The answer is compressed, which was not asked for.")
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_raw():
        size += len(part)
        if size > MAX_CONTENT_BYTES:
            raise OutgoingFailure(
                FailureType.INVALID_ANSWER, f"The answer has more than {MAX_CONTENT_BYTES // MEBIBYTE} MiB."
            )
        parts.append(part)
    return b"".join(parts)


def _plain(text: str, base: httpx.URL | None = None) -> httpx.URL:
    """An http or https address without credentials. Raises ForbiddenAddress."""
    try:
        url = httpx.URL(text) if base is None else base.join(text)
    except (httpx.InvalidURL, ValueError):
        raise ForbiddenAddress("The address, or one that it redirects to, is not legal.") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise ForbiddenAddress("Only http and https addresses are called.")
    if url.userinfo:
        raise ForbiddenAddress("An address holds no user or password; name a secret instead.")
    return url


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the other side asks to wait: a number, or a date; None where it does not say."""
    text = headers.get("retry-after", "").strip()
    if text.isdecimal() and text.isascii() and len(text) < 10:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max((aware - datetime.now(UTC)).total_seconds(), 0.0)


def _excerpt(body: bytes) -> str:
    text = " ".join(body[: 4 * _EXCERPT].decode("utf-8", "replace").split())
    return text if len(text) <= _EXCERPT else text[:_EXCERPT] + "..."


def _host(url: str) -> str:
    return urlsplit(url).hostname or "the target"
