"""Workspaces as documents."""

from collections.abc import Sequence

from domain.audit import AuditAction, AuditedType
from domain.errors import AlreadyExists
from domain.names import DEFAULT_WORKSPACE
from storage.clock import now
from storage.driver import Database, Document, ObjectId, Session
from storage.ledger import note
from storage.pages import Order, PageRequest, fetch
from storage.records import Page, WorkspaceRecord
from storage.transactions import Transactions


async def ensure_default(database: Database) -> None:
    """Make the workspace `default`, which always exists."""
    await database["workspaces"].update_one(
        {"name": DEFAULT_WORKSPACE},
        {"$setOnInsert": {"description": None, "createdAt": now()}},
        upsert=True,
    )


async def create(database: Database, transactions: Transactions, name: str, description: str | None) -> WorkspaceRecord:
    """Store a new workspace. Raises AlreadyExists."""
    identity = ObjectId()
    document = {"_id": identity, "name": name, "description": description, "createdAt": now()}

    async def work(session: Session) -> WorkspaceRecord:
        if await database["workspaces"].find_one({"name": name}, session=session) is not None:
            raise AlreadyExists(f"The workspace '{name}' exists already.", ("name",), ref=name)
        await database["workspaces"].insert_one(document, session=session)
        note(AuditAction.CREATE, AuditedType.WORKSPACE, identity, name, workspace=name)
        return record(document)

    return await transactions.run([f"workspace:{name}"], work)


async def find(database: Database, name: str) -> WorkspaceRecord | None:
    """The workspace of this name."""
    document = await database["workspaces"].find_one({"name": name})
    return None if document is None else record(document)


async def find_many(database: Database, ids: Sequence[ObjectId]) -> dict[ObjectId, WorkspaceRecord]:
    """Workspaces by id; those that are gone are left out."""
    found = await database["workspaces"].find({"_id": {"$in": list(ids)}}).to_list(None)
    return {document["_id"]: record(document) for document in found}


async def page(database: Database, names: Sequence[str] | None, request: PageRequest) -> Page[WorkspaceRecord]:
    """Workspaces in order of name; only the named ones where `names` is given."""
    part = await fetch(database["workspaces"], _visible(names), Order("name"), request)
    return Page(tuple(map(record, part.documents)), part.cursors, part.has_next, part.has_previous)


async def count(database: Database, names: Sequence[str] | None) -> int:
    """How many workspaces `page` lists in all."""
    return int(await database["workspaces"].count_documents(_visible(names)))


def _visible(names: Sequence[str] | None) -> dict[str, object]:
    return {} if names is None else {"name": {"$in": sorted(names)}}


def record(document: Document) -> WorkspaceRecord:
    """A record of its document."""
    return WorkspaceRecord(document["_id"], document["name"], document["description"], document["createdAt"])
