"""HTTP: one request an operation, and subscriptions as server-sent events."""

from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import httpx

from pinset.answers import EVENT_STREAM, MEDIA_TYPES, EventLines, data_of, raise_for_status, request_body
from pinset.errors import RequestError, Unreachable

CONNECT_RETRIES: Final = 2
_CHUNK: Final = 1024 * 1024


class StreamCut(Unreachable):
    """An event stream ended before it was complete; it may be taken up again after the last event seen."""


class AsyncTransport:
    """A connection to one server; every generated operation goes through it."""

    def __init__(self, url: str, token: str | None, timeout: float, http: httpx.AsyncClient | None = None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.url = url.rstrip("/")
        self._timeout = timeout
        self._http = http or httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(retries=CONNECT_RETRIES))
        self._http.headers.update(headers)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def execute(
        self, query: str, operation_name: str | None = None, variables: dict[str, Any] | None = None, **_: Any
    ) -> httpx.Response:
        """Send one operation. Raises Unreachable."""
        body = request_body(query, operation_name, variables)
        try:
            return await self._http.post(
                f"{self.url}/graphql", json=body, headers={"Accept": MEDIA_TYPES}, timeout=self._timeout
            )
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None

    def get_data(self, response: httpx.Response) -> dict[str, Any]:
        """The data of an answer. Raises RequestError."""
        return data_of(response)

    async def execute_ws(
        self, query: str, operation_name: str | None = None, variables: dict[str, Any] | None = None, **_: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """The answers of a subscription, to its end. Raises StreamCut where the stream broke off, RequestError."""
        body = request_body(query, operation_name, variables)
        lines = EventLines()
        timeout = httpx.Timeout(self._timeout, read=max(self._timeout, 60.0))
        try:
            async with self._http.stream(
                "POST", f"{self.url}/graphql", json=body, headers={"Accept": EVENT_STREAM}, timeout=timeout
            ) as response:
                if not response.headers.get("content-type", "").startswith(EVENT_STREAM):
                    await response.aread()
                    data_of(response)
                    raise RequestError("The server answered no event stream.", "HTTP", response.status_code)
                async for line in response.aiter_lines():
                    for data in lines.take(line):
                        yield data
        except httpx.HTTPError as error:
            raise StreamCut(f"The event stream was cut: {error}") from None
        if not lines.completed:
            raise StreamCut("The event stream ended early.")

    async def upload(self, digest: str, path: Path, workspace: str) -> None:
        """Store a file as a blob under its SHA-256; one that is there already is not stored again."""
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(path.stat().st_size)}
        try:
            response = await self._http.put(
                f"{self.url}/blobs/{digest}",
                params={"workspace": workspace},
                content=self._chunks(path),
                headers=headers,
                timeout=self._timeout,
            )
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None
        raise_for_status(response)

    async def download(self, digest: str, path: Path, workspace: str) -> None:
        """Write a blob to a file. Raises RequestError where there is none."""
        try:
            async with self._http.stream(
                "GET", f"{self.url}/blobs/{digest}", params={"workspace": workspace}, timeout=self._timeout
            ) as response:
                if response.is_error:
                    await response.aread()
                raise_for_status(response)
                with path.open("wb") as target:
                    async for block in response.aiter_bytes():
                        target.write(block)
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None

    async def _chunks(self, path: Path) -> AsyncIterator[bytes]:
        with path.open("rb") as stream:
            while block := stream.read(_CHUNK):
                yield block

    def _unreachable(self, error: httpx.HTTPError) -> Unreachable:
        why = str(error) or type(error).__name__
        return Unreachable(f"No answer from {self.url}: {why}. Is the server running? Start one with `pinset serve`.")
