"""Applications around the small schema."""

from typing import Any, cast

from schema.execution.engine import Engine
from server.app import Application, assemble
from server.logging import configure
from server.settings import Settings
from tests.graphql_client import GraphQLClient
from tests.small_schema import probe, schema

configure("json", "info")


async def ready() -> None:
    """A database that always answers."""


def application(**settings: Any) -> Application:
    """An application with fresh counters."""
    probe.__init__()  # type: ignore[misc]
    return assemble(Settings(**settings), schema, cast("Any", probe.make_context), ready)


class SmallClient(GraphQLClient):
    """A client of the small schema, with the engine behind it."""

    engine: Engine


def client(**settings: Any) -> SmallClient:
    """A client of such an application."""
    app = application(**settings)
    http = SmallClient.over(app.asgi)
    http.engine = app.operations.engine
    return http
