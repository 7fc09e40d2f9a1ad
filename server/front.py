"""What stands before the router: `/graphql` over HTTP, where nearly all requests go, has no use for its layers."""

from dataclasses import dataclass
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

GRAPHQL_PATH: Final = "/graphql"


@dataclass(frozen=True, slots=True)
class Front:
    """Hands requests for `/graphql` to their view, which answers whatever happens, and all others to the router."""

    graphql: ASGIApp
    router: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        is_graphql = scope["type"] == "http" and scope["path"] == GRAPHQL_PATH
        await (self.graphql if is_graphql else self.router)(scope, receive, send)
