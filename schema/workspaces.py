"""Workspaces."""

from datetime import datetime
from functools import partial
from typing import Annotated

import strawberry

from domain.names import DEFAULT_WORKSPACE
from resolvers import workspaces as use_cases
from schema.connections import After, Connection, Edge, First, connect, request
from schema.errors import UserError, answer, reading
from schema.nodes import Node, global_id, register
from schema.selection import Info
from storage import records


@strawberry.type(description="A namespace: metrics, tasks, tasksets and jobs are addressed as `workspace/name`.")
class Workspace(Node):
    name: str = strawberry.field(
        description="1 to 255 letters, digits, `_`, `-` or `.`; unique. The workspace `default` always exists."
    )
    description: str | None = strawberry.field(description="What the workspace is for, at most 1000 characters.")
    created_at: datetime = strawberry.field(description="When the workspace was created.")

    @strawberry.field(description="How many tasks the workspace has.")
    async def task_count(self, info: Info) -> int:
        return await use_cases.count(info.context, self.name, "tasks")

    @strawberry.field(description="How many tasksets the workspace has.")
    async def taskset_count(self, info: Info) -> int:
        return await use_cases.count(info.context, self.name, "tasksets")

    @strawberry.field(description="How many metrics the workspace has, retired ones aside.")
    async def metric_count(self, info: Info) -> int:
        return await use_cases.count(info.context, self.name, "metrics")

    @strawberry.field(description="How many jobs the workspace has, ended ones included.")
    async def job_count(self, info: Info) -> int:
        return await use_cases.count(info.context, self.name, "jobs")


@strawberry.type(description="One workspace of a page.")
class WorkspaceEdge(Edge[Workspace]):
    pass


@strawberry.type(description="A page of workspaces.")
class WorkspaceConnection(Connection[Workspace, WorkspaceEdge]):
    edge_type = WorkspaceEdge


def present_workspace(record: records.WorkspaceRecord) -> Workspace:
    """The GraphQL object of a stored workspace."""
    return Workspace(
        id=global_id("Workspace", record.id),
        name=record.name,
        description=record.description,
        created_at=record.created_at,
    )


register("Workspace", present_workspace)


@strawberry.type
class WorkspaceQueries:
    @strawberry.field(description="A workspace by its name; null where it is unknown or unreadable.")
    async def workspace(
        self,
        info: Info,
        name: Annotated[str, strawberry.argument(description="The name of the workspace.")] = DEFAULT_WORKSPACE,
    ) -> Workspace | None:
        record = await reading(use_cases.workspace(info.context, name), "name")
        return None if record is None else present_workspace(record)

    @strawberry.field(description="The workspaces that the token may read, sorted by name.")
    async def workspaces(self, info: Info, first: First = 100, after: After = strawberry.UNSET) -> WorkspaceConnection:
        page = await use_cases.workspaces(info.context, request(first, after))
        count = partial(use_cases.count_workspaces, info.context)
        return connect(WorkspaceConnection, page, present_workspace, count)


@strawberry.input(description="A workspace to create.")
class CreateWorkspaceInput:
    name: str = strawberry.field(
        description="1 to 255 letters, digits, `_`, `-` or `.`, and not `.` or `..`; it cannot be changed later."
    )
    description: str | None = strawberry.field(description="What the workspace is for, at most 1000 characters.")


@strawberry.type(description="What `createWorkspace` did.")
class CreateWorkspacePayload:
    workspace: Workspace | None = strawberry.field(default=None, description="The new workspace; null on errors.")
    errors: list[UserError] = strawberry.field(
        default_factory=list, description="Why nothing was created; empty on success."
    )


@strawberry.type
class WorkspaceMutations:
    @strawberry.mutation(description="Create a workspace. Needs the scope ADMIN on all workspaces.")
    async def create_workspace(
        self,
        info: Info,
        input: Annotated[CreateWorkspaceInput, strawberry.argument(description="The workspace to create.")],
    ) -> CreateWorkspacePayload:
        return await answer(info.context, _create_workspace(info, input), CreateWorkspacePayload)


async def _create_workspace(info: Info, input: CreateWorkspaceInput) -> CreateWorkspacePayload:
    record = await use_cases.create_workspace(info.context, input.name, input.description)
    return CreateWorkspacePayload(workspace=present_workspace(record))
