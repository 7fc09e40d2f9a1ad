"""Who uses what: the taskset revisions that pin a task revision, and the tasksets that have a task as a member now."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from storage.driver import Database
from storage.filters import readable_users
from storage.pages import Order, PageRequest, fetch
from storage.records import TASK, TASKSET, Head, Page, Revision
from storage.revisions import WITHOUT_MEMBERS, by_names, find_heads, revision_record

_OLDEST_FIRST: Final = Order("_id")
_BY_TASKSET: Final = Order("parent")


async def pinning(
    database: Database, ref: str, workspaces: Sequence[str] | None, request: PageRequest
) -> Page[Revision]:
    """The taskset revisions that pin `workspace/name#digest`, oldest first, without their members.

    Only those in `workspaces`, where None means all.
    """
    query = _pinning(ref, workspaces)
    part = await fetch(database[TASKSET.revisions], query, _OLDEST_FIRST, request, WITHOUT_MEMBERS)
    return Page(tuple(map(revision_record, part.documents)), part.cursors, part.has_next, part.has_previous)


async def count_pinning(database: Database, ref: str, workspaces: Sequence[str] | None) -> int:
    """How many revisions `pinning` lists in all."""
    return int(await database[TASKSET.revisions].count_documents(_pinning(ref, workspaces)))


async def containing(
    database: Database, ref: str, workspaces: Sequence[str] | None, request: PageRequest
) -> Page[Head]:
    """The tasksets whose latest revision has the task `workspace/name` as a member, oldest first."""
    query = _containing(ref, workspaces)
    part = await fetch(database[TASKSET.revisions], query, _BY_TASKSET, request, {"parent": 1})
    parents = [document["parent"] for document in part.documents]
    heads = await find_heads(database, TASKSET, parents)
    # A taskset deleted between the two reads leaves the page one shorter.
    listed = [(heads[parent], cursor) for parent, cursor in zip(parents, part.cursors, strict=True) if parent in heads]
    return Page(
        tuple(head for head, _ in listed), tuple(cursor for _, cursor in listed), part.has_next, part.has_previous
    )


async def count_containing(database: Database, ref: str, workspaces: Sequence[str] | None) -> int:
    """How many tasksets `containing` lists in all."""
    return int(await database[TASKSET.revisions].count_documents(_containing(ref, workspaces)))


async def latest_digests(database: Database, names: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The digest of the latest revision of tasks, by `workspace/name`; those that do not exist are left out."""
    query = by_names(names)
    if query is None:
        return {}
    fields = {"_id": 0, "workspace": 1, "name": 1, "digest": 1}
    found = await database[TASK.heads].find(query, fields).to_list(None)
    return {f"{head['workspace']}/{head['name']}": head["digest"] for head in found}


def _pinning(ref: str, workspaces: Sequence[str] | None) -> dict[str, Any]:
    return {"members": ref, **readable_users(workspaces)}


def _containing(ref: str, workspaces: Sequence[str] | None) -> dict[str, Any]:
    return {"contains": ref, **readable_users(workspaces)}
