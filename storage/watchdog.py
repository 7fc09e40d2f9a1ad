"""Runs mongod for one server and stops it when that server is gone, however it went.

A program of its own, on the standard library alone so that it stands within milliseconds, started as
`python -I -S watchdog.py LOCK_FD SOCKET MONGOD ARGUMENT...`. It is mongod's parent, writes its process id
to standard output, and then waits for the end of mongod or of standard input, a pipe that the server holds
open: anything written there asks for an orderly stop, a bare end means that the server died. A parent-death
signal would not do, it belongs to the forking thread. LOCK_FD keeps the data directory locked until mongod is
gone.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys

ORDERLY_SECONDS = 60.0
ORPHANED_SECONDS = 3.0
LARGEST_LOG_BYTES = 32 * 1024 * 1024
TICK_SECONDS = 1.0


def main(lock: int, socket_path: str, command: list[str]) -> int:
    """Run `command` until it or the server ends; returns mongod's exit status (128 + the signal's number)."""
    woken = _wake_on_signals()
    try:
        mongod = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=sys.stderr, pass_fds=(lock,), start_new_session=True
        )
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        _remove(socket_path)
        return 127
    with contextlib.suppress(BrokenPipeError):
        os.write(sys.stdout.fileno(), f"{mongod.pid}\n".encode())
    status = _stop(mongod, _wait(mongod, woken))
    _remove(socket_path)
    return status


def _wake_on_signals() -> int:
    """Outlive Ctrl-C, and learn of mongod's end at once: a descriptor that is readable after a signal."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        # A handler rather than SIG_IGN, which mongod would inherit.
        signal.signal(number, lambda *_: None)
    return readable


def _wait(mongod: subprocess.Popen[bytes], woken: int) -> float:
    """Returns once mongod or the server has ended: the seconds that mongod may take to stop."""
    server = os.getppid()
    while mongod.poll() is None:
        readable, _, _ = select.select([sys.stdin, woken], [], [], TICK_SECONDS)
        if woken in readable:
            os.read(woken, 64)
        if sys.stdin in readable:
            return ORDERLY_SECONDS if os.read(sys.stdin.fileno(), 1) else ORPHANED_SECONDS
        # A child forked by the server may still hold the pipe after the server's death.
        if os.getppid() != server:
            return ORPHANED_SECONDS
        _bound_log()
    return 0.0


def _stop(mongod: subprocess.Popen[bytes], grace_seconds: float) -> int:
    mongod.terminate()
    try:
        status = mongod.wait(grace_seconds)
    except subprocess.TimeoutExpired:
        # Harmless to the data: every acknowledged write is in the journal.
        mongod.kill()
        status = mongod.wait()
    return status if status >= 0 else 128 - status


def _remove(socket_path: str) -> None:
    """What a killed mongod leaves behind, while the lock is still held."""
    with contextlib.suppress(OSError):
        os.unlink(socket_path)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(socket_path))


def _bound_log() -> None:
    log = sys.stderr.fileno()
    if os.fstat(log).st_size > LARGEST_LOG_BYTES:
        os.ftruncate(log, 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
