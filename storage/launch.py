"""Launching a private mongod, with its watchdog, on a data directory.

It needs no driver: mongod boots while that is still imported.
"""

import contextlib
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from storage import data_dir as directories
from storage.local_socket import make_socket_directory, socket_path
from storage.mongod_binary import find_mongod

SET_NAME = "pinset"
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
_WATCHDOG = Path(__file__).with_name("watchdog.py")


@dataclass(frozen=True, slots=True)
class Launched:
    """A mongod that boots: its watchdog, the socket it will listen on, its program, its log, and when that began."""

    watchdog: subprocess.Popen[bytes]
    address: Path
    binary: Path
    log: Path
    began: float

    def stop(self, *, orderly: bool = True) -> None:
        """End mongod, in good order or at once, and wait until it is gone. Harmless when it has ended already."""
        watchdog = self.watchdog
        if watchdog.stdin is not None and not watchdog.stdin.closed:
            with contextlib.suppress(BrokenPipeError), watchdog.stdin as pipe:
                pipe.write(b"stop" if orderly else b"")
        watchdog.wait()
        if watchdog.stdout is not None:
            watchdog.stdout.close()


async def launch(data_dir: Path, *, mongod: Path | None = None, cache_gigabytes: float | None = None) -> Launched:
    """Start mongod on `data_dir`, created where it is missing.

    Unless given, `mongod` is looked for and `cache_gigabytes` is 1, or 0.25 on a machine with less than 4 GB.
    mongod ends with this process, even if that is killed. Raises StartupFailure: the directory is in use, or there is
    no mongod.
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
        return Launched(_spawn(command, lock, address, log), address, binary, log, began)
    finally:
        # The watchdog and mongod keep the lock; a process forked from this one must not.
        os.close(lock)


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
