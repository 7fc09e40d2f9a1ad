"""What a path holds, found by its suffix and its first entry."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from pinset.files.harbor import is_harbor, read_harbor
from pinset.files.hud import looks_like_hud, read_hud
from pinset.files.lines import json_entries, suffix_of
from pinset.files.names import legal_name
from pinset.files.platform import looks_like_task, read_entries, read_suite
from pinset.files.problems import FileProblem
from pinset.files.rows import TaskRow, unique
from pinset.files.tables import DELIMITERS, Fields, read_table
from pinset.files.values import JSONObject

SUFFIXES: Final = (".jsonl", ".ndjson", ".json", *DELIMITERS)


class SourceKind(StrEnum):
    """The formats that can be read."""

    HUD = "hud"
    HARBOR = "harbor"
    TABLE = "table"
    TASKS = "tasks"
    SUITE = "suite"
    BUNDLE = "bundle"


@dataclass(frozen=True, slots=True)
class Source:
    """A path, what it holds, and the name that a taskset made of it gets by default."""

    path: Path
    kind: SourceKind
    name: str

    def rows(self, mapping: Fields, workspace: str, archives: Path) -> Iterator[TaskRow]:
        """The tasks, in order. Harbor tasks refer to `workspace` and are packed into `archives`. Raises FileProblem."""
        match self.kind:
            case SourceKind.HUD:
                return read_hud(self.path)
            case SourceKind.HARBOR:
                return read_harbor(self.path, workspace, archives)
            case SourceKind.TABLE:
                return read_table(self.path, mapping)
            case SourceKind.TASKS:
                return unique(read_entries(json_entries(self.path)))
            case SourceKind.SUITE:
                return iter(read_suite(self.path).tasks)
            case SourceKind.BUNDLE:
                raise FileProblem(f"{self.path} is a bundle; use `pinset import {self.path}`.")


def open_source(path: Path, mapping: Fields | None = None) -> Source:
    """Find out what a path holds; a mapping given by hand makes it a table. Raises FileProblem."""
    if path.is_dir():
        if not is_harbor(path):
            raise FileProblem(f"{path} is a directory without Harbor tasks (no task.toml in it or one level below).")
        return Source(path, SourceKind.HARBOR, legal_name(path.resolve().name))
    kind = SourceKind.TABLE if mapping is not None else _kind(path)
    return Source(path, kind, default_name(path))


def default_name(path: Path) -> str:
    """The taskset's name by default: the file's name without `.gz` and its suffix."""
    name = path.name.removesuffix(".gz")
    return legal_name(Path(name).stem if suffix_of(path) in SUFFIXES else name)


def _kind(path: Path) -> SourceKind:
    suffix = suffix_of(path)
    if suffix not in SUFFIXES:
        raise FileProblem(f"{path}: cannot tell the format; known are {', '.join(SUFFIXES)} (each also with .gz).")
    if suffix in DELIMITERS:
        return SourceKind.TABLE
    for _, entry in json_entries(path):
        return _kind_of_entry(entry)
    raise FileProblem(f"{path} holds no entry.")


def _kind_of_entry(entry: JSONObject) -> SourceKind:
    if entry.get("record") == "bundle":
        return SourceKind.BUNDLE
    if "taskset" in entry and isinstance(entry.get("tasks"), list):
        return SourceKind.SUITE
    if looks_like_task(entry):
        return SourceKind.TASKS
    return SourceKind.HUD if looks_like_hud(entry) else SourceKind.TABLE
