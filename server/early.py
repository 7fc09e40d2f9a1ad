"""A private MongoDB that starts, and gets its indexes, on a thread while the rest of the server is still imported.

Either takes a second or more; side by side the first answer comes that much sooner.
"""

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import TypeAlias

from server.settings import Settings
from storage import local
from storage.driver import connect
from storage.indexes import ensure_indexes

Starting: TypeAlias = Future[local.LocalMongoDB]


@contextmanager
def early_mongodb(settings: Settings) -> Iterator[Starting | None]:
    """The MongoDB as it starts, where the settings name none; it is stopped at the end, whatever happened."""
    if settings.mongodb_url is not None:
        yield None
        return
    with ThreadPoolExecutor(1, thread_name_prefix="mongodb") as thread:
        starting = thread.submit(asyncio.run, _prepared(settings))
        try:
            yield starting
        finally:
            if starting.exception() is None:
                asyncio.run(starting.result().stop())


async def _prepared(settings: Settings) -> local.LocalMongoDB:
    mongodb = await local.start(settings.data_dir, mongod=settings.mongod)
    try:
        with closing(connect(mongodb.url, timeout_seconds=settings.mongodb_timeout_seconds)) as client:
            await ensure_indexes(client[settings.database])
    except BaseException:
        await mongodb.stop()
        raise
    return mongodb
