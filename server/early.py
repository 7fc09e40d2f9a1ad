"""The private MongoDB becomes writable, and gets its indexes, while the server's other modules are loaded."""

import asyncio
from concurrent.futures import Future
from contextlib import closing
from typing import TypeAlias

from server.launching import Launching
from server.settings import Settings
from storage import local
from storage.driver import connect
from storage.launch import Launched
from storage.services import prepare

Starting: TypeAlias = Future[local.LocalMongoDB]


def starting(launching: Launching | None, settings: Settings) -> Starting | None:
    """The MongoDB that is being launched, once it can be used; where that fails, the future raises StartupFailure."""
    if launching is None:
        return None
    return launching.thread.submit(lambda: asyncio.run(_prepared(launching.launched.result(), settings)))


async def _prepared(launched: Launched, settings: Settings) -> local.LocalMongoDB:
    mongodb = await local.writable(launched)
    with closing(connect(mongodb.url, timeout_seconds=settings.mongodb_timeout_seconds)) as client:
        await prepare(client[settings.database])
    return mongodb
