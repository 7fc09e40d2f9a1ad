"""A server for the length of one command, where none is running: `pinset serve` in a directory that goes with it."""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from pinset.errors import PinsetError

SERVE: Final = (sys.executable, "-c", "from pinset.command import main; main()", "serve")
_ADDRESS: Final = re.compile(r"(https?://\S+)/graphql")
_STOP_SECONDS: Final = 45.0


class NoServer(PinsetError):
    """A server of one's own cannot be started here."""


@contextlib.contextmanager
def private_server() -> Iterator[str]:
    """The URL of a new, empty server, which ends with the body. Raises NoServer with what it said."""
    with tempfile.TemporaryDirectory(prefix="pinset-") as folder, open(Path(folder, "log"), "w+") as log:
        process = subprocess.Popen(
            [*SERVE, "--host", "127.0.0.1", "--port", "0", "--data-dir", str(Path(folder, "data"))],
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout is not None
            yield _address(process.stdout, log)
        finally:
            _stop(process)


def _environment() -> dict[str, str]:
    """Everything but the settings of another server."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith("PINSET_") or name == "PINSET_MONGOD"
    }


def _address(output: IO[str], log: IO[str]) -> str:
    for line in output:
        found = _ADDRESS.search(line)
        if found:
            return found[1]
    log.seek(0)
    said = log.read().strip().splitlines()
    why = said[-1] if said else "it said nothing"
    raise NoServer(
        f"No server answers, and a private one did not start: {why}\n"
        "Name a running server with --url, or install pinset-server beside this command."
    )


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
