"""The data directory of a local MongoDB, and who uses it.

`<data-dir>/lock` is locked from before mongod starts until it is gone, because a second mongod replaces the
first one's socket before it notices that the data is in use. The file names the server's process id and the
socket.
"""

import asyncio
import fcntl
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from domain.errors import StartupFailure
from storage.local_socket import socket_path


@dataclass(frozen=True, slots=True)
class LockFile:
    """What `<data-dir>/lock` says: the server's process id and the path of mongod's socket."""

    pid: int
    socket: str


def prepare(data_dir: Path) -> Path:
    """The data directory, absolute and existing. Raises StartupFailure."""
    try:
        data_dir.expanduser().mkdir(mode=0o700, parents=True, exist_ok=True)
        return data_dir.expanduser().resolve(strict=True)
    except OSError as error:
        raise StartupFailure(
            f"The data directory {data_dir} cannot be created: {error.strerror}. Name another with --data-dir."
        ) from error


async def lock(data_dir: Path, *, timeout_seconds: float) -> int:
    """An open file descriptor that holds the lock of `data_dir` and names this process and its socket.

    Waits up to `timeout_seconds` for the mongod of a server that died a moment ago. Raises StartupFailure, at
    once where the server is alive.
    """
    descriptor = _open(data_dir / "lock")
    deadline = time.monotonic() + timeout_seconds
    while not _try_lock(descriptor, fcntl.LOCK_EX):
        holder = _read(data_dir)
        if (holder and _is_alive(holder.pid)) or time.monotonic() > deadline:
            os.close(descriptor)
            raise StartupFailure(_in_use(data_dir, holder))
        await asyncio.sleep(0.05)
    os.ftruncate(descriptor, 0)
    text = json.dumps({"pid": os.getpid(), "socket": str(socket_path(data_dir))})
    os.pwrite(descriptor, text.encode(), 0)
    return descriptor


def holder_of(data_dir: Path) -> LockFile:
    """The server that uses `data_dir` now. Raises StartupFailure where none does."""
    try:
        descriptor = os.open(data_dir / "lock", os.O_RDONLY)
    except OSError:
        raise StartupFailure(_nobody(data_dir)) from None
    try:
        # The text alone proves nothing: a copied directory names the original's socket.
        holder = None if _try_lock(descriptor, fcntl.LOCK_SH) else _read(data_dir)
    finally:
        os.close(descriptor)
    if holder is None:
        raise StartupFailure(_nobody(data_dir))
    return holder


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StartupFailure(
            f"The data directory {path.parent} cannot be written: {error.strerror}. Name another with --data-dir."
        ) from error


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(data_dir: Path) -> LockFile | None:
    try:
        content = json.loads((data_dir / "lock").read_text())
        return LockFile(pid=int(content["pid"]), socket=str(content["socket"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _in_use(data_dir: Path, holder: LockFile | None) -> str:
    by = f"in use by pid {holder.pid}" if holder else "in use by another process"
    return (
        f"The data directory {data_dir} is {by}. Stop that server first, "
        "name another directory with --data-dir, or share one MongoDB through PINSET_MONGODB_URL."
    )


def _nobody(data_dir: Path) -> str:
    return (
        f"No server runs on the data directory {data_dir}. Start `pinset serve` there first, "
        "name its directory with --data-dir, or set PINSET_MONGODB_URL."
    )
