"""One task out of a file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pinset.files.names import shown
from pinset.files.problems import FileProblem
from pinset.files.values import JSONObject


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task as the API's `NamedTaskInput`, and where it stood.

    `line` counts from 1 (the position of the directory, where tasks are directories); `source` is the name as the
    file writes it; `archive` is the packed directory of a Harbor task, to be uploaded before the task is created.
    """

    line: int
    name: str
    task: JSONObject
    source: str
    archive: Path | None = None

    def named_task(self) -> JSONObject:
        """The row as an entry of `SyncTasksetInput.tasks`."""
        return {"name": self.name, "task": self.task}


def unique(rows: Iterable[TaskRow]) -> Iterator[TaskRow]:
    """The same rows; two that share a name are refused, both lines named, before the second is handed out."""
    seen: dict[str, tuple[int, str]] = {}
    for row in rows:
        if row.name in seen:
            raise FileProblem(_collision(row, *seen[row.name]), row.line)
        seen[row.name] = (row.line, row.source)
        yield row


def _collision(row: TaskRow, line: int, source: str) -> str:
    if row.source == source:
        return f"The name {shown(row.name)} stands on line {line} already; names are unique within a file."
    return (
        f"{shown(row.source)} would be stored as {shown(row.name)}, as is {shown(source)} on line {line}; "
        "rename one of them."
    )
