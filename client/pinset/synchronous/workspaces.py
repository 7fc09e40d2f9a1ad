# Written by client/generate.py; change pinset/asynchronous/workspaces.py instead.
"""Workspaces."""

from collections.abc import Iterator

from pinset.errors import not_found, raise_for
from pinset.generated.input_types import CreateWorkspaceInput
from pinset.generated.list_workspaces import ListWorkspacesWorkspaces
from pinset.models import CountedWorkspace, Workspace, WorkspaceRow
from pinset.synchronous.operations import GeneratedClient
from pinset.synchronous.pages import every


class Workspaces:
    """Namespaces; every record is addressed `workspace/name`."""

    def __init__(self, api: GeneratedClient) -> None:
        self._api = api

    def create(self, name: str, description: str | None = None) -> Workspace:
        """Create a workspace. Raises AlreadyExists."""
        given = CreateWorkspaceInput.model_validate({"name": name, "description": description})
        payload = (self._api.create_workspace(given)).create_workspace
        raise_for(payload.errors)
        assert payload.workspace is not None
        return payload.workspace

    def retrieve(self, name: str = "default") -> CountedWorkspace:
        """One workspace with its counts. Raises NotFound."""
        found = (self._api.get_workspace(name)).workspace
        if found is None:
            raise not_found(f"The workspace {name!r}")
        return found

    def list(self, page_size: int = 100) -> Iterator[WorkspaceRow]:
        """All workspaces that may be read."""

        def fetch(after: str | None, first: int) -> ListWorkspacesWorkspaces:
            return (self._api.list_workspaces(first, after)).workspaces

        for row in every(fetch, page_size):
            yield row
