"""Following the events of jobs: one reader a job and process fills a tail that all of its subscribers read.

The change feed only wakes readers. Where it is not live they look by themselves, so an event is late at worst.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator
from typing import Final

import structlog

from storage.changes import Change
from storage.driver import ObjectId, PyMongoError
from storage.job_events import EventRecord, read_after
from storage.services import Services

log = structlog.get_logger(__name__)

TAIL_EVENTS: Final = 1_000
_READ_EVENTS: Final = 500
_LOOK_SECONDS: Final = 2.0
_RETRY_SECONDS: Final = 0.5


class Tail:
    """The last events of one job, numbered without a gap, and the signal that more have come."""

    def __init__(self, services: Services, job: ObjectId, seq: int) -> None:
        self._services = services
        self.job = job
        self.seq = seq
        self.readers = 0
        self._events: deque[EventRecord] = deque(maxlen=TAIL_EVENTS)
        self._come: asyncio.Event = asyncio.Event()
        self._wake = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    def wake(self) -> None:
        """Look for new events soon."""
        self._wake.set()

    async def end(self) -> None:
        """Stop reading."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def after(self, seq: int) -> list[EventRecord]:
        """At least one event that follows `seq`, waiting for it; from the tail, or from the database where older."""
        while True:
            come = self._come
            if seq < self.seq:
                break
            await come.wait()
        oldest = self._events[0].seq if self._events else self.seq + 1
        if seq + 1 < oldest:
            return await read_after(self._services.database, self.job, seq, _READ_EVENTS)
        # Numbers have no gap, so the place of an event in the tail follows from its number.
        start = seq + 1 - oldest
        return [self._events[index] for index in range(start, min(len(self._events), start + _READ_EVENTS))]

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                await self._read()
            except PyMongoError as error:
                log.warning("events_not_read", job=str(self.job), error=type(error).__name__)
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._wake.wait()

    async def _read(self) -> None:
        while True:
            found = await read_after(self._services.database, self.job, self.seq, _READ_EVENTS)
            if not found:
                return
            self._events.extend(found)
            self.seq = found[-1].seq
            come, self._come = self._come, asyncio.Event()
            come.set()


class Tails:
    """The tails of one process: `services.shared(Tails)`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._tails: dict[ObjectId, Tail] = {}
        self._unlisten = services.feed.listen("jobs", self._changed)
        self._unlisten_lost = services.feed.on_lost(self._wake_all)

    @contextlib.asynccontextmanager
    async def following(self, job: ObjectId, seq: int) -> AsyncIterator[Tail]:
        """The job's tail while the body runs; the last of its readers ends it. `seq` is where a new one begins."""
        tail = self._tails.get(job)
        if tail is None:
            tail = self._tails[job] = Tail(self._services, job, seq)
        tail.readers += 1
        try:
            yield tail
        finally:
            tail.readers -= 1
            if tail.readers == 0:
                self._tails.pop(job, None)
                await asyncio.shield(tail.end())

    async def close(self) -> None:
        """End all readers."""
        self._unlisten()
        self._unlisten_lost()
        for tail in list(self._tails.values()):
            await tail.end()
        self._tails.clear()

    def __len__(self) -> int:
        return len(self._tails)

    def _changed(self, change: Change) -> None:
        tail = self._tails.get(change.id)
        if tail is not None:
            tail.wake()

    def _wake_all(self) -> None:
        for tail in self._tails.values():
            tail.wake()
