"""MongoDB for one machine: a private mongod, a replica set of one, reachable through a Unix socket only."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

import structlog

from domain.errors import StartupFailure
from storage import data_dir as directories
from storage.driver import PyMongoError
from storage.launch import Launched, launch
from storage.local_socket import accepts, url_of
from storage.mongod_binary import explain_exit
from storage.replica_set import make_primary

LONGEST_START_SECONDS = 60.0
_POLL_SECONDS = 0.01
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LocalMongoDB:
    """A running MongoDB: the URL to connect to, mongod's process id, and what ends it."""

    url: str
    pid: int
    launched: Launched

    @property
    def is_running(self) -> bool:
        """Whether mongod is still there; it ends by itself only when it crashes or is killed."""
        return self.launched.watchdog.poll() is None

    async def stop(self) -> None:
        """End mongod in good order and wait until it is gone. Harmless when it has ended already."""
        await asyncio.to_thread(self.launched.stop)


async def start(data_dir: Path, *, mongod: Path | None = None, cache_gigabytes: float | None = None) -> LocalMongoDB:
    """Launch MongoDB and return once it can be written to; the arguments are those of `launch`.

    Raises StartupFailure: the directory is in use, or mongod cannot run.
    """
    return await writable(await launch(data_dir, mongod=mongod, cache_gigabytes=cache_gigabytes))


async def writable(launched: Launched) -> LocalMongoDB:
    """The MongoDB that was launched, once it can be written to. Raises StartupFailure where that fails."""
    try:
        local = await _until_writable(launched, launched.began + LONGEST_START_SECONDS)
    except BaseException:
        await asyncio.shield(asyncio.to_thread(launched.stop, orderly=False))
        raise
    _log.info("local_mongodb_started", pid=local.pid, seconds=round(time.monotonic() - launched.began, 3))
    return local


def attach(data_dir: Path) -> str:
    """The URL of the MongoDB that a server started on `data_dir`. Raises StartupFailure where none runs."""
    return url_of(Path(directories.holder_of(data_dir.expanduser().resolve()).socket))


async def _until_writable(launched: Launched, deadline: float) -> LocalMongoDB:
    address, log = launched.address, launched.log

    def still_runs() -> None:
        if (status := launched.watchdog.poll()) is not None:
            raise StartupFailure(explain_exit(launched.binary, status, log))

    while not accepts(address):
        still_runs()
        if time.monotonic() > deadline:
            raise StartupFailure(f"The local MongoDB did not start in time; {log} says what it is doing.")
        await asyncio.sleep(_POLL_SECONDS)
    url = url_of(address)
    try:
        await make_primary(url, str(address), deadline=deadline, still_runs=still_runs)
    except PyMongoError as error:
        raise StartupFailure(f"The local MongoDB started but does not work: {error}; see {log}.") from error
    assert launched.watchdog.stdout is not None
    return LocalMongoDB(url=url, pid=int(launched.watchdog.stdout.readline()), launched=launched)
