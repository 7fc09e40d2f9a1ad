"""Reading the audit log; what is written to it is decided in `ledger`."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from domain.audit import AuditAction, AuditedType
from storage.driver import Database, Document, ObjectId
from storage.filters import DateRange, date_range
from storage.pages import Order, PageRequest, fetch
from storage.records import Page

_NEWEST_FIRST: Final = Order("_id", descending=True)


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One thing done to one record; digests where content changed, `detail` where a part was named (a tag)."""

    id: ObjectId
    at: datetime
    action: AuditAction
    actor: str | None
    token: str | None
    address: str | None
    request_id: str | None
    workspace: str | None
    type: AuditedType
    record: ObjectId
    ref: str
    before_digest: str | None
    after_digest: str | None
    detail: str | None


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries are wanted; every field given must hold."""

    workspace: str | None = None
    actor: str | None = None
    actions: Sequence[AuditAction] | None = None
    type: AuditedType | None = None
    ref: str | None = None
    at: DateRange | None = None


def audit_query(readable: Sequence[str] | None, filter: AuditFilter | None) -> dict[str, Any]:
    """The query of the entries on the workspaces `readable` (None: all entries) that a filter lets pass."""
    query: dict[str, Any] = {} if readable is None else {"workspace": {"$in": sorted(readable)}}
    if filter is None:
        return query
    conditions: dict[str, Any] = {
        "actor": filter.actor,
        "action": None if filter.actions is None else {"$in": [action.value for action in filter.actions]},
        "type": None if filter.type is None else filter.type.value,
        "ref": filter.ref,
        "at": date_range(filter.at),
    }
    given = {name: condition for name, condition in conditions.items() if condition is not None}
    if filter.workspace is not None:
        return {"$and": [query, {"workspace": filter.workspace, **given}]}
    return {**query, **given}


async def page(database: Database, query: dict[str, Any], request: PageRequest) -> Page[AuditRecord]:
    """Entries that match a query, newest first."""
    part = await fetch(database["audit"], query, _NEWEST_FIRST, request)
    return Page(tuple(map(audit_record, part.documents)), part.cursors, part.has_next, part.has_previous)


async def count(database: Database, query: dict[str, Any]) -> int:
    """How many entries `page` lists in all."""
    return int(await database["audit"].count_documents(query))


async def find_many(database: Database, ids: Sequence[ObjectId]) -> dict[ObjectId, AuditRecord]:
    """Entries by id; unknown ones are left out."""
    found = await database["audit"].find({"_id": {"$in": list(ids)}}).to_list(None)
    return {document["_id"]: audit_record(document) for document in found}


async def entries(database: Database, query: dict[str, Any]) -> AsyncIterator[AuditRecord]:
    """Every entry that matches a query, oldest first, for an export."""
    async for document in database["audit"].find(query, sort=[("_id", 1)]):
        yield audit_record(document)


def audit_record(document: Document) -> AuditRecord:
    """A record of its document."""
    return AuditRecord(
        id=document["_id"],
        at=document["at"],
        action=AuditAction(document["action"]),
        actor=document["actor"],
        token=document["token"],
        address=document["address"],
        request_id=document["request"],
        workspace=document["workspace"],
        type=AuditedType(document["type"]),
        record=document["record"],
        ref=document["ref"],
        before_digest=document["before"],
        after_digest=document["after"],
        detail=document["detail"],
    )
