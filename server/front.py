"""What stands before the router: `/graphql`, where nearly all requests go, has no use for its layers."""

from dataclasses import dataclass
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

GRAPHQL_PATH: Final = "/graphql"


@dataclass(frozen=True, slots=True)
class Front:
    """Hands what comes for `/graphql` to the view of its kind, which answers whatever happens; the rest is routed."""

    http: ASGIApp
    websocket: ASGIApp
    router: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        await self._app(scope)(scope, receive, send)

    def _app(self, scope: Scope) -> ASGIApp:
        if scope.get("path") != GRAPHQL_PATH:
            return self.router
        return {"http": self.http, "websocket": self.websocket}.get(scope["type"], self.router)
