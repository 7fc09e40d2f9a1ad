"""Many tasks in many small requests, for rows without a taskset.

Each request carries at most 25 tasks and 4 MiB. Publishing is idempotent, so a run that was cut is simply repeated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pinset.errors import Problem, raise_problems
from pinset.files.names import shown
from pinset.files.rows import TaskRow
from pinset.files.values import canonical_text

if TYPE_CHECKING:
    from pinset.synchronous.client import Pinset

MOST_ROWS: Final = 25
AT_A_TIME: Final = 4
MOST_BYTES: Final = 4 * 1024 * 1024

_ERRORS: Final = "errors { message code path }"


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


def publish_all(
    client: Pinset, rows: Iterable[TaskRow], workspace: str, before: Callable[[list[TaskRow]], None]
) -> Iterator[list[Stored]]:
    """Publish rows, a few requests at a time; `before` sees each batch before it is sent. Raises MutationError.

    Batches come back in the order of the rows; what was sent when a problem turned up is stored.
    """
    sent: deque[Future[list[Stored]]] = deque()
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        try:
            for batch in batches(rows):
                before(batch)
                sent.append(pool.submit(publish, client, batch, workspace))
                if len(sent) == AT_A_TIME:
                    yield sent.popleft().result()
            while sent:
                yield sent.popleft().result()
        finally:
            for waiting in sent:
                waiting.cancel()


def publish(client: Pinset, batch: list[TaskRow], workspace: str) -> list[Stored]:
    """Create or replace the tasks of a batch. Raises MutationError naming the first row that was refused."""
    inputs = [{"workspace": workspace, "name": row.name, "task": row.task} for row in batch]
    fields = [
        f"t{index}: replaceTask(input: $i{index}) {{ outcome revision {{ digest }} {_ERRORS} }}"
        for index in range(len(batch))
    ]
    declared = " ".join(f"$i{index}: ReplaceTaskInput!" for index in range(len(batch)))
    variables = {f"i{index}": given for index, given in enumerate(inputs)}
    data = client.execute(f"mutation({declared}) {{ {' '.join(fields)} }}", variables)
    return [_stored(row, data[f"t{index}"]) for index, row in enumerate(batch)]


def _stored(row: TaskRow, payload: dict[str, Any]) -> Stored:
    raise_problems([_problem(row, error) for error in payload["errors"]])
    return Stored(row, payload["revision"]["digest"], payload["outcome"])


def _problem(row: TaskRow, error: dict[str, Any]) -> Problem:
    return Problem(f"line {row.line} ({shown(row.source)}): {error['message']}", error["code"], tuple(error["path"]))
