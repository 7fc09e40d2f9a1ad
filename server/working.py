"""Running a worker: in a process of its own, over the same database as the servers."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator

import structlog
from pydantic import SecretStr

from evaluation.addresses import AddressRules
from evaluation.outgoing import Outgoing
from evaluation.secrets import Secrets
from evaluation.worker import CAPACITY, Worker
from server.logging import configure
from server.serving import new_event_loop, open_database
from server.settings import Settings, load_settings
from storage import local

log = structlog.get_logger("pinset.working")


def run(settings: Settings, capacity: int = CAPACITY, *, is_child: bool = False) -> None:
    """Work until a signal comes; a child also ends when its standard input does. Raises StartupFailure."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(work(settings, capacity, is_child=is_child))


async def work(settings: Settings, capacity: int = CAPACITY, *, is_child: bool = False) -> None:
    """As `run`, within a running event loop."""
    ended = asyncio.Event()
    with _signals(ended.set):
        if is_child:
            await _end_with_input(ended)
        async with open_database(_attached(settings)) as services:
            rules = AddressRules.of(settings.allowed_targets, settings.is_local)
            async with Outgoing(rules, Secrets(os.environ)) as outgoing:
                worker = asyncio.create_task(Worker(services, outgoing, name(), capacity).run())
                await asyncio.wait({worker, asyncio.ensure_future(ended.wait())}, return_when=asyncio.FIRST_COMPLETED)
                worker.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await worker


def _attached(settings: Settings) -> Settings:
    """The settings with the address of the MongoDB that a server started, where none was given."""
    if settings.mongodb_url is not None:
        return settings
    return settings.model_copy(update={"mongodb_url": SecretStr(local.attach(settings.data_dir))})


def name() -> str:
    """How this worker is called where its trials are shown."""
    return f"worker-{socket.gethostname()}-{os.getpid()}"


@contextlib.contextmanager
def _signals(end: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


async def _end_with_input(ended: asyncio.Event) -> None:
    """The server holds the other end of standard input: it closes when the server ends, however that happens."""
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()
    os.set_blocking(descriptor, False)

    def readable() -> None:
        with contextlib.suppress(BlockingIOError):
            if os.read(descriptor, 1024) == b"":
                loop.remove_reader(descriptor)
                ended.set()

    loop.add_reader(descriptor, readable)


def main() -> None:
    """The child process of a server; its settings come from the environment."""
    settings = load_settings()
    configure(settings.log_format, settings.log_level)
    run(settings, is_child=True)


if __name__ == "__main__":
    main()
