"""Running the application: the socket, the database, the event loop, and an orderly end.

The server runs inside our own event loop rather than uvicorn's `run`, so that MongoDB outlives the last request and a
failure to start is one sentence.
"""

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Final

import structlog
import uvicorn
from pydantic import SecretStr
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from domain.errors import StartupFailure
from domain.limits import MAX_BODY_BYTES
from evaluation.sweeper import Sweeper
from interop.harbor import verify_archive
from schema.build import build_schema
from server.app import Application, create_app
from server.children import worker_beside
from server.early import Starting
from server.haste import settle
from server.settings import Settings
from server.telemetry import Tracer, start_tracing
from storage import local
from storage.driver import check_server, connect
from storage.services import Services, open_services

new_event_loop: Callable[[], asyncio.AbstractEventLoop] | None
try:
    from uvloop import new_event_loop
except ImportError:  # it is not made for Windows, where the standard loop serves
    new_event_loop = None

log = structlog.get_logger("pinset.serving")

# Long enough for the longest operation, short enough for the patience of an orchestrator.
GRACE_SECONDS: Final = 35
KEEP_ALIVE_SECONDS: Final = 65

Announce = Callable[[str, bool], None]


def run(settings: Settings, announce: Announce, listener: socket.socket, starting: Starting | None) -> None:
    """Serve until a signal comes; `announce(url, is_new)` is called once it answers. Raises StartupFailure.

    `starting` is a private MongoDB on its way, where the settings name none.
    """
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(serve(settings, announce, listener, starting))


async def serve(
    settings: Settings, announce: Announce, listener: socket.socket, starting: Starting | None = None
) -> None:
    """As `run`, within a running event loop."""
    with contextlib.closing(listener):
        tracer = start_tracing(settings.otel_endpoint)
        schema = build_schema()
        async with mongodb_url(settings, starting) as url:
            settings = settings.model_copy(update={"mongodb_url": SecretStr(url)})
            ready = asyncio.Event()
            opened = open_database(settings, tracer, is_prepared=starting is not None)
            async with opened as services, worker_beside(settings, url, ready):
                services.shared(Sweeper).start()
                application = create_app(settings, services, schema, tracer=tracer)
                _warn(settings)
                settle()
                is_new = await services.database["tasks"].find_one({}, {"_id": 1}) is None
                address = _url(settings, listener)

                def answers() -> None:
                    announce(address, is_new)
                    ready.set()

                server = Server(application, answers, settings.trusted_proxies)
                await server.serve(sockets=[listener])


@contextlib.asynccontextmanager
async def open_database(
    settings: Settings, tracer: Tracer | None = None, *, is_prepared: bool = False
) -> AsyncIterator[Services]:
    """The services over the database of the settings, which may have been prepared a moment ago.

    Raises StartupFailure where it cannot be used.
    """
    async with mongodb_url(settings) as url:
        client = connect(url, timeout_seconds=settings.mongodb_timeout_seconds, observer=tracer)
        try:
            await check_server(client)
            services = await open_services(
                client, settings.database, settings.quotas, verify_archive, is_prepared=is_prepared
            )
            try:
                yield services
            finally:
                await services.close()
        finally:
            client.close()
            if tracer is not None:
                await asyncio.to_thread(tracer.close)


@contextlib.asynccontextmanager
async def mongodb_url(settings: Settings, starting: Starting | None = None) -> AsyncIterator[str]:
    """The MongoDB to use: that of the settings, that of a server on the same data, else one that ends with the body."""
    running = None if starting is not None else _running(settings)
    if running is not None:
        yield running
        return
    if starting is None:
        mongodb = await local.start(settings.data_dir, mongod=settings.mongod)
    else:
        mongodb = await asyncio.wrap_future(starting)
    try:
        yield mongodb.url
    finally:
        await mongodb.stop()


def _running(settings: Settings) -> str | None:
    if settings.mongodb_url is not None:
        return settings.mongodb_url.get_secret_value()
    try:
        return local.attach(settings.data_dir)
    except StartupFailure:
        return None


class Server(uvicorn.Server):
    """uvicorn, told when it is ready, and closing streams with a code of ours before it closes connections."""

    def __init__(self, application: Application, ready: Callable[[], None], proxies: Sequence[str] = ()) -> None:
        super().__init__(
            uvicorn.Config(
                application.asgi,
                http=HttpToolsProtocol,
                ws=WebSocketsSansIOProtocol,
                ws_max_size=MAX_BODY_BYTES,
                ws_per_message_deflate=False,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=bool(proxies),
                forwarded_allow_ips=list(proxies),
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self.application = application
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams, then connections."""
        log.info("stopping")
        await self.application.close_streams()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """The first signal ends the server in order, the second at once; neither is raised again afterwards."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    def _stop(self) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True


def _warn(settings: Settings) -> None:
    if settings.auth_mode == "open" and not settings.is_local:
        log.warning("everybody who reaches this address may do everything", host=settings.host, auth="open")
    if settings.auth_mode == "tokens" and settings.admin_token is None:
        log.warning("no PINSET_ADMIN_TOKEN is set: only tokens made before will be accepted")


def _url(settings: Settings, listener: socket.socket) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{listener.getsockname()[1]}/graphql"
