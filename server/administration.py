"""GraphQL for commands that administer: against a running server, or straight at its database where none is named.

Who can read the data directory, or knows the database's password, can do everything anyway: there, commands act as
the administrator.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

from domain.errors import StartupFailure
from pinset.errors import PinsetError as ClientError
from pinset.synchronous.client import Pinset
from resolvers.access import EVERYTHING, Viewer
from resolvers.context import Context
from schema.build import build_schema
from schema.execution.answers import RequestRefused
from schema.execution.engine import Engine
from server.serving import open_database
from server.settings import load_settings

Execute = Callable[[str, Mapping[str, Any]], dict[str, Any]]


@contextmanager
def administration(url: str | None, token: str | None, data_dir: Path | None) -> Iterator[Execute]:
    """What runs an operation and answers its data. Raises StartupFailure with what went wrong, in one sentence."""
    if url is not None:
        with Pinset(url, token) as client:
            yield lambda text, variables: _remotely(client, text, variables)
        return
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            settings = load_settings(data_dir=data_dir)
            services = runner.run(stack.enter_async_context(open_database(settings)))
            engine, viewer = Engine(build_schema()), Viewer("command-line", EVERYTHING)
            yield lambda text, variables: runner.run(_locally(engine, Context(services, viewer), text, variables))
        finally:
            runner.run(stack.aclose())


def _remotely(client: Pinset, text: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return client.execute(text, dict(variables))
    except ClientError as error:
        raise StartupFailure(str(error)) from None


async def _locally(engine: Engine, context: Context, text: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    try:
        operation = await engine.prepare(text, None, variables)
        answer = await engine.execute(operation, variables, context)
    except RequestRefused as refused:
        answer = refused.answer
    if answer.errors or answer.data is None:
        raise StartupFailure("; ".join(str(error["message"]) for error in answer.errors))
    return answer.data


def payload(data: Mapping[str, Any], mutation: str) -> dict[str, Any]:
    """What a mutation answered. Raises StartupFailure with its errors."""
    found: dict[str, Any] = data[mutation]
    if found["errors"]:
        raise StartupFailure("; ".join(error["message"] for error in found["errors"]))
    return found
