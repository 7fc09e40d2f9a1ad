"""Applications around the small schema."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, cast

from schema.execution.engine import Engine
from server.app import Application, assemble
from server.settings import Settings
from tests.graphql_client import GraphQLClient, serving
from tests.quiet_logs import quiet
from tests.small_schema import probe, schema

quiet()


async def ready() -> None:
    """A database that always answers."""


def reset() -> None:
    """Forget what earlier tests did."""
    probe.__init__()  # type: ignore[misc]


async def until(condition: Callable[[], bool]) -> None:
    """Let everything else work until something holds, for ten seconds at most."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0)


def application(**settings: Any) -> Application:
    """An application with fresh counters."""
    reset()
    return assemble(Settings(**settings), schema, cast("Any", probe.make_context), ready)


@dataclass(frozen=True)
class Running:
    """A real server of the small schema."""

    application: Application
    address: str


@contextlib.asynccontextmanager
async def running(**settings: Any) -> AsyncIterator[Running]:
    """Serve such an application on a free port."""
    app = application(**settings)
    async with serving(app.asgi) as address:
        yield Running(app, address)


class SmallClient(GraphQLClient):
    """A client of the small schema, with the engine behind it."""

    engine: Engine


def client(**settings: Any) -> SmallClient:
    """A client of such an application."""
    app = application(**settings)
    http = SmallClient.over(app.asgi)
    http.engine = app.operations.engine
    return http
