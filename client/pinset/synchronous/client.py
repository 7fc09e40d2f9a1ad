# Written by client/generate.py; change pinset/asynchronous/client.py instead.
"""The client itself: one connection, and a group of calls for every noun."""

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import httpx

from pinset.answers import data_of
from pinset.synchronous.jobs import Jobs
from pinset.synchronous.metrics import Metrics
from pinset.synchronous.operations import GeneratedClient
from pinset.synchronous.tasks import Tasks
from pinset.synchronous.tasksets import Tasksets
from pinset.synchronous.workspaces import Workspaces

DEFAULT_URL: Final = "http://127.0.0.1:8000"


class Pinset:
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
        http: httpx.Client | None = None,
    ) -> None:
        self.url = url or os.environ.get("PINSET_URL") or DEFAULT_URL
        self.workspace = workspace
        self.api = GeneratedClient(self.url, token or os.environ.get("PINSET_TOKEN"), timeout, http)
        self.workspaces = Workspaces(self.api)
        self.metrics = Metrics(self.api, workspace)
        self.tasks = Tasks(self.api, workspace)
        self.tasksets = Tasksets(self.api, workspace)
        self.jobs = Jobs(self.api, workspace)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self.api.close()

    def execute(self, query: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
        """Any GraphQL operation; its data. Raises RequestError, Unreachable."""
        return data_of(self.api.execute(query, None, variables))

    def upload(self, digest: str, path: Path, workspace: str | None = None) -> None:
        """Store a file as a blob under its SHA-256. Raises RequestError where it has another."""
        self.api.upload(digest, path, workspace or self.workspace)

    def download(self, digest: str, path: Path, workspace: str | None = None) -> None:
        """Write a blob to a file. Raises RequestError where there is none."""
        self.api.download(digest, path, workspace or self.workspace)
