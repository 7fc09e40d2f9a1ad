"""Members of a taskset revision: pins read by id, and by name and digest only where that id is gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from domain.errors import ServiceUnavailable
from storage.driver import ObjectId
from storage.pages import PageRequest, Positions
from storage.records import TASK, TASKSET, Head, Page, Revision
from storage.revisions import find_heads_by_name, find_revisions, newest_with_digest

if TYPE_CHECKING:
    from resolvers.context import Context


@dataclass(frozen=True, slots=True)
class Member:
    """One pin of a taskset revision; `position` counts from 1 in the order published.

    `is_hidden` marks a member of a workspace that the viewer may not read.
    """

    position: int
    workspace: str
    name: str
    digest: str
    revision_id: ObjectId
    is_hidden: bool

    @property
    def record(self) -> str:
        """The member's task, `workspace/name`."""
        return f"{self.workspace}/{self.name}"

    @property
    def ref(self) -> str:
        """The pinned reference `workspace/name#digest`."""
        return f"{self.workspace}/{self.name}#{self.digest}"


async def members(context: Context, revision: Revision, request: PageRequest) -> Page[Member]:
    """A page of the members in the order published. Raises BadUserInput for a bad page."""
    whole = await with_members(context, revision)
    chosen, cursors, has_next, has_previous = Positions(whole.member_count, whole.id, "members").page(request)
    return Page(tuple(member_at(context, whole, index) for index in chosen), cursors, has_next, has_previous)


async def member(context: Context, revision: Revision, workspace: str | None, name: str) -> Member | None:
    """The member of this name; `workspace` None means that of the taskset."""
    whole = await with_members(context, revision)
    index = whole.positions.get(f"{workspace or revision.workspace}/{name}")
    return None if index is None else member_at(context, whole, index)


async def with_members(context: Context, revision: Revision) -> Revision:
    """The same revision with its members, where it came from a list that leaves them out.

    Raises ServiceUnavailable where it was deleted since.
    """
    if revision.member_count == len(revision.members):
        return revision
    found = await find_revisions(context.services, TASKSET, [revision.id])
    if revision.id not in found:
        raise ServiceUnavailable(f"'{revision.ref}' was deleted while it was being read; repeat the request.")
    return found[revision.id]


async def member_revisions(context: Context, wanted: Sequence[Member]) -> dict[str, Revision]:
    """The pinned revisions by reference; dangling and hidden ones are left out.

    One query, where no task was deleted and created again.
    """
    visible = [member for member in wanted if not member.is_hidden]
    by_id = await find_revisions(context.services, TASK, [member.revision_id for member in visible])
    found = {member.ref: by_id[member.revision_id] for member in visible if member.revision_id in by_id}
    gone = [member for member in visible if member.ref not in found]
    return found | await _restored(context, gone) if gone else found


async def _restored(context: Context, gone: Sequence[Member]) -> dict[str, Revision]:
    """A task deleted and created again with the same content resolves an old pin again."""
    heads = await member_tasks(context, gone)
    pairs = {member.ref: (heads[member.record].id, member.digest) for member in gone if member.record in heads}
    revisions = await newest_with_digest(context.services, TASK, pairs.values())
    return {ref: revisions[pair] for ref, pair in pairs.items() if pair in revisions}


async def member_tasks(context: Context, wanted: Sequence[Member]) -> dict[str, Head]:
    """The members' tasks as they are now by `workspace/name`; deleted and hidden ones are left out."""
    names = [(member.workspace, member.name) for member in wanted if not member.is_hidden]
    found = await find_heads_by_name(context.services.database, TASK, names)
    return {head.ref: head for head in found.values()}


def member_at(context: Context, revision: Revision, index: int) -> Member:
    """The member at an index from 0 of a revision that was read with its members."""
    record, _, digest = revision.members[index].partition("#")
    workspace, _, name = record.partition("/")
    hidden = not context.viewer.reads(workspace)
    return Member(index + 1, workspace, name, digest, revision.member_ids[index], hidden)
