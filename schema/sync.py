"""Making a taskset and its tasks equal to a file."""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Annotated, Final

import strawberry

from domain import sync as domain
from domain.names import DEFAULT_WORKSPACE
from domain.outcomes import Absent
from domain.sync import TasksetChanges
from resolvers.sync import sync_taskset
from resolvers.sync_file import NamedTask, TaskFile, blob_file
from resolvers.sync_moves import PlanMoved
from resolvers.sync_plan import SyncTaskset
from schema.arguments import absent_or
from schema.errors import UserError, answer, present
from schema.revisions import MetadataItemInput, metadata_drafts
from schema.selection import Info
from schema.sync_rows import row_reader
from schema.task_inputs import TaskInput, task_draft
from schema.tasksets import Taskset, TasksetRevision, present_revision, present_taskset

_BATCH: Final = 100


@strawberry.input(description="A task of a file, by its name.")
class NamedTaskInput:
    name: str = strawberry.field(description="The name of the task, unique within the file.")
    workspace: str | None = strawberry.field(description="The workspace of the task; absent means that of the taskset.")
    task: TaskInput = strawberry.field(description="The content that the task shall have, whole; nothing is merged.")


@strawberry.input(description="A file of tasks, and the taskset that shall be equal to it.")
class SyncTasksetInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description="The workspace of the taskset.")
    name: str = strawberry.field(description="The name of the taskset, which need not exist.")
    tasks: list[NamedTaskInput] = strawberry.field(
        description="The tasks in the order wanted, at most 10,000; each is pinned at this content."
    )
    tasks_blob: str | None = strawberry.field(
        description=(
            "The tasks as a blob, for files over 16 MiB; `tasks` is empty then. The SHA-256 of a text that was "
            "uploaded to `/blobs/{sha256}` in this workspace, on each line a JSON object of the form NamedTaskInput."
        )
    )
    description: str | None = strawberry.field(
        default=strawberry.UNSET, description="What the taskset is for; absent keeps it, null clears it."
    )
    files_ref: str | None = strawberry.field(
        default=strawberry.UNSET,
        description="Files of the taskset, `workspace/fileset#path`; absent keeps them, null clears them.",
    )
    metadata: list[MetadataItemInput] | None = strawberry.field(
        default=strawberry.UNSET, description="Annotations of the taskset; absent keeps them, null clears them."
    )
    project: str | None = strawberry.field(
        default=strawberry.UNSET, description="The label of the taskset; absent keeps it, null clears it."
    )
    remove_missing: bool = strawberry.field(
        default=False,
        description=(
            "Take members that the file does not name out of the taskset; no task is deleted. Else they stay, pinned "
            "as they are."
        ),
    )
    dry_run: bool = strawberry.field(default=False, description="Answer the plan, and write nothing.")
    plan_digest: str | None = strawberry.field(
        description=(
            "Apply exactly the plan that was shown under this digest: CONFLICT if anything that it rests on has moved "
            "since, with the new plan in the payload."
        )
    )


@strawberry.type(description="A task of a plan.")
class SyncItem:
    name: str = strawberry.field(
        description="Its name; `workspace/name` where it lies in another workspace than the taskset."
    )
    current_digest: str | None = strawberry.field(
        description="The digest of its latest revision, of a remote-only member that of its pin; null if it is new."
    )
    new_digest: str | None = strawberry.field(
        description="The digest that it has after the sync; null if it leaves the taskset."
    )


@strawberry.type(description="What a sync does, or would do.")
class SyncPlan:
    plan_digest: str = strawberry.field(
        description=(
            "Stands for this plan and everything that it rests on: the file, the options, and where the taskset and "
            "the tasks stand. 64 lowercase hex digits."
        )
    )
    taskset: SyncItem = strawberry.field(description="What becomes of the taskset itself.")
    to_create: list[SyncItem] = strawberry.field(description="Tasks of the file that do not exist, in its order.")
    to_update: list[SyncItem] = strawberry.field(description="Tasks of the file whose latest content is another one.")
    unchanged: list[SyncItem] = strawberry.field(description="Tasks of the file whose latest content is equal.")
    remote_only: list[SyncItem] = strawberry.field(description="Members of the taskset that the file does not name.")
    summary: str = strawberry.field(description="The plan in five lines, for people.")


@strawberry.type(description="What `syncTaskset` did, or on a dry run would do.")
class SyncTasksetPayload:
    plan: SyncPlan | None = strawberry.field(
        default=None, description="The plan; on CONFLICT the one that would be made now, null on other errors."
    )
    taskset: Taskset | None = strawberry.field(
        default=None, description="The taskset as it is now; null on errors, and where a dry run found none."
    )
    revision: TasksetRevision | None = strawberry.field(
        default=None, description="The taskset's latest revision; null where `taskset` is."
    )
    errors: list[UserError] = strawberry.field(
        default_factory=list, description="Why nothing was written; empty on success."
    )


@strawberry.type
class SyncMutations:
    @strawberry.mutation(
        description=(
            "Make a taskset and its tasks equal to a file, all or nothing: new tasks are created, changed ones get a "
            "revision, and the taskset pins them. A second run with the same file writes nothing."
        )
    )
    async def sync_taskset(
        self,
        info: Info,
        input: Annotated[SyncTasksetInput, strawberry.argument(description="The file and what to do with it.")],
    ) -> SyncTasksetPayload:
        return await answer(info.context, _sync(info, input), SyncTasksetPayload)


async def _sync(info: Info, input: SyncTasksetInput) -> SyncTasksetPayload:
    request = SyncTaskset(
        workspace=input.workspace,
        name=input.name,
        file=_file(info, input),
        changes=_changes(input),
        dry_run=input.dry_run,
        plan_digest=input.plan_digest,
    )
    try:
        done = await sync_taskset(info.context, request)
    except PlanMoved as moved:
        return SyncTasksetPayload(plan=_present_plan(moved.plan), errors=[present(moved)])
    return SyncTasksetPayload(
        plan=_present_plan(done.plan),
        taskset=None if done.taskset is None else present_taskset(done.taskset),
        revision=None if done.revision is None else present_revision(done.revision),
    )


def _file(info: Info, input: SyncTasksetInput) -> TaskFile:
    if input.tasks_blob is not None:
        read = row_reader(info, NamedTaskInput.__name__)
        return blob_file(info.context, input.workspace, input.tasks_blob, len(input.tasks), read)

    async def batches() -> AsyncIterator[Sequence[NamedTask]]:
        for start in range(0, len(input.tasks), _BATCH):
            yield [_named(task) for task in input.tasks[start : start + _BATCH]]

    return TaskFile(batches)


def _named(input: NamedTaskInput) -> NamedTask:
    return NamedTask(input.name, task_draft(input.task), input.workspace)


def _changes(input: SyncTasksetInput) -> TasksetChanges:
    metadata = absent_or(input.metadata)
    return TasksetChanges(
        description=absent_or(input.description),
        files_ref=absent_or(input.files_ref),
        metadata=metadata if isinstance(metadata, Absent) else metadata_drafts(metadata or ()),
        project=absent_or(input.project),
        remove_missing=input.remove_missing,
    )


def _present_plan(plan: domain.SyncPlan) -> SyncPlan:
    return SyncPlan(
        plan_digest=plan.digest,
        taskset=_present_item(plan.taskset),
        to_create=_present_items(plan.to_create),
        to_update=_present_items(plan.to_update),
        unchanged=_present_items(plan.unchanged),
        remote_only=_present_items(plan.remote_only),
        summary=plan.summary,
    )


def _present_items(items: Iterable[domain.SyncItem]) -> list[SyncItem]:
    return [_present_item(item) for item in items]


def _present_item(item: domain.SyncItem) -> SyncItem:
    return SyncItem(name=item.name, current_digest=item.current_digest, new_digest=item.new_digest)
