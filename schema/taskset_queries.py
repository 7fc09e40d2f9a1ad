"""Reading tasksets: by name, by reference, and as a list."""

from functools import partial
from typing import Annotated

import strawberry

from domain.names import DEFAULT_WORKSPACE
from resolvers import revisions as shared
from schema.arguments import HomeWorkspace, WorkspaceName
from schema.connections import After, Before, First, Last, Offset, request
from schema.errors import reading
from schema.filters import DefinitionOrder, TasksetFilter, head_filter, order_of
from schema.selection import Info, selection
from schema.tasksets import (
    Taskset,
    TasksetConnection,
    TasksetRevision,
    connect_tasksets,
    present_revision,
    present_taskset,
)
from storage.records import TASKSET


@strawberry.type
class TasksetQueries:
    @strawberry.field(description="A taskset by its name; null where it is unknown or unreadable.")
    async def taskset(
        self,
        info: Info,
        name: Annotated[str, strawberry.argument(description="The name of the taskset.")],
        workspace: WorkspaceName = DEFAULT_WORKSPACE,
    ) -> Taskset | None:
        find = shared.head_with_latest if selection(info).has("latest") else shared.head
        head = await find(info.context, TASKSET, workspace, name)
        return None if head is None else present_taskset(head)

    @strawberry.field(description="The tasksets of a workspace.")
    async def tasksets(
        self,
        info: Info,
        workspace: WorkspaceName = DEFAULT_WORKSPACE,
        filter: Annotated[
            TasksetFilter | None, strawberry.argument(description="Which tasksets; absent means all.")
        ] = strawberry.UNSET,
        order_by: Annotated[
            DefinitionOrder | None, strawberry.argument(description="The order; absent means oldest first.")
        ] = strawberry.UNSET,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        last: Last = strawberry.UNSET,
        before: Before = strawberry.UNSET,
        offset: Offset = strawberry.UNSET,
    ) -> TasksetConnection:
        wanted = head_filter(filter)
        asked = request(first, after, last, before, offset)
        page = await shared.heads(info.context, TASKSET, workspace, wanted, order_of(order_by), asked)
        count = partial(shared.count_heads, info.context, TASKSET, workspace, wanted)
        return await connect_tasksets(info, page, count)

    @strawberry.field(
        description="A taskset's revision by reference: `name`, `workspace/name`, `name#tag`, `workspace/name#digest`."
    )
    async def taskset_revision(
        self,
        info: Info,
        ref: Annotated[str, strawberry.argument(description="The reference; without a fragment it means the latest.")],
        workspace: HomeWorkspace = DEFAULT_WORKSPACE,
    ) -> TasksetRevision | None:
        record = await reading(shared.by_reference(info.context, TASKSET, ref, workspace), "ref")
        return None if record is None else present_revision(record)
