"""The services of one process: the database, and what stands between it and the use cases."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any, Protocol, TypeAlias, TypeVar

from domain.errors import Path
from domain.limits import MEBIBYTE
from domain.quotas import Quotas
from storage.cache import BoundedCache, Caches
from storage.changes import ChangeFeed
from storage.driver import Client, Database, ObjectId
from storage.indexes import ensure_indexes
from storage.quotas import QuotaKeeper
from storage.token_cache import TokenCache
from storage.transactions import Transactions
from storage.workspaces import ensure_default


class Shared(Protocol):
    """Something that a room above keeps once a process, closed with the services."""

    async def close(self) -> None:
        """Finish what is under way and let go of everything."""


Kept = TypeVar("Kept", bound=Shared)
# Compares the content hash of a Harbor archive with the one expected; raises InvalidInput with the path given.
VerifyArchive: TypeAlias = Callable[[IO[bytes], str, Path], None]


@dataclass(slots=True)
class Services:
    """Opened once a process (`open_services`) and shared by all of its requests."""

    client: Client
    database: Database
    caches: Caches = field(default_factory=Caches)
    # Ids that names stood for when last seen: a hint, proved by the guard of that id or looked up again.
    metric_ids: BoundedCache[str, ObjectId] = field(default_factory=lambda: BoundedCache(MEBIBYTE, lambda _: 200))
    # Where `latest` pointed when last seen, by kind and name: a hint that the cache may hold that revision.
    latest_ids: BoundedCache[str, ObjectId] = field(default_factory=lambda: BoundedCache(MEBIBYTE, lambda _: 200))
    # Workspaces are never deleted, so one that was seen exists.
    known_workspaces: set[str] = field(default_factory=set)
    tokens: TokenCache = field(default_factory=TokenCache)
    limits: Quotas = field(default_factory=Quotas)
    # File formats are read in a room of their own; the composition root knows it.
    verify_archive: VerifyArchive | None = None
    quotas: QuotaKeeper = field(init=False)
    feed: ChangeFeed = field(init=False)
    transactions: Transactions = field(init=False)
    _shared: dict[Any, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.quotas = QuotaKeeper(self.database, self.limits)
        self.feed = ChangeFeed(self.database)
        self.transactions = Transactions(self.client, self.database)
        self.caches.follow(self.feed)
        self.tokens.follow(self.feed)

    def shared(self, kind: Callable[["Services"], Kept]) -> Kept:
        """The one object of a kind in this process, made by `kind(services)` when it is first asked for."""
        if kind not in self._shared:
            self._shared[kind] = kind(self)
        kept: Kept = self._shared[kind]
        return kept

    async def close(self) -> None:
        """Let transactions under way end, then stop the feed. The client is closed by whoever opened it."""
        for shared in reversed(list(self._shared.values())):
            await shared.close()
        await self.transactions.close()
        await self.tokens.drain()
        await self.feed.stop()


async def prepare(database: Database) -> None:
    """Create what is missing in the database: indexes, the default workspace.

    Raises StartupFailure where the data was written by a newer version.
    """
    await ensure_indexes(database)
    await ensure_default(database)


async def open_services(
    client: Client,
    database: str = "pinset",
    limits: Quotas | None = None,
    verify_archive: VerifyArchive | None = None,
    *,
    is_prepared: bool = False,
) -> Services:
    """Prepare the database, unless that has been done a moment ago, and start the change feed.

    Raises StartupFailure where the data was written by a newer version.
    """
    services = Services(client, client[database], limits=limits or Quotas(), verify_archive=verify_archive)
    if not is_prepared:
        await prepare(services.database)
    await services.feed.start()
    return services
