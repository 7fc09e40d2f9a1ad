"""What `pinset doctor` looks at: versions, the mongod, the connection, the replica set, indexes and digests.

Nothing is written: a missing index is told, not made.
"""

import contextlib
import platform
from collections.abc import AsyncIterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from domain.errors import StartupFailure
from server.serving import mongodb_url
from server.settings import Settings
from storage.contents import examine
from storage.driver import Database, check_server, connect
from storage.indexes import missing_indexes
from storage.mongod_binary import find_mongod

SAMPLE: Final = 1_000
_SHOWN: Final = 5
_DISTRIBUTIONS: Final = ("pinset-server", "pinset", "strawberry-graphql", "graphql-core", "motor", "pymongo")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, whether it is well, and what was seen or what to do."""

    name: str
    is_well: bool
    detail: str


async def diagnose(settings: Settings, *, every_digest: bool) -> AsyncIterator[Finding]:
    """Findings as they are made; those that need the database end with the first that it fails."""
    yield Finding("versions", True, _versions())
    if settings.mongodb_url is None:
        yield _mongod(settings)
    try:
        async with mongodb_url(settings) as url:
            client = connect(url, timeout_seconds=settings.mongodb_timeout_seconds)
            with contextlib.closing(client):
                await check_server(client)
                build = await client.admin.command("buildInfo")
                yield Finding("connection", True, f"MongoDB {build['version']}, a replica set with a primary")
                yield await _indexes(client[settings.database])
                yield await _digests(client[settings.database], None if every_digest else SAMPLE)
    except StartupFailure as error:
        yield Finding("connection", False, error.message)


def _versions() -> str:
    found = [f"Python {platform.python_version()}"]
    for name in _DISTRIBUTIONS:
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return ", ".join(found)


def _mongod(settings: Settings) -> Finding:
    try:
        return Finding("mongod", True, str(find_mongod(settings.mongod)))
    except StartupFailure as error:
        return Finding("mongod", False, error.message)


async def _indexes(database: Database) -> Finding:
    if not await database.list_collection_names():
        return Finding("indexes", True, "no data yet; `pinset serve` makes them")
    missing = await missing_indexes(database)
    if missing:
        return Finding("indexes", False, f"missing: {', '.join(missing)}; start a server once, which makes them")
    return Finding("indexes", True, "all there")


async def _digests(database: Database, sample: int | None) -> Finding:
    examined, corrupt = await examine(database, sample)
    if corrupt:
        named = ", ".join(corrupt[:_SHOWN]) + (", …" if len(corrupt) > _SHOWN else "")
        detail = f"{len(corrupt):,} of {examined:,} texts do not have their digest: {named}; publish the content again"
        return Finding("digests", False, detail)
    return Finding("digests", True, f"{examined:,} texts examined, all have their digest")
