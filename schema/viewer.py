"""Who asks."""

from __future__ import annotations

import strawberry

from schema.enums import Scope
from schema.selection import Info


@strawberry.type(description="What a token may do in one workspace, or in all of them.")
class Grant:
    workspace: str = strawberry.field(description="The workspace; `*` means all, future ones included.")
    scopes: list[Scope] = strawberry.field(description="What is allowed there, sorted by name.")


@strawberry.type(description="The caller, as the server sees it.")
class Viewer:
    name: str = strawberry.field(description="The name of the token; `anonymous` where the server asks for none.")
    grants: list[Grant] = strawberry.field(description="What the caller may do.")


@strawberry.type
class ViewerQueries:
    @strawberry.field(description="Who is asking, and what they may do.")
    def viewer(self, info: Info) -> Viewer:
        viewer = info.context.viewer
        grants = [Grant(workspace=grant.workspace, scopes=sorted(grant.scopes)) for grant in viewer.grants]
        return Viewer(name=viewer.name, grants=grants)
