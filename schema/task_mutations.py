"""Writing tasks: publish, tag, untag, delete."""

from typing import Annotated

import strawberry

from domain.names import DEFAULT_WORKSPACE
from resolvers import revisions as shared
from resolvers import tasks as use_cases
from schema.arguments import absent_or
from schema.enums import Outcome
from schema.errors import UserError, answer
from schema.nodes import global_id
from schema.revisions import RevisionSelector
from schema.selection import Info
from schema.task_inputs import TaskInput, task_draft
from schema.tasks import Task, TaskRevision, present_revision, present_task
from storage.records import TASK

_NAME = "1 to 255 letters, digits, `_`, `-` or `.`, and not `.` or `..`."
_PROJECT = "A free label to group records by."
_KEPT_PROJECT = "A free label to group records by; absent keeps it, null clears it."
_EXPECTED = "Go on only if this is the digest of the latest revision; else CONFLICT with the digest found."
_EXPECTED_TAG = "Go on only if the tag points at this digest (null: does not exist); absent means go on anyway."
_WORKSPACE = "The workspace that it belongs to."
_ERRORS = "Why nothing was changed; empty on success."


@strawberry.input(description="A task to create.")
class CreateTaskInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description=_WORKSPACE)
    name: str = strawberry.field(description=_NAME)
    project: str | None = strawberry.field(description=_PROJECT)
    task: TaskInput = strawberry.field(description="The content of its first revision.")


@strawberry.type(description="What `createTask` did.")
class CreateTaskPayload:
    task: Task | None = strawberry.field(default=None, description="The new task; null on errors.")
    revision: TaskRevision | None = strawberry.field(default=None, description="Its revision 1; null on errors.")
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.input(description="The content of a task to publish under a name, which need not exist.")
class ReplaceTaskInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description=_WORKSPACE)
    name: str = strawberry.field(description=_NAME)
    project: str | None = strawberry.field(default=strawberry.UNSET, description=_KEPT_PROJECT)
    task: TaskInput = strawberry.field(description="The content to publish, whole; nothing is merged.")
    expected_digest: str | None = strawberry.field(description=_EXPECTED)


@strawberry.type(description="What `replaceTask` did.")
class ReplaceTaskPayload:
    task: Task | None = strawberry.field(default=None, description="The task; null on errors.")
    revision: TaskRevision | None = strawberry.field(
        default=None, description="The revision that has the content now; null on errors."
    )
    outcome: Outcome | None = strawberry.field(default=None, description="What was done; null on errors.")
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.input(description="A tag of a task to point at a revision.")
class TagTaskInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description=_WORKSPACE)
    name: str = strawberry.field(description="The name of the task.")
    tag: str = strawberry.field(
        description="1 to 255 letters, digits, `_`, `-` or `.`; not `latest`, and not of the form of a digest."
    )
    revision: RevisionSelector = strawberry.field(description="The revision that it shall point at.")
    expected_digest: str | None = strawberry.field(default=strawberry.UNSET, description=_EXPECTED_TAG)


@strawberry.type(description="What `tagTask` did.")
class TagTaskPayload:
    task: Task | None = strawberry.field(default=None, description="The task; null on errors.")
    revision: TaskRevision | None = strawberry.field(
        default=None, description="The revision that the tag points at now; null on errors."
    )
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.input(description="A tag of a task to remove.")
class UntagTaskInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description=_WORKSPACE)
    name: str = strawberry.field(description="The name of the task.")
    tag: str = strawberry.field(description="The tag; not `latest`, which cannot be removed.")
    expected_digest: str | None = strawberry.field(default=strawberry.UNSET, description=_EXPECTED_TAG)


@strawberry.type(description="What `untagTask` did.")
class UntagTaskPayload:
    task: Task | None = strawberry.field(default=None, description="The task; null on errors.")
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.input(description="A task to delete.")
class DeleteTaskInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description=_WORKSPACE)
    name: str = strawberry.field(description="The name of the task.")
    force: bool = strawberry.field(
        default=False, description="Delete it although tasksets pin it; their members dangle then, visibly."
    )


@strawberry.type(description="What `deleteTask` did.")
class DeleteTaskPayload:
    deleted_id: strawberry.ID | None = strawberry.field(
        default=None, description="The id of the deleted task; null on errors."
    )
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.type
class TaskMutations:
    @strawberry.mutation(description="Create a task with revision 1. A taken name is ALREADY_EXISTS.")
    async def create_task(
        self,
        info: Info,
        input: Annotated[CreateTaskInput, strawberry.argument(description="The task to create.")],
    ) -> CreateTaskPayload:
        return await answer(info.context, _create(info, input), CreateTaskPayload)

    @strawberry.mutation(
        description=(
            "Publish content: a new revision where it differs from the latest one, none where it is equal. Creates "
            "the task where there is none. A retry is safe: it answers UNCHANGED."
        )
    )
    async def replace_task(
        self,
        info: Info,
        input: Annotated[ReplaceTaskInput, strawberry.argument(description="The content to publish.")],
    ) -> ReplaceTaskPayload:
        return await answer(info.context, _replace(info, input), ReplaceTaskPayload)

    @strawberry.mutation(description="Point a tag at a revision, whether or not the tag exists.")
    async def tag_task(
        self, info: Info, input: Annotated[TagTaskInput, strawberry.argument(description="The tag and its target.")]
    ) -> TagTaskPayload:
        return await answer(info.context, _tag(info, input), TagTaskPayload)

    @strawberry.mutation(description="Remove a tag; the revision that it points at stays.")
    async def untag_task(
        self, info: Info, input: Annotated[UntagTaskInput, strawberry.argument(description="The tag to remove.")]
    ) -> UntagTaskPayload:
        return await answer(info.context, _untag(info, input), UntagTaskPayload)

    @strawberry.mutation(
        description="Delete a task and all its revisions. Refused (IN_USE) while a taskset pins it, unless forced."
    )
    async def delete_task(
        self, info: Info, input: Annotated[DeleteTaskInput, strawberry.argument(description="The task to delete.")]
    ) -> DeleteTaskPayload:
        return await answer(info.context, _delete(info, input), DeleteTaskPayload)


async def _create(info: Info, input: CreateTaskInput) -> CreateTaskPayload:
    draft = task_draft(input.task)
    done = await use_cases.create_task(info.context, input.workspace, input.name, input.project, draft)
    return CreateTaskPayload(task=present_task(done.head), revision=present_revision(done.revision))


async def _replace(info: Info, input: ReplaceTaskInput) -> ReplaceTaskPayload:
    draft = task_draft(input.task)
    project = absent_or(input.project)
    done = await use_cases.replace_task(
        info.context, input.workspace, input.name, project, draft, input.expected_digest
    )
    return ReplaceTaskPayload(
        task=present_task(done.head), revision=present_revision(done.revision), outcome=done.outcome
    )


async def _tag(info: Info, input: TagTaskInput) -> TagTaskPayload:
    head, revision = await shared.tag(
        info.context,
        TASK,
        input.workspace,
        input.name,
        input.tag,
        input.revision.to_storage(),
        absent_or(input.expected_digest),
    )
    return TagTaskPayload(task=present_task(head), revision=present_revision(revision))


async def _untag(info: Info, input: UntagTaskInput) -> UntagTaskPayload:
    expected = absent_or(input.expected_digest)
    head = await shared.untag(info.context, TASK, input.workspace, input.name, input.tag, expected)
    return UntagTaskPayload(task=present_task(head))


async def _delete(info: Info, input: DeleteTaskInput) -> DeleteTaskPayload:
    identity = await use_cases.delete_task(info.context, input.workspace, input.name, input.force)
    return DeleteTaskPayload(deleted_id=global_id("Task", identity))
