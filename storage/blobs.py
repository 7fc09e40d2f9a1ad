"""Blobs: large contents by the SHA-256 of their bytes, written once, in GridFS."""

import hashlib
from collections.abc import AsyncIterable, AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from domain.errors import ErrorCode, InvalidInput, LimitExceeded
from domain.limits import MAX_ANSWER_BYTES, MAX_BLOB_BYTES, MEBIBYTE
from storage.clock import now
from storage.driver import Bucket, Database, DuplicateKeyError, ObjectId

UNUSED_AFTER: Final = timedelta(days=1)
_CHUNK_BYTES: Final = 255 * 1024
_BATCH: Final = 500
_USERS: Final = ("trials", "task_revisions", "job_tasks")


async def keep(database: Database, workspace: str, identity: str, content: bytes) -> None:
    """Write a blob of bytes at hand; one that exists is only made readable in the workspace."""
    if not await claim(database, workspace, identity):
        await _write(database, workspace, identity, _once(content))


async def write(database: Database, workspace: str, identity: str, chunks: AsyncIterable[bytes]) -> None:
    """Write a blob as it arrives. Raises InvalidInput where the bytes have another SHA-256 or are over 1 GiB.

    Nothing of a refused or broken upload stays.
    """
    await _write(database, workspace, identity, chunks)


async def compare(identity: str, chunks: AsyncIterable[bytes]) -> None:
    """Take in bytes whose blob exists already. Raises InvalidInput where they have another SHA-256 or are too many."""
    digest, size = hashlib.sha256(), 0
    async for chunk in chunks:
        size += len(chunk)
        _check_size(size)
        digest.update(chunk)
    _check_digest(identity, digest.hexdigest())


async def claim(database: Database, workspace: str, identity: str) -> bool:
    """Whether the blob exists; it then is readable in the workspace and kept for another day at least."""
    result = await database["blobs.files"].update_one(
        {"filename": identity, "metadata.isComplete": True},
        {"$addToSet": {"metadata.workspaces": workspace}, "$set": {"metadata.touchedAt": now()}},
    )
    return bool(result.matched_count)


async def find(database: Database, workspace: str, identity: str) -> int | None:
    """The size in bytes of a blob that is readable in the workspace, else None."""
    found = await database["blobs.files"].find_one(
        {"filename": identity, "metadata.isComplete": True, "metadata.workspaces": workspace}, {"length": 1}
    )
    return None if found is None else int(found["length"])


async def missing(database: Database, workspace: str, identities: set[str]) -> set[str]:
    """Those of the blobs that are not readable in the workspace."""
    query = {"filename": {"$in": sorted(identities)}, "metadata.isComplete": True, "metadata.workspaces": workspace}
    return identities - set(await database["blobs.files"].distinct("filename", query))


async def content(database: Database, identity: str, most: int = MAX_ANSWER_BYTES) -> bytes | None:
    """The whole blob; None where it is gone. Raises LimitExceeded (RESPONSE_TOO_LARGE) over `most` bytes."""
    found = await database["blobs.files"].find_one({"filename": identity}, {"length": 1})
    if found is not None and found["length"] > most:
        raise LimitExceeded(
            f"The content has {found['length']:,} bytes, too many for an answer; download the blob {identity}.",
            code="RESPONSE_TOO_LARGE",
            limit=most,
        )
    parts = [part async for part in read(database, identity)]
    return b"".join(parts) if parts else (b"" if identity == hashlib.sha256().hexdigest() else None)


async def read(database: Database, identity: str) -> AsyncIterator[bytes]:
    """The chunks of a blob in order; none where it is gone."""
    found = await database["blobs.files"].find_one({"filename": identity, "metadata.isComplete": True}, {"_id": 1})
    if found is None:
        return
    chunks = database["blobs.chunks"].find({"files_id": found["_id"]}, {"data": 1}, sort=[("n", 1)], batch_size=8)
    async for chunk in chunks:
        yield bytes(chunk["data"])


async def sweep(database: Database, older_than: timedelta = UNUSED_AFTER) -> int:
    """Remove blobs that no trial and no task has named for a day, and uploads that never ended; answers how many."""
    old = datetime.now(UTC) - older_than
    removed, batch = 0, []
    async for document in database["blobs.files"].find({"metadata.touchedAt": {"$lt": old}}, {"filename": 1}):
        batch.append(document)
        if len(batch) == _BATCH:
            removed += await _remove_unused(database, batch, old)
            batch = []
    removed += await _remove_unused(database, batch, old)
    return removed


async def _remove_unused(database: Database, files: list[Any], old: datetime) -> int:
    query = {"blobs": {"$in": [file["filename"] for file in files]}}
    named = {name for users in _USERS if files for name in await database[users].distinct("blobs", query)}
    removed = 0
    for file in files:
        if file["filename"] in named:
            continue
        gone = await database["blobs.files"].delete_one({"_id": file["_id"], "metadata.touchedAt": {"$lt": old}})
        if gone.deleted_count:
            await database["blobs.chunks"].delete_many({"files_id": file["_id"]})
            removed += 1
    return removed


async def _write(database: Database, workspace: str, identity: str, chunks: AsyncIterable[bytes]) -> None:
    bucket = Bucket(database, bucket_name="blobs", chunk_size_bytes=_CHUNK_BYTES)
    file = ObjectId()
    metadata = {"isComplete": False, "workspaces": [workspace], "touchedAt": now()}
    stream = bucket.open_upload_stream_with_id(file, f"upload:{file}", metadata=metadata)
    digest, size = hashlib.sha256(), 0
    try:
        async for chunk in chunks:
            size += len(chunk)
            _check_size(size)
            digest.update(chunk)
            await stream.write(chunk)
        _check_digest(identity, digest.hexdigest())
        await stream.close()
    except BaseException:
        await stream.abort()
        raise
    await _publish(database, workspace, identity, file)


async def _publish(database: Database, workspace: str, identity: str, file: ObjectId) -> None:
    """Give a verified upload its name; where another upload was faster, that one stays."""
    try:
        await database["blobs.files"].update_one(
            {"_id": file}, {"$set": {"filename": identity, "metadata.isComplete": True, "metadata.touchedAt": now()}}
        )
    except DuplicateKeyError:
        await database["blobs.files"].delete_one({"_id": file})
        await database["blobs.chunks"].delete_many({"files_id": file})
        await claim(database, workspace, identity)


def _check_size(size: int) -> None:
    if size > MAX_BLOB_BYTES:
        raise InvalidInput(
            f"A blob has at most {MAX_BLOB_BYTES // MEBIBYTE:,} MiB; split the content.", (), ErrorCode.LIMIT_EXCEEDED
        )


def _check_digest(identity: str, found: str) -> None:
    if found != identity:
        raise InvalidInput(f"The content's SHA-256 is {found}, not {identity}; upload it under its own digest.")


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content
