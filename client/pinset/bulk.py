"""Many tasks in many small requests: for rows that do not fit one request, and for rows without a taskset.

Each request carries at most 25 tasks and 4 MiB. Publishing is idempotent, so a run that was cut is simply repeated.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pinset.errors import Problem, raise_problems
from pinset.files.names import shown
from pinset.files.rows import TaskRow
from pinset.files.values import canonical_text
from pinset.synchronous.client import Pinset

MOST_ROWS: Final = 25
MOST_BYTES: Final = 4 * 1024 * 1024

_STATE: Final = """
  digest{0}: digestOf(content: {{task: $task{0}}}, workspace: $workspace)
  current{0}: task(workspace: $workspace, name: $name{0}) {{ latest {{ digest }} }}
"""
_ERRORS: Final = "errors { message code path }"


@dataclass(frozen=True, slots=True)
class State:
    """A row's digest, and the digest that its name stands for now; None where there is no such task."""

    row: TaskRow
    digest: str
    current: str | None


@dataclass(frozen=True, slots=True)
class Stored:
    """A row after it was published; `outcome` is CREATED, PUBLISHED or UNCHANGED."""

    row: TaskRow
    digest: str
    outcome: str


def batches(rows: Iterable[TaskRow]) -> Iterator[list[TaskRow]]:
    """Rows in groups that fit one request each; a row larger than the bound goes alone."""
    batch: list[TaskRow] = []
    size = 0
    for row in rows:
        length = len(canonical_text(row.task))
        if batch and (len(batch) == MOST_ROWS or size + length > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += length
    if batch:
        yield batch


def states(client: Pinset, batch: list[TaskRow], workspace: str) -> list[State]:
    """What publishing each row would mean; nothing is written."""
    declared = " ".join(f"$name{index}: String! $task{index}: TaskInput!" for index in range(len(batch)))
    fields = "".join(_STATE.format(index) for index in range(len(batch)))
    variables: dict[str, Any] = {"workspace": workspace}
    for index, row in enumerate(batch):
        variables |= {f"name{index}": row.name, f"task{index}": row.task}
    data = client.execute(f"query($workspace: String! {declared}) {{ {fields} }}", variables)
    return [State(row, data[f"digest{index}"], _latest(data[f"current{index}"])) for index, row in enumerate(batch)]


def publish(
    client: Pinset, batch: list[TaskRow], workspace: str, expected: Mapping[str, str] | None = None
) -> list[Stored]:
    """Create or replace the tasks of a batch; `expected` is what names must stand for to be replaced.

    Raises MutationError naming the first row that was refused.
    """
    inputs = [_input(row, workspace, (expected or {}).get(row.name)) for row in batch]
    fields = [
        f"t{index}: replaceTask(input: $i{index}) {{ outcome revision {{ digest }} {_ERRORS} }}"
        for index in range(len(batch))
    ]
    declared = " ".join(f"$i{index}: ReplaceTaskInput!" for index in range(len(batch)))
    variables = {f"i{index}": given for index, given in enumerate(inputs)}
    data = client.execute(f"mutation({declared}) {{ {' '.join(fields)} }}", variables)
    return [_stored(row, data[f"t{index}"]) for index, row in enumerate(batch)]


def _input(row: TaskRow, workspace: str, expected: str | None) -> dict[str, Any]:
    given: dict[str, Any] = {"workspace": workspace, "name": row.name, "task": row.task}
    return given if expected is None else {**given, "expectedDigest": expected}


def _stored(row: TaskRow, payload: dict[str, Any]) -> Stored:
    raise_problems([_problem(row, error) for error in payload["errors"]])
    return Stored(row, payload["revision"]["digest"], payload["outcome"])


def _problem(row: TaskRow, error: dict[str, Any]) -> Problem:
    return Problem(f"line {row.line} ({shown(row.source)}): {error['message']}", error["code"], tuple(error["path"]))


def _latest(task: dict[str, Any] | None) -> str | None:
    return None if task is None else str(task["latest"]["digest"])
