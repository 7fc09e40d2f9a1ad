"""The members of a taskset revision: pins, and what became of the tasks that they pin."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import strawberry

from resolvers import diff
from resolvers.members import Member
from schema import tasks
from schema.connections import Connection, Edge, connect
from schema.loading import then, warm
from schema.scalars import JSON
from schema.selection import Info, Selection, selection
from storage.records import TASK, Head, Page

if TYPE_CHECKING:
    from schema.tasks import Task, TaskRevision


@strawberry.type(description="A task within a taskset revision, pinned to one revision.")
class TasksetMember:
    record: strawberry.Private[Member]

    position: int = strawberry.field(description="Its place in the order published, from 1.")
    ref: str = strawberry.field(description="The pinned reference: `workspace/name#digest`.")
    workspace: str = strawberry.field(description="The workspace of the task.")
    name: str = strawberry.field(description="The name of the task.")
    digest: str = strawberry.field(description="The digest that is pinned.")
    is_hidden: bool = strawberry.field(
        description="Whether it lies in a workspace that the token may not read; `revision` and `task` are null then."
    )

    @strawberry.field(description="The pinned revision; null where it dangles or is hidden.")
    def revision(self, info: Info) -> Annotated["TaskRevision", strawberry.lazy("schema.tasks")] | None:
        if self.is_hidden:
            return None
        return then(
            info.context.loaders.member_revision.load(self.record),
            lambda record: None if record is None else tasks.present_revision(record),
        )

    @strawberry.field(description="The task as it is now; null where it was deleted or is hidden.")
    def task(self, info: Info) -> Annotated["Task", strawberry.lazy("schema.tasks")] | None:
        return then(self._head(info), lambda head: None if head is None else tasks.present_task(head))

    @strawberry.field(description="Whether the pinned revision is gone, because its task was deleted by force.")
    def is_dangling(self, info: Info) -> bool:
        if self.is_hidden:
            return False
        return then(info.context.loaders.member_revision.load(self.record), lambda record: record is None)

    @strawberry.field(
        description="Whether the task's latest content is another one than is pinned; by digest, so a revert is not."
    )
    def is_outdated(self, info: Info) -> bool:
        return then(self._head(info), lambda head: head is not None and head.digest != self.digest)

    def _head(self, info: Info) -> Awaitable[Head | None]:
        return _nothing() if self.is_hidden else info.context.loaders.head_by_ref[TASK].load(self.record.record)


async def _nothing() -> None:
    return None


@strawberry.type(description="One member of a page.")
class TasksetMemberEdge(Edge[TasksetMember]):
    pass


@strawberry.type(description="A page of members.")
class TasksetMemberConnection(Connection[TasksetMember, TasksetMemberEdge]):
    edge_type = TasksetMemberEdge


@strawberry.type(description="A task that both revisions have as a member, pinned to different content.")
class MemberChange:
    name: str = strawberry.field(description="The name of the task.")
    workspace: str = strawberry.field(description="The workspace of the task.")
    from_digest: str = strawberry.field(description="The digest pinned before.")
    to_digest: str = strawberry.field(description="The digest pinned after.")


@strawberry.type(description="What distinguishes two revisions of a taskset.")
class TasksetDiff:
    added: list[TasksetMember] = strawberry.field(description="The members that only the second revision has.")
    removed: list[TasksetMember] = strawberry.field(description="The members that only the first revision has.")
    changed: list[MemberChange] = strawberry.field(description="The members that are pinned to other content.")
    unchanged_count: int = strawberry.field(description="How many members are pinned to the same content in both.")
    patch: JSON = strawberry.field(
        description="RFC 6902 operations, a JSON array, that turn the first revision's content into the second's."
    )


def present_member(record: Member) -> TasksetMember:
    """The GraphQL object of one pin."""
    return TasksetMember(
        record=record,
        position=record.position,
        ref=record.ref,
        workspace=record.workspace,
        name=record.name,
        digest=record.digest,
        is_hidden=record.is_hidden,
    )


async def present_diff(info: Info, found: diff.TasksetDiff) -> TasksetDiff:
    """The GraphQL object of a difference, with everything loaded that is asked of its members."""
    wanted = selection(info)
    await warm_members(info, found.added, wanted.below("added"))
    await warm_members(info, found.removed, wanted.below("removed"))
    return TasksetDiff(
        added=[present_member(record) for record in found.added],
        removed=[present_member(record) for record in found.removed],
        changed=[
            MemberChange(
                name=change.name,
                workspace=change.workspace,
                from_digest=change.from_digest,
                to_digest=change.to_digest,
            )
            for change in found.changed
        ],
        unchanged_count=found.unchanged_count,
        patch=JSON(found.patch),
    )


async def warm_members(info: Info, members: Sequence[Member], wanted: Selection) -> None:
    """Load in bulk what the selection asks of these members."""
    visible = [member for member in members if not member.is_hidden]
    loaders = info.context.loaders
    if wanted.has("task", "isOutdated"):
        found = await warm(loaders.head_by_ref[TASK], [member.record for member in visible])
        heads = [head for head in found if head is not None]
        loaders.head[TASK].prime_many({head.id: head for head in heads})
        await tasks.warm_tasks(info, heads, wanted.below("task"))
    if wanted.has("revision", "isDangling"):
        pinned = await warm(loaders.member_revision, visible)
        revisions = [revision for revision in pinned if revision is not None]
        await tasks.warm_task_revisions(info, revisions, wanted.below("revision"))


async def connect_members(
    info: Info, page: Page[Member], count: Callable[[], Awaitable[int]]
) -> TasksetMemberConnection:
    """The connection of a page of members, with everything loaded that is asked of them."""
    await warm_members(info, page.items, selection(info).items())
    return connect(TasksetMemberConnection, page, present_member, count)
