"""What a process remembers of immutable things, bounded in bytes.

Contents are named by their digest and cannot change. Revisions can be deleted: they are served only while the
change feed is live, dropped when it is lost, and a deletion leaves a tombstone so that a late read cannot bring
them back.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import Final, Generic, TypeVar

from domain.limits import MEBIBYTE
from storage.changes import Change, ChangeFeed
from storage.driver import ObjectId
from storage.records import Content, Revision

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

CONTENT_BYTES: Final = 256 * MEBIBYTE
REVISION_BYTES: Final = 128 * MEBIBYTE
TOMBSTONE_SECONDS: Final = 60.0
# A parsed value takes several times the bytes of its text.
_PARSED_FACTOR: Final = 6
_ENTRY_BYTES: Final = 600
_MEMBER_BYTES: Final = 320


class BoundedCache(Generic[Key, Value]):
    """Least recently used entries go first once the weights exceed `capacity` bytes."""

    def __init__(self, capacity: int, weigh: Callable[[Value], int]) -> None:
        self._capacity = capacity
        self._weigh = weigh
        self._entries: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self.bytes = 0

    def get(self, key: Key) -> Value | None:
        """The entry, which counts as used now; None where there is none."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        self._entries.move_to_end(key)
        return entry[0]

    def put(self, key: Key, value: Value) -> None:
        """Keep an entry unless it alone is over a quarter of the capacity."""
        weight = self._weigh(value)
        if weight > self._capacity // 4:
            return
        self.drop(key)
        self._entries[key] = (value, weight)
        self.bytes += weight
        while self.bytes > self._capacity:
            _, (_, freed) = self._entries.popitem(last=False)
            self.bytes -= freed

    def drop(self, key: Key) -> None:
        """Forget one entry."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.bytes -= entry[1]

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._entries)


class Caches:
    """The caches of one process: contents by digest, revisions by id."""

    def __init__(self, content_bytes: int = CONTENT_BYTES, revision_bytes: int = REVISION_BYTES) -> None:
        self.contents: BoundedCache[str, Content] = BoundedCache(content_bytes, _content_weight)
        self._revisions: BoundedCache[ObjectId, Revision] = BoundedCache(revision_bytes, _revision_weight)
        self._tombstones: OrderedDict[ObjectId, float] = OrderedDict()
        self._feed: ChangeFeed | None = None

    def follow(self, feed: ChangeFeed) -> None:
        """Let deletions on any server reach this cache."""
        self._feed = feed
        feed.on_lost(self._revisions.clear)
        for collection in ("task_revisions", "taskset_revisions"):
            feed.listen(collection, self._changed)

    def revision(self, identity: ObjectId) -> Revision | None:
        """A remembered revision, only while the feed would have told of its deletion."""
        if self._feed is None or not self._feed.is_live:
            return None
        return self._revisions.get(identity)

    def remember(self, revision: Revision) -> None:
        """Keep a revision read from the database, unless it was deleted meanwhile or the feed is not live."""
        if self._feed is not None and self._feed.is_live and revision.id not in self._tombstones:
            self._revisions.put(revision.id, revision)

    def forget(self, identities: Iterable[ObjectId]) -> None:
        """Drop deleted revisions and bury them for 60 s."""
        now = time.monotonic()
        for identity in identities:
            self._revisions.drop(identity)
            self._tombstones[identity] = now
            self._tombstones.move_to_end(identity)
        while self._tombstones and next(iter(self._tombstones.values())) < now - TOMBSTONE_SECONDS:
            self._tombstones.popitem(last=False)

    def clear(self) -> None:
        """Forget everything; what is read next comes from the database."""
        self.contents.clear()
        self._revisions.clear()

    def _changed(self, change: Change) -> None:
        if change.operation == "delete":
            self.forget([change.id])


def _content_weight(content: Content) -> int:
    return _ENTRY_BYTES + _PARSED_FACTOR * len(content.text or "")


def _revision_weight(revision: Revision) -> int:
    return _ENTRY_BYTES + _MEMBER_BYTES * len(revision.members) + len(revision.config or "")
