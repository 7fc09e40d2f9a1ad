"""Tasksets and their revisions, as they are read."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar, cast

import strawberry

from resolvers import diff as differences
from resolvers import jobs as runs
from resolvers import members as pins
from resolvers import revisions as shared
from resolvers import usage
from schema import jobs, members
from schema.arguments import given
from schema.connections import After, Connection, Edge, First, connect, request
from schema.loading import then, warm
from schema.nodes import Node, global_id, register
from schema.revisions import (
    MetadataItem,
    Revision,
    RevisionSelector,
    Tag,
    TagMoveConnection,
    found_latest,
    found_record,
    present_metadata,
    present_move,
    present_tags,
    selector_of,
    warm_revisions,
)
from schema.selection import Info, Selection, selection
from storage import records
from storage.records import TASKSET, Head, Page, RecordKind

if TYPE_CHECKING:
    from schema.jobs import JobConnection
    from schema.members import TasksetDiff, TasksetMember, TasksetMemberConnection


@strawberry.type(description="A named list of tasks, each pinned to an exact revision, published as revisions.")
class Taskset(Node):
    record: strawberry.Private[Head]

    workspace: str = strawberry.field(description="The name of the workspace that it belongs to.")
    name: str = strawberry.field(description="The name, unique among the tasksets of the workspace.")
    ref: str = strawberry.field(description="The reference that follows its latest revision: `workspace/name`.")
    project: str | None = strawberry.field(description="A free label to group records by.")
    created_at: datetime = strawberry.field(description="When it was created.")
    updated_at: datetime = strawberry.field(description="When it was last published, tagged or moved to a project.")

    @strawberry.field(description="The newest revision, by ordinal.")
    def latest(self, info: Info) -> "TasksetRevision":
        loaded = info.context.loaders.revision[TASKSET].load(self.record.revision_id)
        return then(loaded, lambda record: present_revision(found_latest(record, self.ref)))

    @strawberry.field(description="One revision; null where it does not exist.")
    async def revision(
        self,
        info: Info,
        by: Annotated[
            RevisionSelector | None, strawberry.argument(description="Which revision; absent means the latest.")
        ] = strawberry.UNSET,
    ) -> "TasksetRevision | None":
        record = await shared.select(info.context, TASKSET, self.record, selector_of(by))
        return None if record is None else present_revision(record)

    @strawberry.field(description="All revisions, newest first.")
    async def revisions(
        self, info: Info, first: First = 100, after: After = strawberry.UNSET
    ) -> "TasksetRevisionConnection":
        page = await shared.revisions(info.context, TASKSET, self.record, request(first, after))
        count = partial(shared.count_revisions, info.context, TASKSET, self.record)
        return await connect_revisions(info, page, count)

    @strawberry.field(description="All tags, sorted by name; `latest` among them.")
    def tags(self) -> list[Tag]:
        return present_tags(self.record)

    @strawberry.field(description="Every move of its tags by hand, newest first; `latest` moves with each publish.")
    async def tag_moves(
        self,
        info: Info,
        tag: Annotated[
            str | None, strawberry.argument(description="Only the moves of this tag; absent means all.")
        ] = strawberry.UNSET,
        first: First = 100,
        after: After = strawberry.UNSET,
    ) -> TagMoveConnection:
        page = await shared.tag_moves(info.context, self.record, given(tag), request(first, after))
        count = partial(shared.count_tag_moves, info.context, self.record, given(tag))
        return connect(TagMoveConnection, page, present_move, count)

    @strawberry.field(
        description="What distinguishes two revisions, member by member; null where one of them is missing."
    )
    async def diff(
        self,
        info: Info,
        from_: Annotated[RevisionSelector, strawberry.argument(name="from", description="The revision to begin with.")],
        to: Annotated[RevisionSelector, strawberry.argument(description="The revision to arrive at.")],
    ) -> Annotated["TasksetDiff", strawberry.lazy("schema.members")] | None:
        found = await differences.diff_tasksets(info.context, self.record, from_.to_storage(), to.to_storage())
        return None if found is None else await members.present_diff(info, found)

    @strawberry.field(description="The latest revision's members whose task has other content as its latest by now.")
    async def outdated_members(
        self, info: Info, first: First = 100, after: After = strawberry.UNSET
    ) -> Annotated["TasksetMemberConnection", strawberry.lazy("schema.members")]:
        page = await usage.outdated_members(info.context, self.record, request(first, after))
        count = partial(usage.count_outdated_members, info.context, self.record)
        return await members.connect_members(info, page, count)

    @strawberry.field(description="The jobs over any of its revisions that the token may read, newest first.")
    async def jobs(
        self, info: Info, first: First = 100, after: After = strawberry.UNSET
    ) -> Annotated["JobConnection", strawberry.lazy("schema.jobs")]:
        page = await runs.jobs_of_taskset(info.context, self.record, request(first, after))
        count = partial(runs.count_jobs_of_taskset, info.context, self.record)
        return await jobs.connect_jobs(info, page, count)


@strawberry.type(description="Immutable published content of a taskset.")
class TasksetRevision(Revision):
    kind: ClassVar[RecordKind] = TASKSET

    member_count: int = strawberry.field(description="How many members it has, at most 10,000.")

    @strawberry.field(description="The taskset that it is a revision of.")
    def taskset(self, info: Info) -> Taskset:
        return then(self.head(info), lambda head: present_taskset(found_record(head, self.ref)))

    @strawberry.field(description="What it is for; null with the error REVISION_CORRUPT, as `content`.")
    def description(self, info: Info) -> str | None:
        return then(self.stored(info), lambda stored: cast("str | None", self.intact(stored).value["description"]))

    @strawberry.field(
        description="Files that belong to it, `workspace/fileset#path`; null with REVISION_CORRUPT, as `content`."
    )
    def files_ref(self, info: Info) -> str | None:
        return then(self.stored(info), lambda stored: cast("str | None", self.intact(stored).value["files_ref"]))

    @strawberry.field(description="Its annotations in order; null with the error REVISION_CORRUPT, as `content`.")
    def metadata(self, info: Info) -> list[MetadataItem] | None:
        return then(self.stored(info), lambda stored: present_metadata(self.intact(stored).value["metadata"]))

    @strawberry.field(description="Its members in the order published.")
    async def members(
        self, info: Info, first: First = 100, after: After = strawberry.UNSET
    ) -> Annotated["TasksetMemberConnection", strawberry.lazy("schema.members")]:
        page = await pins.members(info.context, self.record, request(first, after))
        return await members.connect_members(info, page, self._count_members)

    @strawberry.field(description="The member of this name; null where there is none.")
    async def member(
        self,
        info: Info,
        name: Annotated[str, strawberry.argument(description="The name of the task.")],
        workspace: Annotated[
            str | None, strawberry.argument(description="The task's workspace; absent means that of the taskset.")
        ] = strawberry.UNSET,
    ) -> Annotated["TasksetMember", strawberry.lazy("schema.members")] | None:
        record = await pins.member(info.context, self.record, given(workspace), name)
        return None if record is None else members.present_member(record)

    async def _count_members(self) -> int:
        return self.member_count


@strawberry.type(description="One taskset of a page.")
class TasksetEdge(Edge[Taskset]):
    pass


@strawberry.type(description="A page of tasksets.")
class TasksetConnection(Connection[Taskset, TasksetEdge]):
    edge_type = TasksetEdge


@strawberry.type(description="One taskset revision of a page.")
class TasksetRevisionEdge(Edge[TasksetRevision]):
    pass


@strawberry.type(description="A page of taskset revisions.")
class TasksetRevisionConnection(Connection[TasksetRevision, TasksetRevisionEdge]):
    edge_type = TasksetRevisionEdge


def present_taskset(record: Head) -> Taskset:
    """The GraphQL object of a stored taskset."""
    return Taskset(
        record=record,
        id=global_id("Taskset", record.id),
        workspace=record.workspace,
        name=record.name,
        ref=record.ref,
        project=record.project,
        created_at=record.created_at,
        updated_at=record.updated_at,
    )


def present_revision(record: records.Revision) -> TasksetRevision:
    """The GraphQL object of a stored taskset revision."""
    return TasksetRevision(
        record=record,
        id=global_id("TasksetRevision", record.id),
        number=record.number,
        digest=record.digest,
        ref=record.ref,
        created_at=record.created_at,
        created_by=record.created_by,
        member_count=record.member_count,
    )


register("Taskset", present_taskset)
register("TasksetRevision", present_revision)


async def warm_tasksets(info: Info, heads: Sequence[Head], wanted: Selection) -> None:
    """Load in bulk what the selection asks of these tasksets."""
    if wanted.has("latest"):
        loaders = info.context.loaders
        found = await warm(loaders.revision[TASKSET], [head.revision_id for head in heads])
        loaders.head[TASKSET].prime_many({head.id: head for head in heads})
        revisions = [record for record in found if record is not None]
        await warm_revisions(info, TASKSET, revisions, wanted.below("latest"))


Count = Callable[[], Awaitable[int]]


async def connect_tasksets(info: Info, page: Page[Head], count: Count) -> TasksetConnection:
    """The connection of a page of tasksets, with everything loaded that is asked of them."""
    await warm_tasksets(info, page.items, selection(info).items())
    return connect(TasksetConnection, page, present_taskset, count)


async def connect_revisions(info: Info, page: Page[records.Revision], count: Count) -> TasksetRevisionConnection:
    """The connection of a page of taskset revisions, with everything loaded that is asked of them."""
    await warm_revisions(info, TASKSET, page.items, selection(info).items())
    return connect(TasksetRevisionConnection, page, present_revision, count)
