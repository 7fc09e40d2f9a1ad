"""A private mongod that boots on another processor while the server's modules are loaded here.

Either takes a second or more; side by side the first answer comes that much sooner. What this module imports is
waited for before mongod is launched, so it is little.
"""

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from server.settings import Settings
from storage.launch import Launched, launch


@dataclass(frozen=True, slots=True)
class Launching:
    """The mongod as it is launched, and the thread that does so, which is free for the steps that follow."""

    thread: ThreadPoolExecutor
    launched: Future[Launched]


@contextmanager
def launching(settings: Settings) -> Iterator[Launching | None]:
    """A mongod on its way, where the settings name none; it is stopped at the end, whatever happened."""
    if settings.mongodb_url is not None:
        yield None
        return
    with ThreadPoolExecutor(1, thread_name_prefix="mongodb") as thread:
        launched = thread.submit(asyncio.run, launch(settings.data_dir, mongod=settings.mongod))
        try:
            yield Launching(thread, launched)
        finally:
            if launched.exception() is None:
                launched.result().stop()
