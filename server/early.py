"""A private MongoDB that starts on a thread while the rest of the server is still being imported.

Either takes most of a second; side by side the first answer comes that much sooner.
"""

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeAlias

from server.settings import Settings
from storage import local

Starting: TypeAlias = Future[local.LocalMongoDB]


@contextmanager
def early_mongodb(settings: Settings) -> Iterator[Starting | None]:
    """The MongoDB as it starts, where the settings name none; it is stopped at the end, whatever happened."""
    if settings.mongodb_url is not None:
        yield None
        return
    with ThreadPoolExecutor(1, thread_name_prefix="mongodb") as thread:
        starting = thread.submit(asyncio.run, local.start(settings.data_dir, mongod=settings.mongod))
        try:
            yield starting
        finally:
            if starting.exception() is None:
                asyncio.run(starting.result().stop())
