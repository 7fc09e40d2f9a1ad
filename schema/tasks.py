"""Tasks and their revisions, as they are read."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import strawberry

from resolvers import diff as differences
from resolvers import results as numbers
from resolvers import revisions as shared
from resolvers import usage
from schema import results, task_specs, tasksets
from schema.arguments import given
from schema.connections import After, Connection, Edge, First, connect, request
from schema.loading import then, warm
from schema.nodes import Node, global_id, register
from schema.revisions import (
    ContentDiff,
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
from schema.scalars import JSON
from schema.selection import Info, Selection, selection
from storage import records
from storage.records import TASK, Content, Head, Page, RecordKind

if TYPE_CHECKING:
    from schema.results import TaskHistoryConnection
    from schema.task_specs import TaskSpec
    from schema.tasksets import TasksetConnection, TasksetRevisionConnection


@strawberry.type(description="One unit of agent evaluation: a named record whose content is published as revisions.")
class Task(Node):
    record: strawberry.Private[Head]

    workspace: str = strawberry.field(description="The name of the workspace that it belongs to.")
    name: str = strawberry.field(description="The name, unique among the tasks of the workspace.")
    ref: str = strawberry.field(description="The reference that follows its latest revision: `workspace/name`.")
    project: str | None = strawberry.field(description="A free label to group records by.")
    created_at: datetime = strawberry.field(description="When it was created.")
    updated_at: datetime = strawberry.field(description="When it was last published, tagged or moved to a project.")

    @strawberry.field(description="The newest revision, by ordinal.")
    def latest(self, info: Info) -> "TaskRevision":
        loaded = info.context.loaders.revision[TASK].load(self.record.revision_id)
        return then(loaded, lambda record: present_revision(found_latest(record, self.ref)))

    @strawberry.field(description="One revision; null where it does not exist.")
    async def revision(
        self,
        info: Info,
        by: Annotated[
            RevisionSelector | None, strawberry.argument(description="Which revision; absent means the latest.")
        ] = strawberry.UNSET,
    ) -> "TaskRevision | None":
        record = await shared.select(info.context, TASK, self.record, selector_of(by))
        return None if record is None else present_revision(record)

    @strawberry.field(description="All revisions, newest first.")
    async def revisions(
        self, info: Info, first: First = 100, after: After = strawberry.UNSET
    ) -> "TaskRevisionConnection":
        page = await shared.revisions(info.context, TASK, self.record, request(first, after))
        count = partial(shared.count_revisions, info.context, TASK, self.record)
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

    @strawberry.field(description="The tasksets whose latest revision has it as a member and that the token may read.")
    async def tasksets(
        self, info: Info, first: First = 100, after: After = strawberry.UNSET
    ) -> Annotated["TasksetConnection", strawberry.lazy("schema.tasksets")]:
        page = await usage.tasksets_of(info.context, self.record, request(first, after))
        count = partial(usage.count_tasksets_of, info.context, self.record)
        return await tasksets.connect_tasksets(info, page, count)

    @strawberry.field(description="How the content of one revision becomes that of another; null where one is missing.")
    async def diff(
        self,
        info: Info,
        from_: Annotated[RevisionSelector, strawberry.argument(name="from", description="The revision to begin with.")],
        to: Annotated[RevisionSelector, strawberry.argument(description="The revision to arrive at.")],
    ) -> ContentDiff | None:
        found = await differences.diff_tasks(info.context, self.record, from_.to_storage(), to.to_storage())
        if found is None:
            return None
        return ContentDiff(
            from_=found.from_digest, to=found.to_digest, is_empty=not found.patch, patch=JSON(found.patch)
        )

    @strawberry.field(description="What all jobs that the token may read made of each of its contents, newest first.")
    async def history(
        self, info: Info, first: First = 100, after: After = strawberry.UNSET
    ) -> Annotated["TaskHistoryConnection", strawberry.lazy("schema.results")]:
        page = await numbers.history(info.context, self.record, request(first, after))
        count = partial(numbers.count_history, info.context, self.record)
        return connect(results.TaskHistoryConnection, page, results.present_history, count)


@strawberry.type(description="Immutable published content of a task.")
class TaskRevision(Revision):
    kind: ClassVar[RecordKind] = TASK

    @strawberry.field(description="The task that it is a revision of.")
    def task(self, info: Info) -> Task:
        return then(self.head(info), lambda head: present_task(found_record(head, self.ref)))

    @strawberry.field(description="What the task asks for; null with the error REVISION_CORRUPT, as `content`.")
    def spec(self, info: Info) -> Annotated["TaskSpec", strawberry.lazy("schema.task_specs")] | None:
        return then(
            self.stored(info), lambda stored: task_specs.present_spec(self.intact(stored).value, self.record.config)
        )

    @strawberry.field(description="Its annotations in order; null with the error REVISION_CORRUPT, as `content`.")
    def metadata(self, info: Info) -> list[MetadataItem] | None:
        return then(self.stored(info), lambda stored: present_metadata(self.intact(stored).value["metadata"]))

    @strawberry.field(
        description="The taskset revisions that pin this content and that the token may read, oldest first."
    )
    async def pinned_by(
        self, info: Info, first: First = 100, after: After = strawberry.UNSET
    ) -> Annotated["TasksetRevisionConnection", strawberry.lazy("schema.tasksets")]:
        page = await usage.pinned_by(info.context, self.record, request(first, after))
        count = partial(usage.count_pinned_by, info.context, self.record)
        return await tasksets.connect_revisions(info, page, count)


@strawberry.type(description="One task of a page.")
class TaskEdge(Edge[Task]):
    pass


@strawberry.type(description="A page of tasks.")
class TaskConnection(Connection[Task, TaskEdge]):
    edge_type = TaskEdge


@strawberry.type(description="One task revision of a page.")
class TaskRevisionEdge(Edge[TaskRevision]):
    pass


@strawberry.type(description="A page of task revisions.")
class TaskRevisionConnection(Connection[TaskRevision, TaskRevisionEdge]):
    edge_type = TaskRevisionEdge


def present_task(record: Head) -> Task:
    """The GraphQL object of a stored task."""
    return Task(
        record=record,
        id=global_id("Task", record.id),
        workspace=record.workspace,
        name=record.name,
        ref=record.ref,
        project=record.project,
        created_at=record.created_at,
        updated_at=record.updated_at,
    )


def present_revision(record: records.Revision) -> TaskRevision:
    """The GraphQL object of a stored task revision."""
    return TaskRevision(
        record=record,
        id=global_id("TaskRevision", record.id),
        number=record.number,
        digest=record.digest,
        ref=record.ref,
        created_at=record.created_at,
        created_by=record.created_by,
    )


register("Task", present_task)
register("TaskRevision", present_revision)


async def warm_tasks(info: Info, heads: Sequence[Head], wanted: Selection) -> None:
    """Load in bulk what the selection asks of these tasks."""
    if wanted.has("latest"):
        found = await warm(info.context.loaders.revision[TASK], [head.revision_id for head in heads])
        info.context.loaders.head[TASK].prime_many({head.id: head for head in heads})
        await warm_task_revisions(info, [record for record in found if record is not None], wanted.below("latest"))


async def warm_task_revisions(info: Info, revisions: Sequence[records.Revision], wanted: Selection) -> None:
    """Load in bulk what the selection asks of these task revisions."""
    contents = await warm_revisions(info, TASK, revisions, wanted)
    if wanted.below("spec", "metrics").has("metric"):
        await warm(info.context.loaders.metric, _metrics_of(contents))
    below = wanted.below("task")
    if below.has("latest"):
        heads = await warm(info.context.loaders.head[TASK], [revision.parent for revision in revisions])
        await warm_tasks(info, [head for head in heads if head is not None], below)


def _metrics_of(contents: Sequence[Content]) -> list[str]:
    specs: list[Any] = [content.value["spec"] for content in contents if not content.is_corrupt]
    return [ref for spec in specs for ref in spec.get("metrics", ())]


Count = Callable[[], Awaitable[int]]


async def connect_tasks(info: Info, page: Page[Head], count: Count) -> TaskConnection:
    """The connection of a page of tasks, with everything loaded that is asked of them."""
    await warm_tasks(info, page.items, selection(info).items())
    return connect(TaskConnection, page, present_task, count)


async def connect_revisions(info: Info, page: Page[records.Revision], count: Count) -> TaskRevisionConnection:
    """The connection of a page of task revisions, with everything loaded that is asked of them."""
    await warm_task_revisions(info, page.items, selection(info).items())
    return connect(TaskRevisionConnection, page, present_revision, count)
