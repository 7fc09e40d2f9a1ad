"""New revisions, as the change feed tells of them and as the database has them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from storage.driver import Database, ObjectId
from storage.records import TASK, TASKSET, Head, RecordKind, Revision
from storage.revisions import WITHOUT_MEMBERS, find_heads, revision_record

KINDS: Final[Mapping[str, RecordKind]] = {kind.revisions: kind for kind in (TASK, TASKSET)}
# How much longer ago than its commit a revision may have got its id: a transaction's time, and clocks that differ.
OVERLAP: Final = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Insertion:
    """A revision that was written: where, and under which id."""

    kind: RecordKind
    workspace: str
    id: ObjectId


@dataclass(frozen=True, slots=True)
class News:
    """A published revision, without its members, and its record as it stood when the news was read."""

    kind: RecordKind
    revision: Revision
    head: Head


async def inserted_since(database: Database, moment: datetime) -> list[Insertion]:
    """The revisions that came since a moment, and some from before it; those of one record in their order."""
    query = {"_id": {"$gte": ObjectId.from_datetime(moment - OVERLAP)}}
    found: list[Insertion] = []
    for kind in KINDS.values():
        fields = {"workspace": 1, "parent": 1, "number": 1}
        rows = await database[kind.revisions].find(query, fields, sort=[("_id", 1)]).to_list(None)
        rows.sort(key=lambda row: (row["parent"], row["number"]))
        found += [Insertion(kind, row["workspace"], row["_id"]) for row in rows]
    return found


async def read(database: Database, insertions: Sequence[Insertion]) -> list[News]:
    """The news of insertions in their order, four queries at most; what was deleted meanwhile is left out."""
    revisions: dict[ObjectId, Revision] = {}
    heads: dict[ObjectId, Head] = {}
    for kind in KINDS.values():
        ids = [insertion.id for insertion in insertions if insertion.kind is kind]
        if ids:
            found = await _find(database, kind, ids)
            revisions |= found
            heads |= await find_heads(database, kind, {revision.parent for revision in found.values()})
    news: list[News] = []
    for insertion in insertions:
        revision = revisions.get(insertion.id)
        if revision is not None and revision.parent in heads:
            news.append(News(insertion.kind, revision, heads[revision.parent]))
    return news


async def _find(database: Database, kind: RecordKind, ids: Iterable[ObjectId]) -> dict[ObjectId, Revision]:
    rows: list[Any] = await database[kind.revisions].find({"_id": {"$in": list(ids)}}, WITHOUT_MEMBERS).to_list(None)
    return {row["_id"]: revision_record(row) for row in rows}
