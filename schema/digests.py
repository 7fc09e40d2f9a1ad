"""The digest of content that is not stored."""

from typing import Annotated

import strawberry

from domain.names import DEFAULT_WORKSPACE
from resolvers import digests as use_cases
from schema.errors import reading
from schema.selection import Info
from schema.task_inputs import TaskInput, task_draft
from schema.taskset_inputs import TasksetInput, taskset_draft


@strawberry.input(one_of=True, description="Content to hash: exactly one of the fields.")
class DigestInput:
    task: TaskInput | None = strawberry.field(description="The content of a task.")
    taskset: TasksetInput | None = strawberry.field(description="The content of a taskset; its members must exist.")


@strawberry.type
class DigestQueries:
    @strawberry.field(
        description=(
            "The digest that content would get, without storing it: 64 lowercase hex digits. Content that could not "
            "be stored is BAD_USER_INPUT."
        )
    )
    async def digest_of(
        self,
        info: Info,
        content: Annotated[DigestInput, strawberry.argument(description="The content to hash.")],
        workspace: Annotated[
            str, strawberry.argument(description="The workspace in which bare references are looked up.")
        ] = DEFAULT_WORKSPACE,
    ) -> str:
        return await reading(_digest_of(info, content, workspace), "content")


async def _digest_of(info: Info, content: DigestInput, workspace: str) -> str:
    if content.task is not None:
        return await use_cases.digest_of_task(info.context, task_draft(content.task), workspace)
    assert content.taskset is not None, "GraphQL has checked that exactly one field is set"
    return await use_cases.digest_of_taskset(info.context, taskset_draft(content.taskset), workspace)
