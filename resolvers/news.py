"""Telling of each revision as it is published, on any server.

A process reads each new revision once, into a tail that all of its subscribers share. The change feed says what is new;
where it broke, what came since is read from the database, and what was told already is left out.
"""

import asyncio
import contextlib
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Callable
from typing import Final

import structlog

from domain.errors import BadUserInput, LimitExceeded, ServiceUnavailable
from domain.limits import MEBIBYTE
from resolvers.context import Context
from resolvers.workspaces import workspace
from storage import news
from storage.changes import Change
from storage.driver import ObjectId, PyMongoError
from storage.news import Insertion, News
from storage.services import Services

log = structlog.get_logger(__name__)

TAIL_ITEMS: Final = 1_000
_TAIL_BYTES: Final = 32 * MEBIBYTE
_READ_ITEMS: Final = 200
_RETRY_SECONDS: Final = 0.2


async def revision_published(context: Context, name: str) -> AsyncGenerator[News, None]:
    """Each revision that is published in a workspace from now on; those of one record in their order, each once.

    Raises BadUserInput where there is no such workspace for the viewer, LimitExceeded (SUBSCRIBER_BEHIND) for a
    subscriber that 1,000 revisions have overtaken.
    """
    if await workspace(context, name) is None:
        raise BadUserInput(f"There is no workspace {name!a}.", argument="workspace")
    async with context.services.shared(Newsroom).following(name) as tail:
        position = tail.end
        while True:
            for item in await tail.beyond(position):
                # The loaders of an event begin empty; a subscriber need not read again what was read for all.
                context.loaders.head[item.kind].prime(item.head.id, item.head)
                yield item
                position += 1


class Tail:
    """The last news of one workspace, and the signal that more have come."""

    def __init__(self) -> None:
        self.readers = 0
        self.end = 0
        self._items: deque[News] = deque()
        self._bytes = 0
        self._come = asyncio.Event()
        self._has_failed = False

    def add(self, item: News) -> None:
        """Append, and forget the oldest beyond 1,000 items or 32 MiB."""
        self._items.append(item)
        self.end += 1
        self._bytes += _weight(item)
        while len(self._items) > TAIL_ITEMS or (self._bytes > _TAIL_BYTES and len(self._items) > 1):
            self._bytes -= _weight(self._items.popleft())
        come, self._come = self._come, asyncio.Event()
        come.set()

    def fail(self) -> None:
        """Tell the readers that nothing more will come."""
        self._has_failed = True
        self._come.set()

    async def beyond(self, position: int) -> list[News]:
        """At least one item from `position` on, waiting for it.

        Raises LimitExceeded where it is gone already, ServiceUnavailable where nothing more will come.
        """
        while position >= self.end:
            if self._has_failed:
                raise ServiceUnavailable("New revisions can no longer be read; subscribe again.")
            await self._come.wait()
        skipped = position - (self.end - len(self._items))
        if skipped < 0:
            raise LimitExceeded(
                f"You read more slowly than revisions are published, and more than {TAIL_ITEMS:,} have come since; "
                "subscribe again and list what you missed.",
                code="SUBSCRIBER_BEHIND",
                limit=TAIL_ITEMS,
            )
        return list(self._items)[skipped:]


def _weight(item: News) -> int:
    return len(item.revision.config or "")


class Newsroom:
    """The one reader of new revisions in a process, at work while anybody follows them: `services.shared(Newsroom)`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._tails: dict[str, Tail] = {}
        # Ids that came by the feed or from before it was listened to, in about the order of their times.
        self._known: OrderedDict[ObjectId, None] = OrderedDict()
        self._waiting: deque[Insertion] = deque()
        self._held: list[Insertion] = []
        self._losses = 0
        self._missed_since = services.feed.complete_until
        self._wake = asyncio.Event()
        self._beginning = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._stops: list[Callable[[], None]] = []

    @contextlib.asynccontextmanager
    async def following(self, name: str) -> AsyncGenerator[Tail, None]:
        """The tail of a workspace while the body runs; the last reader of all ends the work."""
        async with self._beginning:
            if self._task is None:
                await self._begin()
            tail = self._tails.setdefault(name, Tail())
            tail.readers += 1
        try:
            yield tail
        finally:
            tail.readers -= 1
            if tail.readers == 0 and self._tails.get(name) is tail:
                del self._tails[name]
            if not self._tails:
                self._end()

    async def close(self) -> None:
        """End the work."""
        self._end()

    def __len__(self) -> int:
        return sum(tail.readers for tail in self._tails.values())

    async def _begin(self) -> None:
        feed = self._services.feed
        self._known.clear()
        for insertion in await news.inserted_since(self._services.database, feed.complete_until):
            self._known[insertion.id] = None
        self._stops = [feed.listen(collection, self._changed) for collection in news.KINDS]
        self._stops.append(feed.on_lost(self._lost))
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(self._ended)
        if not feed.is_live:
            self._lost()

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task.cancelled() or task is not self._task:
            return
        log.error("news_ended", error=repr(task.exception()))
        for tail in self._tails.values():
            tail.fail()
        self._tails.clear()
        self._end()

    def _end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        for stop in self._stops:
            stop()
        self._stops = []
        self._waiting.clear()
        self._held.clear()
        self._losses = 0

    def _changed(self, change: Change) -> None:
        if change.operation != "insert":
            return
        insertion = Insertion(news.KINDS[change.collection], str(change.document.get("workspace")), change.id)
        if self._losses:
            # Older ones of the same record may have been missed and must be told first.
            self._held.append(insertion)
        else:
            self._tell_of(insertion)

    def _tell_of(self, insertion: Insertion) -> None:
        if insertion.id in self._known:
            return
        self._known[insertion.id] = None
        oldest = insertion.id.generation_time - 2 * news.OVERLAP
        while next(iter(self._known)).generation_time < oldest:
            self._known.popitem(last=False)
        if insertion.workspace in self._tails:
            self._waiting.append(insertion)
            self._wake.set()

    def _lost(self) -> None:
        if not self._losses:
            self._missed_since = self._services.feed.complete_until
        self._losses += 1
        self._wake.set()

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                if self._losses:
                    await self._catch_up()
                await self._deliver()
            except PyMongoError as error:
                log.warning("news_not_read", error=type(error).__name__)
                await asyncio.sleep(_RETRY_SECONDS)
                self._wake.set()

    async def _catch_up(self) -> None:
        missed: list[Insertion] = []
        losses = 0
        while losses != self._losses:
            losses = self._losses
            # Once the stream answers again, whatever it does not tell can be read.
            await self._services.feed.answering()
            missed = await news.inserted_since(self._services.database, self._missed_since)
        self._losses = 0
        held, self._held = self._held, []
        for insertion in (*missed, *held):
            self._tell_of(insertion)

    async def _deliver(self) -> None:
        while self._waiting:
            batch = [self._waiting[index] for index in range(min(len(self._waiting), _READ_ITEMS))]
            found = await news.read(self._services.database, batch)
            for _ in batch:
                self._waiting.popleft()
            for item in found:
                tail = self._tails.get(item.revision.workspace)
                if tail is not None:
                    tail.add(item)
