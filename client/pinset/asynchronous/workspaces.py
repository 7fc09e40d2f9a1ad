"""Workspaces."""

from collections.abc import AsyncIterator

from pinset.asynchronous.pages import every
from pinset.errors import not_found, raise_for
from pinset.generated.client import AsyncGeneratedClient
from pinset.generated.input_types import CreateWorkspaceInput
from pinset.generated.list_workspaces import ListWorkspacesWorkspaces
from pinset.models import CountedWorkspace, Workspace, WorkspaceRow


class Workspaces:
    """Namespaces; every record is addressed `workspace/name`."""

    def __init__(self, api: AsyncGeneratedClient) -> None:
        self._api = api

    async def create(self, name: str, description: str | None = None) -> Workspace:
        """Create a workspace. Raises AlreadyExists."""
        given = CreateWorkspaceInput.model_validate({"name": name, "description": description})
        payload = (await self._api.create_workspace(given)).create_workspace
        raise_for(payload.errors)
        assert payload.workspace is not None
        return payload.workspace

    async def retrieve(self, name: str = "default") -> CountedWorkspace:
        """One workspace with its counts. Raises NotFound."""
        found = (await self._api.get_workspace(name)).workspace
        if found is None:
            raise not_found(f"The workspace {name!r}")
        return found

    async def list(self, page_size: int = 100) -> AsyncIterator[WorkspaceRow]:
        """All workspaces that may be read."""

        async def fetch(after: str | None, first: int) -> ListWorkspacesWorkspaces:
            return (await self._api.list_workspaces(first, after)).workspaces

        async for row in every(fetch, page_size):
            yield row
