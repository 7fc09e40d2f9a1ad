"""The composition root: where the rooms meet to become one application."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from resolvers.access import Viewer
from resolvers.context import Context
from schema.build import Schema
from schema.execution.engine import Engine
from server import documents, ide
from server.auth import Authenticator, OpenAuthenticator, TokenAuthenticator
from server.blobs import BLOB_METHODS, BlobView
from server.bodies import HttpProblem
from server.drain import Drain
from server.front import GRAPHQL_PATH, Front
from server.health import Metrics, Ping, Readiness, alive
from server.hosts import HostGuard
from server.http import GraphQLView, problem_response
from server.operations import ContextFactory, Operations
from server.rate import RateLimiter
from server.settings import Settings
from server.sockets import SocketView
from server.telemetry import Telemetry, Tracer
from storage.services import Services


@dataclass(slots=True)
class Application:
    """The ASGI application, and the handles that its server needs."""

    asgi: ASGIApp
    operations: Operations
    sockets: SocketView
    drain: Drain = field(default_factory=Drain)

    async def close_streams(self) -> None:
        """End every subscription with a close code that makes its client connect again elsewhere."""
        self.drain.begin()
        await self.sockets.close_all()


def create_app(
    settings: Settings,
    services: Services,
    schema: Schema,
    authenticator: Authenticator | None = None,
    tracer: Tracer | None = None,
) -> Application:
    """The application over open services. Raises StartupFailure where the settings contradict each other."""

    def make_context(viewer: Viewer, request_id: str | None, address: str | None) -> Context:
        return Context(services, viewer, request_id, address)

    async def ping() -> None:
        await services.client.admin.command("ping")

    authenticator = authenticator or _authenticator(settings, services)
    return assemble(settings, schema, make_context, ping, authenticator, Telemetry(tracer))


def assemble(
    settings: Settings,
    schema: Schema,
    make_context: ContextFactory,
    ping: Ping,
    authenticator: Authenticator | None = None,
    telemetry: Telemetry | None = None,
) -> Application:
    """The application around any schema; `make_context` gives every operation a context of its own."""
    engine = Engine(schema, introspection=settings.introspection, suggestions=settings.suggestions)
    trusted = documents.load(settings.trusted_documents, only=settings.only_trusted)
    limiter = RateLimiter(settings.rate_limit, settings.rate_burst)
    authenticator = authenticator or _authenticator(settings)
    operations = Operations(engine, authenticator, trusted, make_context, telemetry or Telemetry(), limiter)
    drain = Drain()
    sockets = SocketView(operations)
    page = settings.introspection and not settings.only_trusted
    graphql = GraphQLView(operations, drain, page)
    routes = [
        # Never reached by its own path; the router leads `/graphql/` there.
        Route(GRAPHQL_PATH, graphql),
        Route("/blobs/{digest}", BlobView(operations).respond, methods=BLOB_METHODS),
        Route("/healthz", alive),
        Route("/readyz", Readiness(ping).respond),
        Route("/metrics", Metrics(operations.telemetry, operations.authenticator).respond),
        *([Mount("/static", ide.files())] if page else []),
    ]

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with sockets.watching():
            yield
        await engine.drain()

    router = Starlette(routes=routes, exception_handlers={HTTPException: _as_json}, lifespan=lifespan)
    return Application(_guarded(Front(graphql, sockets, router), settings), operations, sockets, drain)


def _guarded(app: ASGIApp, settings: Settings) -> ASGIApp:
    if settings.allowed_origins:
        app = CORSMiddleware(
            app,
            allow_origins=settings.allowed_origins,
            allow_methods=("GET", "POST", "PUT"),
            allow_headers=("authorization", "content-type", "x-request-id", "accept"),
            expose_headers=("x-request-id",),
        )
    return HostGuard(app, settings.hosts, settings.allowed_origins)


def _authenticator(settings: Settings, services: Services | None = None) -> Authenticator:
    if settings.auth_mode == "open":
        return OpenAuthenticator()
    return TokenAuthenticator(settings.admin_token.get_secret_value() if settings.admin_token else None, services)


def _as_json(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = {404: "There is nothing at this path; the API is at /graphql."}.get(error.status_code, error.detail)
    problem = HttpProblem(error.status_code, "NOT_FOUND" if error.status_code == 404 else "HTTP_ERROR", message)
    problem.headers.update(error.headers or {})
    return problem_response(problem)
