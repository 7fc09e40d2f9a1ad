"""Writing tasksets: publish, tag, untag, delete."""

from typing import Annotated

import strawberry

from domain.names import DEFAULT_WORKSPACE
from resolvers import revisions as shared
from resolvers import tasksets as use_cases
from schema.arguments import absent_or
from schema.enums import Outcome
from schema.errors import UserError, answer
from schema.nodes import global_id
from schema.revisions import RevisionSelector
from schema.selection import Info
from schema.taskset_inputs import TasksetInput, taskset_draft
from schema.tasksets import Taskset, TasksetRevision, present_revision, present_taskset
from storage.records import TASKSET

_NAME = "1 to 255 letters, digits, `_`, `-` or `.`, and not `.` or `..`."
_PROJECT = "A free label to group records by."
_KEPT_PROJECT = "A free label to group records by; absent keeps it, null clears it."
_EXPECTED = "Go on only if this is the digest of the latest revision; else CONFLICT with the digest found."
_EXPECTED_TAG = "Go on only if the tag points at this digest (null: does not exist); absent means go on anyway."
_WORKSPACE = "The workspace that it belongs to."
_ERRORS = "Why nothing was changed; empty on success."


@strawberry.input(description="A taskset to create.")
class CreateTasksetInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description=_WORKSPACE)
    name: str = strawberry.field(description=_NAME)
    project: str | None = strawberry.field(description=_PROJECT)
    taskset: TasksetInput = strawberry.field(description="The content of its first revision.")


@strawberry.type(description="What `createTaskset` did.")
class CreateTasksetPayload:
    taskset: Taskset | None = strawberry.field(default=None, description="The new taskset; null on errors.")
    revision: TasksetRevision | None = strawberry.field(default=None, description="Its revision 1; null on errors.")
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.input(description="The content of a taskset to publish under a name, which need not exist.")
class ReplaceTasksetInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description=_WORKSPACE)
    name: str = strawberry.field(description=_NAME)
    project: str | None = strawberry.field(default=strawberry.UNSET, description=_KEPT_PROJECT)
    taskset: TasksetInput = strawberry.field(description="The content to publish, whole; nothing is merged.")
    expected_digest: str | None = strawberry.field(description=_EXPECTED)


@strawberry.type(description="What `replaceTaskset` did.")
class ReplaceTasksetPayload:
    taskset: Taskset | None = strawberry.field(default=None, description="The taskset; null on errors.")
    revision: TasksetRevision | None = strawberry.field(
        default=None, description="The revision that has the content now; null on errors."
    )
    outcome: Outcome | None = strawberry.field(default=None, description="What was done; null on errors.")
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.input(description="A tag of a taskset to point at a revision.")
class TagTasksetInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description=_WORKSPACE)
    name: str = strawberry.field(description="The name of the taskset.")
    tag: str = strawberry.field(
        description="1 to 255 letters, digits, `_`, `-` or `.`; not `latest`, and not of the form of a digest."
    )
    revision: RevisionSelector = strawberry.field(description="The revision that it shall point at.")
    expected_digest: str | None = strawberry.field(default=strawberry.UNSET, description=_EXPECTED_TAG)


@strawberry.type(description="What `tagTaskset` did.")
class TagTasksetPayload:
    taskset: Taskset | None = strawberry.field(default=None, description="The taskset; null on errors.")
    revision: TasksetRevision | None = strawberry.field(
        default=None, description="The revision that the tag points at now; null on errors."
    )
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.input(description="A tag of a taskset to remove.")
class UntagTasksetInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description=_WORKSPACE)
    name: str = strawberry.field(description="The name of the taskset.")
    tag: str = strawberry.field(description="The tag; not `latest`, which cannot be removed.")
    expected_digest: str | None = strawberry.field(default=strawberry.UNSET, description=_EXPECTED_TAG)


@strawberry.type(description="What `untagTaskset` did.")
class UntagTasksetPayload:
    taskset: Taskset | None = strawberry.field(default=None, description="The taskset; null on errors.")
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.input(description="A taskset to delete.")
class DeleteTasksetInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description=_WORKSPACE)
    name: str = strawberry.field(description="The name of the taskset.")


@strawberry.type(description="What `deleteTaskset` did.")
class DeleteTasksetPayload:
    deleted_id: strawberry.ID | None = strawberry.field(
        default=None, description="The id of the deleted taskset; null on errors."
    )
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.type
class TasksetMutations:
    @strawberry.mutation(description="Create a taskset with revision 1. A taken name is ALREADY_EXISTS.")
    async def create_taskset(
        self,
        info: Info,
        input: Annotated[CreateTasksetInput, strawberry.argument(description="The taskset to create.")],
    ) -> CreateTasksetPayload:
        return await answer(info.context, _create(info, input), CreateTasksetPayload)

    @strawberry.mutation(
        description=(
            "Publish content: a new revision where it differs from the latest one, none where it is equal. Creates "
            "the taskset where there is none. A retry is safe: it answers UNCHANGED."
        )
    )
    async def replace_taskset(
        self,
        info: Info,
        input: Annotated[ReplaceTasksetInput, strawberry.argument(description="The content to publish.")],
    ) -> ReplaceTasksetPayload:
        return await answer(info.context, _replace(info, input), ReplaceTasksetPayload)

    @strawberry.mutation(description="Point a tag at a revision, whether or not the tag exists.")
    async def tag_taskset(
        self, info: Info, input: Annotated[TagTasksetInput, strawberry.argument(description="The tag and its target.")]
    ) -> TagTasksetPayload:
        return await answer(info.context, _tag(info, input), TagTasksetPayload)

    @strawberry.mutation(description="Remove a tag; the revision that it points at stays.")
    async def untag_taskset(
        self, info: Info, input: Annotated[UntagTasksetInput, strawberry.argument(description="The tag to remove.")]
    ) -> UntagTasksetPayload:
        return await answer(info.context, _untag(info, input), UntagTasksetPayload)

    @strawberry.mutation(description="Delete a taskset and all its revisions; its tasks stay.")
    async def delete_taskset(
        self,
        info: Info,
        input: Annotated[DeleteTasksetInput, strawberry.argument(description="The taskset to delete.")],
    ) -> DeleteTasksetPayload:
        return await answer(info.context, _delete(info, input), DeleteTasksetPayload)


async def _create(info: Info, input: CreateTasksetInput) -> CreateTasksetPayload:
    draft = taskset_draft(input.taskset)
    done = await use_cases.create_taskset(info.context, input.workspace, input.name, input.project, draft)
    return CreateTasksetPayload(taskset=present_taskset(done.head), revision=present_revision(done.revision))


async def _replace(info: Info, input: ReplaceTasksetInput) -> ReplaceTasksetPayload:
    draft = taskset_draft(input.taskset)
    project = absent_or(input.project)
    done = await use_cases.replace_taskset(
        info.context, input.workspace, input.name, project, draft, input.expected_digest
    )
    return ReplaceTasksetPayload(
        taskset=present_taskset(done.head), revision=present_revision(done.revision), outcome=done.outcome
    )


async def _tag(info: Info, input: TagTasksetInput) -> TagTasksetPayload:
    head, revision = await shared.tag(
        info.context,
        TASKSET,
        input.workspace,
        input.name,
        input.tag,
        input.revision.to_storage(),
        absent_or(input.expected_digest),
    )
    return TagTasksetPayload(taskset=present_taskset(head), revision=present_revision(revision))


async def _untag(info: Info, input: UntagTasksetInput) -> UntagTasksetPayload:
    expected = absent_or(input.expected_digest)
    head = await shared.untag(info.context, TASKSET, input.workspace, input.name, input.tag, expected)
    return UntagTasksetPayload(taskset=present_taskset(head))


async def _delete(info: Info, input: DeleteTasksetInput) -> DeleteTasksetPayload:
    identity = await use_cases.delete_taskset(info.context, input.workspace, input.name)
    return DeleteTasksetPayload(deleted_id=global_id("Taskset", identity))
