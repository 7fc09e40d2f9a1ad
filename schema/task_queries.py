"""Reading tasks: by name, by reference, and as a list."""

from functools import partial
from typing import Annotated

import strawberry

from domain.names import DEFAULT_WORKSPACE
from resolvers import revisions as shared
from schema.arguments import HomeWorkspace, WorkspaceName
from schema.connections import After, Before, First, Last, Offset, request
from schema.errors import reading
from schema.filters import DefinitionOrder, TaskFilter, head_filter, order_of
from schema.selection import Info, selection
from schema.tasks import (
    Task,
    TaskConnection,
    TaskRevision,
    connect_tasks,
    present_revision,
    present_task,
)
from storage.records import TASK


@strawberry.type
class TaskQueries:
    @strawberry.field(description="A task by its name; null where it is unknown or unreadable.")
    async def task(
        self,
        info: Info,
        name: Annotated[str, strawberry.argument(description="The name of the task.")],
        workspace: WorkspaceName = DEFAULT_WORKSPACE,
    ) -> Task | None:
        find = shared.head_with_latest if selection(info).has("latest") else shared.head
        head = await find(info.context, TASK, workspace, name)
        return None if head is None else present_task(head)

    @strawberry.field(description="The tasks of a workspace.")
    async def tasks(
        self,
        info: Info,
        workspace: WorkspaceName = DEFAULT_WORKSPACE,
        filter: Annotated[
            TaskFilter | None, strawberry.argument(description="Which tasks; absent means all.")
        ] = strawberry.UNSET,
        order_by: Annotated[
            DefinitionOrder | None, strawberry.argument(description="The order; absent means oldest first.")
        ] = strawberry.UNSET,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        last: Last = strawberry.UNSET,
        before: Before = strawberry.UNSET,
        offset: Offset = strawberry.UNSET,
    ) -> TaskConnection:
        wanted = head_filter(filter)
        asked = request(first, after, last, before, offset)
        page = await shared.heads(info.context, TASK, workspace, wanted, order_of(order_by), asked)
        count = partial(shared.count_heads, info.context, TASK, workspace, wanted)
        return await connect_tasks(info, page, count)

    @strawberry.field(
        description="A task's revision by reference: `name`, `workspace/name`, `name#tag`, `workspace/name#digest`."
    )
    async def task_revision(
        self,
        info: Info,
        ref: Annotated[str, strawberry.argument(description="The reference; without a fragment it means the latest.")],
        workspace: HomeWorkspace = DEFAULT_WORKSPACE,
    ) -> TaskRevision | None:
        record = await reading(shared.by_reference(info.context, TASK, ref, workspace), "ref")
        return None if record is None else present_revision(record)
