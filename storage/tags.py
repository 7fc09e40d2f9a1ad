"""Tags: movable pointers to revisions, and the log of their moves."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from domain.audit import AuditAction
from domain.errors import Conflict, ErrorCode, InvalidInput, NotFound
from domain.limits import MAX_TAGS
from domain.names import shown
from domain.outcomes import ABSENT, Absent
from storage.clock import now
from storage.driver import Database, Document, ObjectId, Session
from storage.ledger import note
from storage.pages import Order, PageRequest, fetch
from storage.records import Head, Page, RecordKind, Revision, Tag, TagMove
from storage.revisions import Selector, head_record, revision_record
from storage.services import Services

Move = tuple[str, str | None, str | None]
# Ids alone do not keep the order of two servers within a second.
_LOG_ORDER: Final = Order("at", descending=True)


def moved_tags(tags: Sequence[Tag], names: Sequence[str], number: int, digest: str) -> tuple[list[Tag], list[Move]]:
    """The tags once `names` point at one revision, sorted by name, and the moves (tag, from, to) that this takes."""
    pointing = {tag.name: tag for tag in tags}
    moves: list[Move] = []
    for name in dict.fromkeys(names):
        before = pointing.get(name)
        if before is not None and before.number == number:
            continue
        moves.append((name, before.digest if before else None, digest))
        pointing[name] = Tag(name, number, digest)
    return sorted(pointing.values(), key=lambda tag: tag.name), moves


def move_rows(parent: ObjectId, moves: Sequence[Move], at: datetime, actor: str | None) -> list[Document]:
    """Moves of one record as rows of the log."""
    return [
        {"_id": ObjectId(), "parent": parent, "tag": tag, "from": before, "to": after, "at": at, "by": actor}
        for tag, before, after in moves
    ]


async def move_tag(
    services: Services,
    kind: RecordKind,
    head: Head,
    tag: str,
    selector: Selector,
    expected: str | Absent | None,
    actor: str | None,
) -> tuple[Head, Revision]:
    """Point a tag at a revision; `expected` makes it compare-and-set against the digest the tag points at now.

    Raises NotFound for a record that is gone or a revision that is unknown, Conflict, InvalidInput (LIMIT_EXCEEDED).
    """

    async def work(session: Session) -> tuple[Head, Revision]:
        present = await _present(services, session, kind, head)
        revision = await _selected(services, session, kind, present, selector)
        _check_expectation(present, tag, expected)
        tags, moves = moved_tags(present.tags, [tag], revision.number, revision.digest)
        if len(tags) > MAX_TAGS:
            raise InvalidInput(f"A record has at most {MAX_TAGS} tags.", ("tag",), ErrorCode.LIMIT_EXCEEDED)
        return await _store(services, session, kind, present, tags, moves, actor), revision

    return await services.transactions.run([f"{kind.noun}:{head.ref}"], work)


async def remove_tag(
    services: Services, kind: RecordKind, head: Head, tag: str, expected: str | Absent | None, actor: str | None
) -> Head:
    """Remove a tag. Raises NotFound where the record or the tag does not exist, Conflict for a wrong expectation."""

    async def work(session: Session) -> Head:
        present = await _present(services, session, kind, head)
        _check_expectation(present, tag, expected)
        before = _pointing(present, tag)
        if before is None:
            raise NotFound(f"'{present.ref}' has no tag {shown(tag)}.", ("tag",), ref=f"{present.ref}#{tag}")
        tags = [kept for kept in present.tags if kept.name != tag]
        return await _store(services, session, kind, present, tags, [(tag, before, None)], actor)

    return await services.transactions.run([f"{kind.noun}:{head.ref}"], work)


async def move_page(database: Database, head: Head, tag: str | None, request: PageRequest) -> Page[TagMove]:
    """The moves of a record's tags, or of one of them, newest first."""
    part = await fetch(database["tag_moves"], _log_query(head, tag), _LOG_ORDER, request)
    return Page(tuple(map(_move_record, part.documents)), part.cursors, part.has_next, part.has_previous)


async def count_moves(database: Database, head: Head, tag: str | None) -> int:
    """How many moves `move_page` lists in all."""
    return int(await database["tag_moves"].count_documents(_log_query(head, tag)))


async def _present(services: Services, session: Session, kind: RecordKind, head: Head) -> Head:
    document = await services.database[kind.heads].find_one({"_id": head.id}, session=session)
    if document is None:
        raise NotFound(f"There is no {kind.noun} '{head.ref}'.", ("name",), ref=head.ref)
    return head_record(document)


async def _selected(services: Services, session: Session, kind: RecordKind, head: Head, selector: Selector) -> Revision:
    query: dict[str, object] = {"parent": head.id}
    if selector.tag is not None:
        query["number"] = next((tag.number for tag in head.all_tags() if tag.name == selector.tag), 0)
    elif selector.number is not None:
        query["number"] = selector.number
    else:
        query["digest"] = selector.digest
    document = await services.database[kind.revisions].find_one(query, sort=[("number", -1)], session=session)
    if document is None:
        named = selector.digest or selector.tag or selector.number
        raise NotFound(f"'{head.ref}' has no revision {shown(str(named))}.", ("revision",), ref=f"{head.ref}#{named}")
    return revision_record(document)


def _check_expectation(head: Head, tag: str, expected: str | Absent | None) -> None:
    found = _pointing(head, tag)
    if expected is not ABSENT and expected != found:
        raise Conflict(
            f"The tag {shown(tag)} of '{head.ref}' {'does not exist' if found is None else 'points elsewhere'} by now; "
            "read it again before moving it.",
            ("expectedDigest",),
            current_digest=found,
        )


def _pointing(head: Head, tag: str) -> str | None:
    return next((present.digest for present in head.tags if present.name == tag), None)


async def _store(
    services: Services,
    session: Session,
    kind: RecordKind,
    head: Head,
    tags: Sequence[Tag],
    moves: Sequence[Move],
    actor: str | None,
) -> Head:
    if not moves:
        return head
    at = now()
    rows = [{"name": tag.name, "number": tag.number, "digest": tag.digest} for tag in tags]
    await services.database[kind.heads].update_one(
        {"_id": head.id}, {"$set": {"tags": rows, "updatedAt": at}}, session=session
    )
    await services.database["tag_moves"].insert_many(move_rows(head.id, moves, at, actor), session=session)
    _note(kind, head, moves)
    return replace(head, tags=tuple(tags), updated_at=at)


def _note(kind: RecordKind, head: Head, moves: Sequence[Move]) -> None:
    for tag, before, after in moves:
        action = AuditAction.UNTAG if after is None else AuditAction.TAG
        note(action, kind.audited, head.id, head.ref, workspace=head.workspace, before=before, after=after, detail=tag)


def _log_query(head: Head, tag: str | None) -> dict[str, object]:
    return {"parent": head.id} if tag is None else {"parent": head.id, "tag": tag}


def _move_record(document: Document) -> TagMove:
    return TagMove(document["_id"], document["tag"], document["from"], document["to"], document["at"], document["by"])
