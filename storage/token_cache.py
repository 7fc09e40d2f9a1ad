"""Valid tokens by the hash of their secret, remembered only while a revocation would be heard of."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Final

from storage.changes import Change, ChangeFeed
from storage.driver import ObjectId
from storage.records import TokenRecord

CAPACITY: Final = 10_000
USE_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class _Entry:
    record: TokenRecord
    ends: float


class TokenCache:
    """At most 10,000 tokens. One that was revoked never comes back, however late a read of it ends."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._hashes: dict[ObjectId, str] = {}
        self._revoked: OrderedDict[ObjectId, None] = OrderedDict()
        self._noted: dict[ObjectId, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._feed: ChangeFeed | None = None

    def follow(self, feed: ChangeFeed) -> None:
        """Let revocations on any server reach this cache."""
        self._feed = feed
        feed.on_lost(self.clear)
        feed.listen("tokens", self._changed)

    def get(self, digest: str) -> TokenRecord | None:
        """The token of this hash, unless it has expired or a revocation might have been missed."""
        entry = self._entries.get(digest)
        if entry is None or not self._is_live or time.monotonic() >= entry.ends:
            return None
        self._entries.move_to_end(digest)
        return entry.record

    def put(self, digest: str, record: TokenRecord, seconds: float) -> None:
        """Keep a token that is valid for `seconds` more."""
        if not self._is_live or record.id in self._revoked:
            return
        self._entries[digest] = _Entry(record, time.monotonic() + seconds)
        self._hashes[record.id] = digest
        if len(self._entries) > CAPACITY:
            _, oldest = self._entries.popitem(last=False)
            self._hashes.pop(oldest.record.id, None)

    def forget(self, identity: ObjectId) -> None:
        """Drop a revoked token for good."""
        self._entries.pop(self._hashes.pop(identity, ""), None)
        self._revoked[identity] = None
        if len(self._revoked) > CAPACITY:
            self._revoked.popitem(last=False)

    def clear(self) -> None:
        """Forget every valid token."""
        self._entries.clear()
        self._hashes.clear()

    def is_use_due(self, identity: ObjectId) -> bool:
        """Whether a use is to be recorded: at most once a minute a token."""
        now = time.monotonic()
        if now - self._noted.get(identity, float("-inf")) < USE_SECONDS:
            return False
        if len(self._noted) >= CAPACITY:
            self._noted.clear()
        self._noted[identity] = now
        return True

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that no request waits for."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def drain(self) -> None:
        """Wait for what `spawn` started."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    @property
    def _is_live(self) -> bool:
        return self._feed is not None and self._feed.is_live

    def _changed(self, change: Change) -> None:
        if change.operation in ("delete", "replace") or change.document.get("revokedAt") is not None:
            self.forget(change.id)
