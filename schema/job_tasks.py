"""The work lists of jobs."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import strawberry

from domain.errors import RevisionCorrupt
from schema import results, task_specs, tasks
from schema.connections import Connection, Edge, connect
from schema.loading import then, warm
from schema.scalars import JSON
from schema.selection import Info, selection
from storage.job_tasks import JobTask as JobTaskRecord
from storage.records import TASK, Content, Page

if TYPE_CHECKING:
    from schema.results import TaskSummary
    from schema.task_specs import TaskSpec
    from schema.tasks import TaskRevision


@strawberry.type(
    description=(
        "One entry of a job's work list. Readable for ever: the content stays with the job even where its task is "
        "deleted."
    )
)
class JobTask:
    record: strawberry.Private[JobTaskRecord]

    name: str = strawberry.field(description="The name, unique within the job.")
    ref: str | None = strawberry.field(
        description="The pinned reference `workspace/name#digest`; null for one-off tasks and dataset rows."
    )
    digest: str = strawberry.field(description="The digest of the content.")
    metrics: list[str] = strawberry.field(description="References of the metrics that score it.")

    @strawberry.field(description="The stored revision; null once deleted, and for one-off tasks and dataset rows.")
    def revision(self, info: Info) -> Annotated["TaskRevision", strawberry.lazy("schema.tasks")] | None:
        if self.record.revision_id is None:
            return None
        return then(
            info.context.loaders.revision[TASK].load(self.record.revision_id),
            lambda found: (
                tasks.present_revision(found)
                if found is not None and info.context.viewer.reads(found.workspace)
                else None
            ),
        )

    @strawberry.field(description="What the task asks for; null for a dataset row.")
    def spec(self, info: Info) -> Annotated["TaskSpec", strawberry.lazy("schema.task_specs")] | None:
        if self.record.is_row:
            return None
        return then(
            info.context.loaders.content.load(self.digest),
            lambda stored: task_specs.present_spec(self.intact(stored).value, self.record.config),
        )

    @strawberry.field(description="What was hashed: the task's content, or the dataset row.")
    def content(self, info: Info) -> JSON | None:
        return then(info.context.loaders.content.load(self.digest), lambda stored: JSON(self.intact(stored).value))

    @strawberry.field(description="Its numbers within the job.")
    def summary(self, info: Info) -> Annotated["TaskSummary", strawberry.lazy("schema.results")]:
        place = (self.record.job, self.name)
        return then(info.context.loaders.task_summary.load(place), results.present_task_summary)

    def intact(self, stored: Content) -> Content:
        """The content itself. Raises RevisionCorrupt where its text does not match the digest."""
        if stored.is_corrupt:
            raise RevisionCorrupt(
                f"The stored content of task {self.name!a} no longer matches its digest; restore it from a backup.",
                ref=self.ref or self.name,
            )
        return stored


@strawberry.type(description="One entry of a page of a work list.")
class JobTaskEdge(Edge[JobTask]):
    pass


@strawberry.type(description="A page of a job's work list, in its order.")
class JobTaskConnection(Connection[JobTask, JobTaskEdge]):
    edge_type = JobTaskEdge


async def connect_job_tasks(
    info: Info, page: Page[JobTaskRecord], count: Callable[[], Awaitable[int]]
) -> JobTaskConnection:
    """The connection of a page of a work list, with everything loaded that is asked of it."""
    wanted = selection(info).items()
    if wanted.has("spec", "content"):
        await warm(info.context.loaders.content, [task.digest for task in page.items])
    if wanted.has("summary"):
        await warm(info.context.loaders.task_summary, [(task.job, task.name) for task in page.items])
    if wanted.has("revision"):
        ids = [task.revision_id for task in page.items if task.revision_id is not None]
        found = await warm(info.context.loaders.revision[TASK], ids)
        readable = [each for each in found if each is not None and info.context.viewer.reads(each.workspace)]
        await tasks.warm_task_revisions(info, readable, wanted.below("revision"))
    return connect(JobTaskConnection, page, present_job_task, count)


def present_job_task(record: JobTaskRecord) -> JobTask:
    """The GraphQL object of one entry of a work list."""
    return JobTask(record=record, name=record.name, ref=record.ref, digest=record.digest, metrics=list(record.metrics))
