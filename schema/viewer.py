"""Who asks."""

from collections.abc import Iterable

import strawberry

from domain import grants
from schema.enums import Scope
from schema.selection import Info


@strawberry.type(description="What a token may do in one workspace, or in all of them.")
class Grant:
    workspace: str = strawberry.field(description="The workspace; `*` means all, future ones included.")
    scopes: list[Scope] = strawberry.field(description="What is allowed there, sorted by name.")


def present_grants(grants: Iterable[grants.Grant]) -> list[Grant]:
    """The GraphQL objects of grants."""
    return [Grant(workspace=grant.workspace, scopes=sorted(grant.scopes)) for grant in grants]


@strawberry.type(description="The caller, as the server sees it.")
class Viewer:
    name: str = strawberry.field(description="The name of the token; `anonymous` where the server asks for none.")
    grants: list[Grant] = strawberry.field(description="What the caller may do.")


@strawberry.type
class ViewerQueries:
    @strawberry.field(description="Who is asking, and what they may do.")
    def viewer(self, info: Info) -> Viewer:
        viewer = info.context.viewer
        return Viewer(name=viewer.name, grants=present_grants(viewer.grants))
