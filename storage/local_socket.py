"""The Unix socket of a local MongoDB: the only way in, for this user alone."""

import contextlib
import hashlib
import os
import re
import socket
import stat
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from domain.errors import StartupFailure

LONGEST_SOCKET_PATH = 103 if sys.platform == "darwin" else 107
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_./+-]+")


def socket_path(data_dir: Path) -> Path:
    """Where mongod of `data_dir` listens: short enough for a socket, and never inside the data directory."""
    name = f"pinset-{os.geteuid()}-{hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:8]}"
    for parent in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"):  # noqa: S108 - the directory in it is made 0700 and its owner checked
        path = Path(parent or "/nonexistent") / name / "mongod.sock"
        usable = _PLAIN_PATH.fullmatch(str(path)) and len(str(path)) <= LONGEST_SOCKET_PATH
        if usable and os.access(path.parent.parent, os.W_OK | os.X_OK):
            return path
    raise StartupFailure(
        "There is no directory for MongoDB's socket: set TMPDIR to a short, writable path without special characters."
    )


def make_socket_directory(path: Path) -> None:
    """Create the socket's directory, for this user alone. Raises StartupFailure where it is not theirs."""
    directory = path.parent
    with contextlib.suppress(FileExistsError):
        directory.mkdir(mode=0o700)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise StartupFailure(
            f"{directory}, where MongoDB's socket belongs, is not a directory of this user alone "
            "(mode 0700). Remove it, or set TMPDIR to a directory of your own."
        )


def accepts(path: Path) -> bool:
    """Whether somebody listens on the socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def url_of(path: Path) -> str:
    """The MongoDB URL of the socket."""
    return f"mongodb://{quote(str(path), safe='')}/?directConnection=true"
