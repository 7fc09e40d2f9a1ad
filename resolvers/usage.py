"""Who uses what: revisions that pin a revision, tasksets of a task, members that fell behind their task."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from domain.errors import ServiceUnavailable
from resolvers.context import Context
from resolvers.members import Member, member_at, with_members
from storage import pins
from storage.pages import PageRequest, Positions
from storage.records import TASKSET, Head, Page, Revision
from storage.revisions import find_revisions

_BATCH: Final = 1_000


async def pinned_by(context: Context, revision: Revision, page: PageRequest) -> Page[Revision]:
    """The taskset revisions that pin this content of a task, oldest first, where the viewer may read them.

    By digest: every ordinal that carries the same content answers the same. Raises BadUserInput for a bad page.
    """
    readable = context.viewer.readable_workspaces()
    return await pins.pinning(context.services.database, revision.ref, readable, page)


async def count_pinned_by(context: Context, revision: Revision) -> int:
    """How many revisions `pinned_by` lists in all."""
    readable = context.viewer.readable_workspaces()
    return await pins.count_pinning(context.services.database, revision.ref, readable)


async def tasksets_of(context: Context, head: Head, page: PageRequest) -> Page[Head]:
    """The tasksets whose latest revision has the task as a member, oldest first, where the viewer may read them.

    Raises BadUserInput for a bad page.
    """
    readable = context.viewer.readable_workspaces()
    return await pins.containing(context.services.database, head.ref, readable, page)


async def count_tasksets_of(context: Context, head: Head) -> int:
    """How many tasksets `tasksets_of` lists in all."""
    readable = context.viewer.readable_workspaces()
    return await pins.count_containing(context.services.database, head.ref, readable)


async def outdated_members(context: Context, head: Head, page: PageRequest) -> Page[Member]:
    """The latest revision's members whose task has other content as its latest by now, in the order published.

    Only as many members are looked at as fill the page. Raises BadUserInput for a bad page.
    """
    revision = await _latest(context, head)
    places = Positions(revision.member_count, revision.id, "outdatedMembers")
    window = places.window(page)
    found: list[Member] = []
    async for batch in _outdated(context, revision, window):
        found += batch
        if len(found) > page.size:
            break
    listed = found[: page.size]
    cursors = places.cursors(member.position - 1 for member in listed)
    return Page(tuple(listed), cursors, len(found) > page.size, window.start > 0)


async def count_outdated_members(context: Context, head: Head) -> int:
    """How many members `outdated_members` lists in all."""
    revision = await _latest(context, head)
    return sum([len(batch) async for batch in _outdated(context, revision, range(revision.member_count))])


async def _latest(context: Context, head: Head) -> Revision:
    found = await find_revisions(context.services, TASKSET, [head.revision_id])
    if head.revision_id not in found:
        raise ServiceUnavailable(f"'{head.ref}' was deleted while it was being read; repeat the request.")
    return await with_members(context, found[head.revision_id])


async def _outdated(context: Context, revision: Revision, window: range) -> AsyncIterator[Sequence[Member]]:
    for start in range(window.start, window.stop, _BATCH):
        batch = [member_at(context, revision, index) for index in range(start, min(start + _BATCH, window.stop))]
        visible = [member for member in batch if not member.is_hidden]
        names = [(member.workspace, member.name) for member in visible]
        latest = await pins.latest_digests(context.services.database, names)
        yield [member for member in visible if latest.get(member.record, member.digest) != member.digest]
