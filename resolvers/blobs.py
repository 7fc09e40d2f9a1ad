"""Blobs: write and read large contents of a workspace."""

from collections.abc import AsyncIterator

from domain.errors import NotFound
from resolvers.access import Scope
from resolvers.context import Context
from resolvers.workspaces import writable
from storage import blobs as storage


async def write_blob(context: Context, workspace: str, digest: str, size: int, chunks: AsyncIterator[bytes]) -> bool:
    """Store a blob as it arrives; False where it was there already, and then the bytes are only compared.

    `size` is what the client announced, 0 where it did not.

    Raises NotFound, Refused (needs RUN), InvalidInput where the bytes have another SHA-256 or are too many.
    """
    await writable(context, workspace, Scope.RUN)
    database = context.services.database
    if await storage.find(database, workspace, digest) is not None:
        await storage.compare(digest, chunks)
        await storage.claim(database, workspace, digest)
        return False
    await context.services.quotas.admit(workspace, records=0, size=size)
    await storage.write(database, workspace, digest, chunks)
    return True


async def blob_size(context: Context, workspace: str, digest: str) -> int:
    """The size in bytes of a blob of a workspace. Raises NotFound where the viewer cannot read one."""
    size = None
    if context.viewer.reads(workspace):
        size = await storage.find(context.services.database, workspace, digest)
    if size is None:
        raise NotFound(f"There is no blob {digest} in workspace {workspace!a}.", ("sha256",), ref=digest)
    return size


def read_blob(context: Context, digest: str) -> AsyncIterator[bytes]:
    """The bytes of a blob whose size was asked before, which decides whether the viewer may read it."""
    return storage.read(context.services.database, digest)
