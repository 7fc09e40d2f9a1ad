"""What distinguishes two revisions of a task or of a taskset."""

from asyncio import to_thread
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from domain.canonical import JSON
from domain.differences import patch
from domain.errors import RevisionCorrupt
from resolvers.contents import contents
from resolvers.context import Context
from resolvers.members import Member, member_at, with_members
from resolvers.revisions import select
from storage.records import TASK, TASKSET, Head, RecordKind, Revision
from storage.revisions import Selector


@dataclass(frozen=True, slots=True)
class ContentDiff:
    """RFC 6902 operations that turn the content of one digest into that of another."""

    from_digest: str
    to_digest: str
    patch: list[JSON]


@dataclass(frozen=True, slots=True)
class MemberChange:
    """A task that both revisions have as a member, pinned to different content."""

    workspace: str
    name: str
    from_digest: str
    to_digest: str


@dataclass(frozen=True, slots=True)
class TasksetDiff:
    """The members that two revisions do not share, in the order published, and the patch of their contents."""

    added: list[Member]
    removed: list[Member]
    changed: list[MemberChange]
    unchanged_count: int
    patch: list[JSON]


async def diff_tasks(context: Context, head: Head, before: Selector, after: Selector) -> ContentDiff | None:
    """How one revision's content becomes another's; None where one of them does not exist.

    Raises BadUserInput for a malformed selector, RevisionCorrupt where a stored content is damaged.
    """
    pair = await _both(context, TASK, head, before, after)
    if pair is None:
        return None
    return ContentDiff(pair[0].digest, pair[1].digest, await _patch(context, *pair))


async def diff_tasksets(context: Context, head: Head, before: Selector, after: Selector) -> TasksetDiff | None:
    """How one revision's members and content become another's; None where one of them does not exist.

    Raises BadUserInput for a malformed selector, RevisionCorrupt where a stored content is damaged.
    """
    pair = await _both(context, TASKSET, head, before, after)
    if pair is None:
        return None
    old, new = await with_members(context, pair[0]), await with_members(context, pair[1])
    common = [record for record in new.positions if record in old.positions]
    changes = [change for change in (_change(old, new, record) for record in common) if change is not None]
    return TasksetDiff(
        added=_members(context, new, new.positions.keys() - old.positions.keys()),
        removed=_members(context, old, old.positions.keys() - new.positions.keys()),
        changed=changes,
        unchanged_count=len(common) - len(changes),
        patch=await _patch(context, old, new),
    )


async def _both(
    context: Context, kind: RecordKind, head: Head, before: Selector, after: Selector
) -> tuple[Revision, Revision] | None:
    old = await select(context, kind, head, before)
    new = await select(context, kind, head, after)
    return None if old is None or new is None else (old, new)


async def _patch(context: Context, old: Revision, new: Revision) -> list[JSON]:
    if old.digest == new.digest:
        return []
    found = await contents(context, [old.digest, new.digest])
    values: list[Any] = []
    for revision in (old, new):
        content = found[revision.digest]
        if content.is_corrupt:
            raise RevisionCorrupt(
                f"The stored content of {revision.ref} no longer matches its digest; restore it from a backup.",
                ref=revision.ref,
            )
        values.append(content.value)
    return await to_thread(patch, *values)


def _members(context: Context, revision: Revision, records: Iterable[str]) -> list[Member]:
    positions = sorted(revision.positions[record] for record in records)
    return [member_at(context, revision, position) for position in positions]


def _change(old: Revision, new: Revision, record: str) -> MemberChange | None:
    before = old.members[old.positions[record]].partition("#")[2]
    after = new.members[new.positions[record]].partition("#")[2]
    workspace, _, name = record.partition("/")
    return None if before == after else MemberChange(workspace, name, before, after)
