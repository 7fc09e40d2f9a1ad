"""Canonical texts by digest, shared by everything that has the same content."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from domain.canonical import digest_of
from storage.driver import Database, UpdateOne
from storage.records import Content

_TOUCH_AFTER: Final = timedelta(hours=1)
UNUSED_AFTER: Final = timedelta(days=1)
_BATCH: Final = 500


async def stage(database: Database, texts: Mapping[str, str]) -> None:
    """Store texts by digest, outside any transaction: a row that nothing comes to name is swept after a day.

    A row that exists is only touched, at most once an hour, so that a sweep cannot take what is about to be named;
    one that was damaged gets its text back.
    """
    operations = [_upsert(digest, text) for digest, text in texts.items()]
    for start in range(0, len(operations), _BATCH):
        await database["contents"].bulk_write(operations[start : start + _BATCH], ordered=False)


def _upsert(digest: str, text: str) -> UpdateOne:
    touched = {
        "$cond": [{"$lt": ["$touchedAt", {"$subtract": ["$$NOW", _milliseconds(_TOUCH_AFTER)]}]}, "$$NOW", "$touchedAt"]
    }
    return UpdateOne(
        {"_id": digest},
        [{"$set": {"text": {"$literal": text}, "touchedAt": touched}}],
        upsert=True,
    )


async def read(database: Database, digests: Iterable[str]) -> AsyncIterator[tuple[str, Content, int]]:
    """Contents as they arrive, each re-hashed, with the bytes of its text; digests without a row are left out."""
    cursor = database["contents"].find({"_id": {"$in": list(set(digests))}}, {"text": 1})
    async for document in cursor:
        text = document["text"]
        yield document["_id"], checked(document["_id"], text), len(text)


def checked(digest: str, text: object) -> Content:
    """The content of a stored text, or a corrupt one where the text does not have this digest."""
    if not isinstance(text, str) or not text.isascii() or digest_of(text) != digest:
        return Content(digest, None, None)
    return Content(digest, text, json.loads(text))


async def examine(database: Database, sample: int | None) -> tuple[int, list[str]]:
    """How many texts were re-hashed, and the digests of those that do not match; all of them where `sample` is None."""
    stages: list[Mapping[str, Any]] = [] if sample is None else [{"$sample": {"size": sample}}]
    examined, corrupt = 0, []
    async for document in database["contents"].aggregate(stages, batchSize=_BATCH):
        examined += 1
        if checked(document["_id"], document.get("text")).is_corrupt:
            corrupt.append(document["_id"])
    return examined, corrupt


async def sweep(database: Database, users: Sequence[tuple[str, str]], older_than: timedelta = UNUSED_AFTER) -> int:
    """Remove texts that nothing has named for a day; answers how many.

    `users` are the (collection, field) pairs that name digests.
    """
    removed = 0
    old = {"$expr": {"$lt": ["$touchedAt", {"$subtract": ["$$NOW", _milliseconds(older_than)]}]}}
    cursor = database["contents"].find(old, {"_id": 1}).batch_size(_BATCH)
    batch: list[str] = []
    async for document in cursor:
        batch.append(document["_id"])
        if len(batch) == _BATCH:
            removed += await _remove_unused(database, batch, users, old)
            batch = []
    return removed + await _remove_unused(database, batch, users, old)


async def _remove_unused(
    database: Database, digests: Sequence[str], users: Sequence[tuple[str, str]], old: Mapping[str, Any]
) -> int:
    unused = set(digests)
    for collection, field in users:
        unused -= set(await database[collection].distinct(field, {field: {"$in": list(unused)}}))
    if not unused:
        return 0
    result = await database["contents"].delete_many({"_id": {"$in": list(unused)}, **old})
    return int(result.deleted_count)


def _milliseconds(duration: timedelta) -> int:
    return round(duration.total_seconds() * 1000)
