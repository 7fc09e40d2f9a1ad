"""MongoDB for one machine: a private mongod, a replica set of one, reachable through a Unix socket only."""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import structlog

from domain.errors import StartupFailure
from storage import data_dir as directories
from storage.driver import PyMongoError
from storage.local_socket import accepts, make_socket_directory, socket_path, url_of
from storage.mongod_binary import explain_exit, find_mongod
from storage.replica_set import SET_NAME, make_primary

OPLOG_MEGABYTES = 1024
TRANSACTION_LIFETIME_SECONDS = 20
GIBIBYTE = 1024**3
_ENGINE = (
    # Small journal files, made when needed: a new data directory has 40 MB, not 300, and opens sooner.
    "log=(prealloc=false,file_max=32MB)",
    # What a transaction writes stays in the cache until it commits: a sync of 10,000 tasks takes 60 MB there, and would
    # be rolled back at the default of 20 % of a small cache.
    "eviction_dirty_target=10,eviction_dirty_trigger=60,eviction_updates_target=10,eviction_updates_trigger=60",
)
_POLL_SECONDS = 0.005
_WATCHDOG = Path(__file__).with_name("watchdog.py")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LocalMongoDB:
    """A running MongoDB: the URL to connect to, mongod's process id, and the watchdog that ends it."""

    url: str
    pid: int
    watchdog: subprocess.Popen[bytes]

    @property
    def is_running(self) -> bool:
        """Whether mongod is still there; it ends by itself only when it crashes or is killed."""
        return self.watchdog.poll() is None

    async def stop(self) -> None:
        """End mongod in good order and wait until it is gone. Harmless when it has ended already."""
        await asyncio.to_thread(_stop, self.watchdog)


async def start(
    data_dir: Path,
    *,
    mongod: Path | None = None,
    cache_gigabytes: float | None = None,
    timeout_seconds: float = 60.0,
) -> LocalMongoDB:
    """Start MongoDB on `data_dir`, created where it is missing, and return once it can be written to.

    Unless given, `mongod` is looked for and `cache_gigabytes` is 1, or 0.25 on a machine with less than 4 GB.
    mongod ends with this process, even if that is killed. Raises StartupFailure: the directory is in use, or
    mongod cannot run.
    """
    began = time.monotonic()
    data_dir = directories.prepare(data_dir)
    binary = find_mongod(mongod)
    address = socket_path(data_dir)
    lock = await directories.lock(data_dir, timeout_seconds=10.0)
    try:
        make_socket_directory(address)
        log = _rotated_log(data_dir)
        command = _command(binary, data_dir, address, cache_gigabytes or _default_cache_gigabytes())
        watchdog = _spawn(command, lock, address, log)
    finally:
        # The watchdog and mongod keep the lock; a process forked from this one must not.
        os.close(lock)
    try:
        local = await _until_writable(watchdog, address, binary, log, began + timeout_seconds)
    except BaseException:
        await asyncio.shield(asyncio.to_thread(_stop, watchdog, orderly=False))
        raise
    _log.info("local_mongodb_started", pid=local.pid, seconds=round(time.monotonic() - began, 3))
    return local


def attach(data_dir: Path) -> str:
    """The URL of the MongoDB that a server started on `data_dir`. Raises StartupFailure where none runs."""
    return url_of(Path(directories.holder_of(data_dir.expanduser().resolve()).socket))


async def _until_writable(
    watchdog: subprocess.Popen[bytes], address: Path, binary: Path, log: Path, deadline: float
) -> LocalMongoDB:
    def still_runs() -> None:
        if (status := watchdog.poll()) is not None:
            raise StartupFailure(explain_exit(binary, status, log))

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
    assert watchdog.stdout is not None
    return LocalMongoDB(url=url, pid=int(watchdog.stdout.readline()), watchdog=watchdog)


def _spawn(command: list[str], lock: int, address: Path, log: Path) -> subprocess.Popen[bytes]:
    """The watchdog, in a session of its own so that Ctrl-C reaches the server alone."""
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(_WATCHDOG), str(lock), str(address), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            pass_fds=(lock,),
            start_new_session=True,
        )


def _stop(watchdog: subprocess.Popen[bytes], *, orderly: bool = True) -> None:
    if watchdog.stdin is not None and not watchdog.stdin.closed:
        with contextlib.suppress(BrokenPipeError), watchdog.stdin as pipe:
            pipe.write(b"stop" if orderly else b"")
    watchdog.wait()
    if watchdog.stdout is not None:
        watchdog.stdout.close()


def _command(binary: Path, data_dir: Path, address: Path, cache_gigabytes: float) -> list[str]:
    database_path = data_dir / "mongodb"
    database_path.mkdir(mode=0o700, exist_ok=True)
    return [
        str(binary),
        *("--dbpath", str(database_path)),
        *("--replSet", SET_NAME),
        *("--bind_ip", str(address)),
        "--nounixsocket",
        *("--filePermissions", "0700"),
        *("--networkMessageCompressors", "disabled"),
        *("--wiredTigerCacheSizeGB", f"{cache_gigabytes:g}"),
        *("--oplogSize", str(OPLOG_MEGABYTES)),
        *("--wiredTigerEngineConfigString", ",".join(_ENGINE)),
        *("--slowms", "1000"),
        "--quiet",
        *("--setParameter", "diagnosticDataCollectionEnabled=false"),
        # What a killed process had begun blocks its records for so long; MongoDB's own minute is more than we need.
        *("--setParameter", f"transactionLifetimeLimitSeconds={TRANSACTION_LIFETIME_SECONDS}"),
        # Nobody is left to wait for: the server has stopped before its MongoDB does.
        *("--setParameter", "shutdownTimeoutMillisForSignaledShutdown=0"),
    ]


def _rotated_log(data_dir: Path) -> Path:
    """The file for mongod's output; that of the run before is kept beside it."""
    log = data_dir / "mongod.log"
    if log.exists():
        log.replace(data_dir / "mongod.log.1")
    log.touch(mode=0o600)
    return log


def _default_cache_gigabytes() -> float:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 0.25 if memory < 4 * GIBIBYTE else 1.0
