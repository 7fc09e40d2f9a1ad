"""Is the process alive, can it serve, and how is it doing."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from domain.errors import RequestError
from server.auth import Authenticator
from server.telemetry import Telemetry

log = structlog.get_logger("pinset.health")

Ping = Callable[[], Awaitable[None]]


async def alive(_: Request) -> Response:
    """200 while the process runs; nothing else is looked at."""
    return JSONResponse({"status": "ok"})


@dataclass(frozen=True, slots=True)
class Readiness:
    """200 where MongoDB answers, else 503."""

    ping: Ping

    async def respond(self, _: Request) -> Response:
        """Ask MongoDB; why it does not answer goes to the log, not to whoever asks."""
        try:
            await self.ping()
        except Exception as error:
            log.warning("not ready", reason=type(error).__name__)
            return JSONResponse({"status": "unavailable", "mongodb": "unreachable"}, 503)
        return JSONResponse({"status": "ok"})


@dataclass(frozen=True, slots=True)
class Metrics:
    """The numbers of this process for Prometheus."""

    telemetry: Telemetry
    authenticator: Authenticator

    async def respond(self, request: Request) -> Response:
        """The exposition; the same credential as for everything else."""
        try:
            await self.authenticator.authenticate(request.headers.get("authorization"))
        except RequestError as error:
            return JSONResponse({"errors": [{"message": error.message, "extensions": error.extensions}]}, 401)
        return Response(self.telemetry.exposition(), headers={"content-type": CONTENT_TYPE_LATEST})
