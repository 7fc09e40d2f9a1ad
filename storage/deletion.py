"""Deleting tasks and tasksets with their revisions, in one transaction that collides with whoever pins them."""

from collections.abc import Callable
from typing import Any, Final

from domain.audit import AuditAction
from domain.errors import InUse, NotFound
from storage import guards
from storage.driver import Database, ObjectId, Session
from storage.ledger import note
from storage.records import TASK, Head, RecordKind
from storage.services import Services

_SHOWN_USERS: Final = 20
_EXAMINED_USERS: Final = 500


async def delete(
    services: Services, kind: RecordKind, head: Head, *, force: bool, reads: Callable[[str], bool]
) -> ObjectId:
    """Remove a record, its revisions and its tag log.

    A task that a taskset revision pins is kept (InUse, naming at most 20 users in workspaces that `reads` admits)
    unless `force`. Raises NotFound where it is gone already.
    """

    async def work(session: Session) -> tuple[ObjectId, list[ObjectId]]:
        database = services.database
        present = await database[kind.heads].find_one({"_id": head.id}, {"digest": 1}, session=session)
        if present is None:
            raise NotFound(f"There is no {kind.noun} '{head.ref}'.", ("name",), ref=head.ref)
        if kind is TASK:
            await _release(database, session, head, force, reads)
        rows = database[kind.revisions].find({"parent": head.id}, {"_id": 1}, session=session)
        revisions = [row["_id"] for row in await rows.to_list(None)]
        await database[kind.heads].delete_one({"_id": head.id}, session=session)
        await database[kind.revisions].delete_many({"parent": head.id}, session=session)
        await database["tag_moves"].delete_many({"parent": head.id}, session=session)
        note(AuditAction.DELETE, kind.audited, head.id, head.ref, workspace=head.workspace, before=present["digest"])
        return head.id, revisions

    identity, revisions = await services.transactions.run([f"{kind.noun}:{head.ref}"], work)
    services.caches.forget(revisions)
    return identity


def pins_of(ref: str) -> dict[str, Any]:
    """The condition that a taskset revision pins any revision of a task (`workspace/name`)."""
    # '$' follows '#', so the range holds every reference that starts with `ref#`.
    return {"members": {"$elemMatch": {"$gte": f"{ref}#", "$lt": f"{ref}$"}}}


async def _release(database: Database, session: Session, head: Head, force: bool, reads: Callable[[str], bool]) -> None:
    await guards.remove(database, session, [guards.task_guard(head.id)])
    if force:
        return
    pins = pins_of(head.ref)
    collection = database["taskset_revisions"]
    fields = {"workspace": 1, "name": 1, "digest": 1}
    found = await collection.find(pins, fields, session=session, limit=_EXAMINED_USERS).to_list(None)
    if not found:
        return
    count = await collection.count_documents(pins, session=session)
    readable = [f"{user['workspace']}/{user['name']}#{user['digest']}" for user in found if reads(user["workspace"])]
    shown = list(dict.fromkeys(readable))[:_SHOWN_USERS]
    raise InUse(
        f"'{head.ref}' is pinned by {count:,} taskset revision{'' if count == 1 else 's'}; "
        "delete those first, or force the deletion and leave their members dangling.",
        ("name",),
        users=shown,
        hidden_users=count - len(shown),
    )
