"""Harbor task directories, and folders of them.

A task is named after `[task].name` (`org/name` becomes `org-name`), or after its directory where that is absent. Its
`config` is task.toml as JSON, dates as texts; the entries of `[metadata]` are the task's metadata.
"""

import datetime
import math
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pinset.files import fields
from pinset.files.names import legal_name, shown
from pinset.files.packages import content_hash, write_archive
from pinset.files.problems import FileProblem
from pinset.files.rows import TaskRow, unique
from pinset.files.values import JSON, JSONObject

CONFIG: Final = "task.toml"
DATASET: Final = "dataset.toml"


def is_harbor(path: Path) -> bool:
    """Whether a directory is a Harbor task, or a folder that holds some."""
    return path.is_dir() and ((path / CONFIG).is_file() or (path / DATASET).is_file() or any(_tasks(path)))


def read_harbor(path: Path, workspace: str, archives: Path) -> Iterator[TaskRow]:
    """The task of a directory, or the tasks of a folder, each packed into `archives` and referring to it there.

    A folder with a `dataset.toml` gives the tasks it lists, in its order, each checked against its digest; another
    one gives all its task directories by name. Raises FileProblem.
    """
    return unique(_row(folder, number, workspace, archives) for number, folder in enumerate(_folders(path), 1))


def dataset_head(path: Path) -> JSONObject:
    """Name and description of the taskset that a folder stands for; the description is absent where none is given."""
    table = _toml(path / DATASET).get("dataset", {}) if (path / DATASET).is_file() else {}
    name = table.get("name")
    head: JSONObject = {"name": legal_name(str(name) if name else path.resolve().name)}
    return {**head, "description": str(table["description"])} if table.get("description") else head


def archive_reference(workspace: str, name: str, digest: str) -> str:
    """Where a task's archive is found: `workspace/name#<sha256 of the archive>.tar.gz`."""
    return f"{workspace}/{name}#{digest}.tar.gz"


def _folders(path: Path) -> Iterator[Path]:
    if (path / CONFIG).is_file():
        yield path
    elif (path / DATASET).is_file():
        yield from _listed(path)
    else:
        yield from _tasks(path)


def _tasks(path: Path) -> Iterator[Path]:
    return (folder for folder in sorted(path.iterdir()) if (folder / CONFIG).is_file())


def _listed(path: Path) -> Iterator[Path]:
    found = {_toml(folder / CONFIG).get("task", {}).get("name", folder.name): folder for folder in _tasks(path)}
    for entry in _toml(path / DATASET).get("tasks", []):
        name, digest = str(entry.get("name")), str(entry.get("digest", "")).removeprefix("sha256:")
        folder = found.get(name)
        if folder is None:
            raise FileProblem(f"{DATASET} lists {shown(name)}, which has no directory in {path}.")
        actual = content_hash(folder)
        if digest and digest != actual:
            raise FileProblem(f"{DATASET} pins {shown(name)} at {digest}, but {folder} hashes to {actual}.")
        yield folder


def _row(folder: Path, number: int, workspace: str, archives: Path) -> TaskRow:
    config = _toml(folder / CONFIG)
    source = str(config.get("task", {}).get("name") or folder.resolve().name)
    name = legal_name(source)
    archive = archives / f"{number}.tar.gz"
    with archive.open("wb") as target:
        digest = write_archive(folder, target)
    spec: JSONObject = {
        "archiveRef": archive_reference(workspace, name, digest),
        "archiveDigest": content_hash(folder),
        "instruction": _instruction(folder),
        "config": _json(config, folder),
    }
    task: JSONObject = {"spec": {"harbor": fields.without_nulls(spec)}, "metadata": _metadata(config, folder)}
    return TaskRow(number, name, task, source, archive)


def _instruction(folder: Path) -> str | None:
    path = folder / "instruction.md"
    try:
        return path.read_bytes().decode("utf-8") if path.is_file() else None
    except UnicodeDecodeError:
        raise FileProblem(f"{path} is not UTF-8.") from None


def _metadata(config: dict[str, Any], folder: Path) -> list[JSON]:
    return [{"key": key, "value": _json(value, folder)} for key, value in config.get("metadata", {}).items()]


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileProblem(f"{path} is not valid TOML: {error}.") from None
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from None


def _json(value: Any, folder: Path) -> JSON:
    if isinstance(value, dict):
        return {key: _json(item, folder) for key, item in value.items()}
    if isinstance(value, list):
        return [_json(item, folder) for item in value]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        raise FileProblem(f"{folder / CONFIG} holds {value}; numbers must be finite.")
    checked: JSON = value
    return checked
