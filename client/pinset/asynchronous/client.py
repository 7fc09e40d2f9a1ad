"""The client itself: one connection, and a group of calls for every noun."""

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import httpx

from pinset.answers import data_of
from pinset.asynchronous.jobs import Jobs
from pinset.asynchronous.metrics import Metrics
from pinset.asynchronous.tasks import Tasks
from pinset.asynchronous.tasksets import Tasksets
from pinset.asynchronous.workspaces import Workspaces
from pinset.generated.client import AsyncGeneratedClient

DEFAULT_URL: Final = "http://127.0.0.1:8000"


class AsyncPinset:
    """A client of one server. `url` and `token` default to PINSET_URL and PINSET_TOKEN, then to a local server.

    `workspace` is where bare names are looked up; every call can name another. `timeout` is in seconds a request.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        workspace: str = "default",
        timeout: float = 60.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self.url = url or os.environ.get("PINSET_URL") or DEFAULT_URL
        self.workspace = workspace
        self.api = AsyncGeneratedClient(self.url, token or os.environ.get("PINSET_TOKEN"), timeout, http)
        self.workspaces = Workspaces(self.api)
        self.metrics = Metrics(self.api, workspace)
        self.tasks = Tasks(self.api, workspace)
        self.tasksets = Tasksets(self.api, workspace)
        self.jobs = Jobs(self.api, workspace)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self.api.close()

    async def execute(self, query: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
        """Any GraphQL operation; its data. Raises RequestError, Unreachable."""
        return data_of(await self.api.execute(query, None, variables))

    async def upload(self, digest: str, path: Path, workspace: str | None = None) -> None:
        """Store a file as a blob under its SHA-256. Raises RequestError where it has another."""
        await self.api.upload(digest, path, workspace or self.workspace)

    async def download(self, digest: str, path: Path, workspace: str | None = None) -> None:
        """Write a blob to a file. Raises RequestError where there is none."""
        await self.api.download(digest, path, workspace or self.workspace)
