"""Who asks and what they may do: the one place where a permission is decided."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from domain.errors import ErrorCode, NotFound, Path, Refused


class Scope(StrEnum):
    """What a grant allows; ADMIN includes the others."""

    READ = "READ"
    WRITE = "WRITE"
    RUN = "RUN"
    ADMIN = "ADMIN"


EVERY_WORKSPACE: Final = "*"


@dataclass(frozen=True, slots=True)
class Grant:
    """Scopes on one workspace, or on all of them (`*`)."""

    workspace: str
    scopes: frozenset[Scope]


@dataclass(frozen=True, slots=True)
class Viewer:
    """An authenticated caller: its name for logs and `createdBy`, and its grants."""

    name: str
    grants: tuple[Grant, ...]

    def may(self, scope: Scope, workspace: str) -> bool:
        """Whether any grant gives the scope on the workspace; every scope includes READ, ADMIN includes all."""
        return any(
            grant.workspace in (workspace, EVERY_WORKSPACE)
            and (scope in grant.scopes or Scope.ADMIN in grant.scopes or (scope is Scope.READ and grant.scopes))
            for grant in self.grants
        )

    def reads(self, workspace: str) -> bool:
        """Whether the workspace exists for this viewer at all."""
        return self.may(Scope.READ, workspace)

    def readable_workspaces(self) -> list[str] | None:
        """The workspaces that exist for this viewer; None means all."""
        names = [grant.workspace for grant in self.grants if grant.scopes]
        return None if EVERY_WORKSPACE in names else names


EVERYTHING: Final = (Grant(EVERY_WORKSPACE, frozenset(Scope)),)
OPEN_VIEWER: Final = Viewer("anonymous", EVERYTHING)


def require(viewer: Viewer, scope: Scope, workspace: str, path: Path = ("input", "workspace")) -> None:
    """Let the viewer pass or raise: NotFound without READ (it does not exist), Refused FORBIDDEN without the scope."""
    if not viewer.reads(workspace):
        raise NotFound(f"There is no workspace '{workspace}'.", path, ref=workspace)
    if not viewer.may(scope, workspace):
        raise Refused(
            f"Your token lacks the scope {scope.value} on workspace '{workspace}'; ask for one that has it.",
            path,
            ErrorCode.FORBIDDEN,
        )
