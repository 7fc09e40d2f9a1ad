"""Who asks and what they may do: the one place where a permission is decided."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain.errors import ErrorCode, Forbidden, NotFound, Path, Refused
from domain.grants import EVERY_WORKSPACE, Grant, Scope

__all__ = [
    "EVERYTHING",
    "EVERY_WORKSPACE",
    "OPEN_VIEWER",
    "Grant",
    "Scope",
    "Viewer",
    "administered",
    "missing_workspace",
    "require",
]


@dataclass(frozen=True, slots=True)
class Viewer:
    """An authenticated caller: its name for logs and `createdBy`, and its grants.

    `token` is the id of the stored token behind it, and `expires_at` when that ends; the admin token has neither.
    """

    name: str
    grants: tuple[Grant, ...]
    token: str | None = None
    expires_at: datetime | None = None

    def may(self, scope: Scope, workspace: str) -> bool:
        """Whether any grant gives the scope on the workspace; every scope includes READ, ADMIN includes all."""
        return any(
            grant.workspace in (workspace, EVERY_WORKSPACE)
            and (scope in grant.scopes or Scope.ADMIN in grant.scopes or (scope is Scope.READ and bool(grant.scopes)))
            for grant in self.grants
        )

    def reads(self, workspace: str) -> bool:
        """Whether the workspace exists for this viewer at all."""
        return self.may(Scope.READ, workspace)

    def readable_workspaces(self) -> list[str] | None:
        """The workspaces that exist for this viewer; None means all."""
        return self._workspaces(frozenset(Scope))

    def administered_workspaces(self) -> list[str] | None:
        """The workspaces on which this viewer has ADMIN; None means all."""
        return self._workspaces(frozenset({Scope.ADMIN}))

    def _workspaces(self, any_of: frozenset[Scope]) -> list[str] | None:
        names = [grant.workspace for grant in self.grants if grant.scopes & any_of]
        return None if EVERY_WORKSPACE in names else names


EVERYTHING: Final = (Grant(EVERY_WORKSPACE, frozenset(Scope)),)
OPEN_VIEWER: Final = Viewer("anonymous", EVERYTHING)


def require(viewer: Viewer, scope: Scope, workspace: str, path: Path = ("workspace",)) -> None:
    """Let the viewer pass or raise: NotFound without READ (it does not exist), Refused FORBIDDEN without the scope."""
    if workspace != EVERY_WORKSPACE and not viewer.reads(workspace):
        raise missing_workspace(workspace, path)
    if not viewer.may(scope, workspace):
        place = "all workspaces" if workspace == EVERY_WORKSPACE else f"the workspace '{workspace}'"
        raise Refused(
            f"Your token lacks the scope {scope.value} on {place}; ask for one that has it.", path, ErrorCode.FORBIDDEN
        )


def missing_workspace(workspace: str, path: Path = ("workspace",)) -> NotFound:
    """The error for a workspace that is absent, and, to the letter, for one that may not be read."""
    return NotFound(f"There is no workspace {workspace!a}; create it first.", path, ref=workspace)


def administered(viewer: Viewer, what: str) -> list[str] | None:
    """The workspaces whose `what` the viewer may list; None means all. Raises Forbidden where there are none."""
    names = viewer.administered_workspaces()
    if names == []:
        raise Forbidden(f"Your token may not list {what}: that needs the scope ADMIN.")
    return names
