"""Checking, before a Harbor task is published, that the archive it refers to holds what it says."""

import asyncio
import tempfile
from typing import Final

from domain.content import Archive
from domain.errors import InvalidInput, Path
from domain.limits import MEBIBYTE
from resolvers.context import Context
from storage import blobs
from storage.cache import BoundedCache
from storage.services import Services

_AT: Final[Path] = ("task", "spec", "harbor")
_AT_ONCE: Final = 2
_IN_MEMORY: Final = 8 * MEBIBYTE


class Archives:
    """What this process knows of archives, by the blob's SHA-256: the content hash that they were seen to have."""

    def __init__(self, services: Services) -> None:
        self.hashes: BoundedCache[str, str] = BoundedCache(MEBIBYTE, lambda _: 300)
        # Each takes a thread, and up to 1 GiB of disk.
        self.places = asyncio.Semaphore(_AT_ONCE)

    async def close(self) -> None:
        """Nothing is open between checks."""


async def check_archive(context: Context, archive: Archive) -> None:
    """Hash what an archive unpacks to. Raises InvalidInput where it is missing or holds something else.

    Paths lead from what holds the task. The blob is kept for another day at least, until the task names it.
    """
    services = context.services
    is_readable = context.viewer.reads(archive.workspace)
    if not is_readable or await blobs.find(services.database, archive.workspace, archive.blob) is None:
        raise InvalidInput(
            f"The archive is not here. Upload it first: PUT /blobs/{archive.blob}?workspace={archive.workspace}.",
            (*_AT, "archiveRef"),
        )
    await blobs.claim(services.database, archive.workspace, archive.blob)
    known = services.shared(Archives)
    if known.hashes.get(archive.blob) != archive.digest:
        async with known.places:
            await _verify(services, archive)
        known.hashes.put(archive.blob, archive.digest)


async def _verify(services: Services, archive: Archive) -> None:
    if services.verify_archive is None:
        raise RuntimeError("these services were opened without a way to verify archives")
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        async for chunk in blobs.read(services.database, archive.blob):
            file.write(chunk)
        file.seek(0)
        await asyncio.to_thread(services.verify_archive, file, archive.digest, (*_AT, "archiveDigest"))
