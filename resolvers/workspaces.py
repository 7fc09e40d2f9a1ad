"""Workspaces: find, list, count, create."""

from typing import Final, Literal

from domain.canonical import check_json
from domain.errors import InvalidInput, Path
from domain.limits import MAX_DESCRIPTION_LENGTH
from domain.names import check_name
from resolvers.access import EVERY_WORKSPACE, Scope, missing_workspace, require
from resolvers.context import Context
from storage import workspaces as storage
from storage.pages import PageRequest
from storage.records import Page, WorkspaceRecord

Counted = Literal["tasks", "tasksets", "metrics", "jobs"]
_LISTED: Final[dict[str, object]] = {"isRetired": False}


async def workspace(context: Context, name: str) -> WorkspaceRecord | None:
    """The workspace of this name; None where it does not exist for the viewer."""
    if not context.viewer.reads(name):
        return None
    return await storage.find(context.services.database, name)


async def workspaces(context: Context, page: PageRequest) -> Page[WorkspaceRecord]:
    """The workspaces that the viewer may read, by name."""
    return await storage.page(context.services.database, context.viewer.readable_workspaces(), page)


async def count_workspaces(context: Context) -> int:
    """How many workspaces the viewer may read."""
    return await storage.count(context.services.database, context.viewer.readable_workspaces())


async def count(context: Context, workspace_name: str, what: Counted) -> int:
    """How many listed records of one kind a workspace has; retired metrics are not listed."""
    if not context.viewer.reads(workspace_name):
        return 0
    query: dict[str, object] = {"workspace": workspace_name}
    if what == "metrics":
        query |= _LISTED
    return int(await context.services.database[what].count_documents(query))


async def create_workspace(context: Context, name: str, description: str | None) -> WorkspaceRecord:
    """Store a new workspace; needs ADMIN on every workspace. Raises InvalidInput, AlreadyExists, Refused."""
    require(context.viewer, Scope.ADMIN, EVERY_WORKSPACE, ("name",))
    check_name(name, ("name",), "workspace name")
    check_description(description)
    services = context.services
    return await storage.create(services.database, services.transactions, name, description)


def check_description(description: str | None, path: Path = ("description",)) -> None:
    """Refuse a description over 1,000 characters or with broken Unicode. Raises InvalidInput."""
    check_json(description, path)
    if description is not None and len(description) > MAX_DESCRIPTION_LENGTH:
        raise InvalidInput(
            f"A description has at most {MAX_DESCRIPTION_LENGTH} characters; this one has {len(description)}.", path
        )


async def writable(context: Context, name: str, scope: Scope = Scope.WRITE) -> None:
    """Let a write to a workspace pass: it exists and the viewer has the scope. Raises NotFound, Refused."""
    require(context.viewer, scope, name)
    known = context.services.known_workspaces
    if name in known:
        return
    if await storage.find(context.services.database, name) is None:
        raise missing_workspace(name)
    known.add(name)
