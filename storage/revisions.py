"""Reading tasks and tasksets: heads by name or id, revisions by id, digest, tag or ordinal."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.names import LATEST
from storage.driver import DESCENDING, Database, Document, ObjectId, Session
from storage.pages import Order, PageRequest, fetch
from storage.records import Head, Page, RecordKind, Revision, Tag
from storage.services import Services

NEWEST_FIRST: Final = Order("number", descending=True)
# A list of revisions does not carry the members of each: 10,000 pins are a megabyte.
WITHOUT_MEMBERS: Final = {"members": 0, "memberIds": 0, "contains": 0}
_WHOLE: Final = {"contains": 0}


@dataclass(frozen=True, slots=True)
class Selector:
    """Names one revision of a record; exactly one field is set. `number` counts from 1."""

    digest: str | None = None
    tag: str | None = None
    number: int | None = None


async def find_head(
    database: Database, kind: RecordKind, workspace: str, name: str, session: Session | None = None
) -> Head | None:
    """The record of this name."""
    query = {"workspace": workspace, "name": name}
    document = await database[kind.heads].find_one(query, _HEAD_FIELDS, session=session)
    return None if document is None else head_record(document)


async def find_head_and_latest(
    services: Services, kind: RecordKind, workspace: str, name: str
) -> tuple[Head, Revision | None] | None:
    """The record of this name with the revision that `latest` names, in one query.

    The revision is None where the cache was expected to hold it: a taskset's pins are up to megabytes, which need
    not travel again.
    """
    ref = f"{kind.noun}:{workspace}/{name}"
    hint = services.latest_ids.get(ref)
    if hint is not None and services.caches.revision(hint) is not None:
        head = await find_head(services.database, kind, workspace, name)
        return None if head is None else (head, services.caches.revision(head.revision_id))
    joined = {"from": kind.revisions, "localField": "revision", "foreignField": "_id", "as": "latest"}
    stages: list[Mapping[str, Any]] = [
        {"$match": {"workspace": workspace, "name": name}},
        {"$project": _HEAD_FIELDS},
        {"$lookup": joined},
    ]
    found = await services.database[kind.heads].aggregate(stages).to_list(None)
    if not found or not found[0]["latest"]:
        return None
    revision = revision_record(found[0]["latest"][0])
    services.caches.remember(revision)
    services.latest_ids.put(ref, revision.id)
    return head_record(found[0]), revision


async def find_heads(database: Database, kind: RecordKind, ids: Iterable[ObjectId]) -> dict[ObjectId, Head]:
    """Records by id; those that are gone are left out."""
    found = database[kind.heads].find({"_id": {"$in": list(set(ids))}}, _HEAD_FIELDS)
    return {document["_id"]: head_record(document) for document in await found.to_list(None)}


async def find_heads_by_name(
    database: Database, kind: RecordKind, names: Iterable[tuple[str, str]], session: Session | None = None
) -> dict[tuple[str, str], Head]:
    """Records by (workspace, name); those that do not exist are left out."""
    query = by_names(names)
    if query is None:
        return {}
    found = database[kind.heads].find(query, _HEAD_FIELDS, session=session)
    heads = [head_record(document) for document in await found.to_list(None)]
    return {(head.workspace, head.name): head for head in heads}


async def find_revisions(services: Services, kind: RecordKind, ids: Iterable[ObjectId]) -> dict[ObjectId, Revision]:
    """Revisions by id, from the cache where it may be used; those that are gone are left out."""
    wanted = set(ids)
    known = {identity: services.caches.revision(identity) for identity in wanted}
    found = {identity: revision for identity, revision in known.items() if revision is not None}
    missing = wanted - found.keys()
    if missing:
        cursor = services.database[kind.revisions].find({"_id": {"$in": list(missing)}}, _WHOLE)
        for document in await cursor.to_list(None):
            revision = revision_record(document)
            services.caches.remember(revision)
            found[revision.id] = revision
    return found


async def select(services: Services, kind: RecordKind, head: Head, selector: Selector | None) -> Revision | None:
    """The revision that a selector names, `latest` where it is None; a digest names its newest ordinal."""
    number = _ordinal(head, selector)
    if number == head.number:
        return (await find_revisions(services, kind, [head.revision_id])).get(head.revision_id)
    query: dict[str, Any] = {"parent": head.id}
    if number is not None:
        query["number"] = number
    elif selector is not None and selector.digest is not None:
        query["digest"] = selector.digest
    else:
        return None
    document = await services.database[kind.revisions].find_one(query, _WHOLE, sort=[("number", DESCENDING)])
    return None if document is None else revision_record(document)


def _ordinal(head: Head, selector: Selector | None) -> int | None:
    if selector is None:
        return head.number
    if selector.number is not None:
        return selector.number
    if selector.digest is not None:
        return head.number if selector.digest == head.digest else None
    if selector.tag == LATEST:
        return head.number
    return next((tag.number for tag in head.tags if tag.name == selector.tag), None)


async def newest_with_digest(
    services: Services, kind: RecordKind, pairs: Iterable[tuple[ObjectId, str]], session: Session | None = None
) -> dict[tuple[ObjectId, str], Revision]:
    """For each (record id, digest) the newest revision that carries the digest; pairs without one are left out."""
    wanted = set(pairs)
    if not wanted:
        return {}
    query = {
        "parent": {"$in": list({parent for parent, _ in wanted})},
        "digest": {"$in": list({digest for _, digest in wanted})},
    }
    found: dict[tuple[ObjectId, str], Revision] = {}
    order = [("number", DESCENDING)]
    cursor = services.database[kind.revisions].find(query, WITHOUT_MEMBERS, sort=order, session=session)
    for document in await cursor.to_list(None):
        key = (document["parent"], document["digest"])
        if key in wanted:
            found.setdefault(key, revision_record(document))
    return found


async def newest_revisions(
    database: Database, kind: RecordKind, parents: Iterable[ObjectId], limit: int
) -> list[Revision]:
    """The newest revisions of several records together, without their members."""
    query = {"parent": {"$in": list(parents)}}
    found = database[kind.revisions].find(query, WITHOUT_MEMBERS, sort=[("_id", DESCENDING)], limit=limit)
    return [revision_record(document) for document in await found.to_list(None)]


async def revision_page(database: Database, kind: RecordKind, head: Head, request: PageRequest) -> Page[Revision]:
    """Revisions of a record, newest first, without their members."""
    part = await fetch(database[kind.revisions], {"parent": head.id}, NEWEST_FIRST, request, WITHOUT_MEMBERS)
    return Page(tuple(map(revision_record, part.documents)), part.cursors, part.has_next, part.has_previous)


async def head_page(
    database: Database, kind: RecordKind, query: Mapping[str, Any], order: Order, request: PageRequest
) -> Page[Head]:
    """Records that match a query, in an order."""
    part = await fetch(database[kind.heads], query, order, request, _HEAD_FIELDS)
    return Page(tuple(map(head_record, part.documents)), part.cursors, part.has_next, part.has_previous)


def by_names(names: Iterable[tuple[str, str]]) -> dict[str, Any] | None:
    """A query for records by (workspace, name), or None where there are no names."""
    grouped: dict[str, list[str]] = {}
    for workspace, name in set(names):
        grouped.setdefault(workspace, []).append(name)
    parts = [{"workspace": workspace, "name": {"$in": named}} for workspace, named in grouped.items()]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else {"$or": parts}


_HEAD_FIELDS: Final = {"facets": 0, "metrics": 0}


def head_record(document: Document) -> Head:
    """A record of a head's document."""
    tags = [Tag(tag["name"], tag["number"], tag["digest"]) for tag in document["tags"]]
    return Head(
        id=document["_id"],
        workspace=document["workspace"],
        name=document["name"],
        project=document["project"],
        number=document["number"],
        digest=document["digest"],
        revision_id=document["revision"],
        tags=tuple(sorted(tags, key=lambda tag: tag.name)),
        created_at=document["createdAt"],
        updated_at=document["updatedAt"],
    )


def revision_record(document: Document) -> Revision:
    """A record of a revision's document."""
    members: Sequence[str] = document.get("members", ())
    return Revision(
        id=document["_id"],
        parent=document["parent"],
        workspace=document["workspace"],
        name=document["name"],
        number=document["number"],
        digest=document["digest"],
        created_at=document["createdAt"],
        created_by=document["createdBy"],
        metrics=tuple(document.get("metrics", ())),
        config=document.get("config"),
        member_count=document.get("memberCount", 0),
        members=tuple(members),
        member_ids=tuple(document.get("memberIds", ())),
    )
