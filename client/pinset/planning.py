"""What a sync would do, and doing it: one plan and one transaction whatever the size of the file.

Rows over 12 MiB of JSON do not fit a request; they are uploaded as a blob, one a line, and the request names it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pinset.errors import Conflict, MutationError, Problem
from pinset.files.names import shown
from pinset.files.problems import FileProblem
from pinset.files.rows import TaskRow
from pinset.files.values import JSONObject, canonical_text
from pinset.inputs import UNSET, Nullable

if TYPE_CHECKING:
    from pinset.models import Synced, SyncPlan
    from pinset.synchronous.client import Pinset

SMALL_BYTES: Final = 12 * 1024 * 1024
MOST_MEMBERS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Target:
    """Which taskset is made equal to the rows; an UNSET description keeps the one there is."""

    workspace: str
    name: str
    description: Nullable = UNSET
    remove_missing: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """A file that was read once, whole.

    `tasks` are the rows where they fit a request; else they stand in `spool`, one a line, with SHA-256 `digest`.
    `places` are line and name of each row, for messages.
    """

    places: tuple[tuple[int, str], ...]
    tasks: Sequence[JSONObject] | None
    spool: Path
    digest: str


def read_whole(rows: Iterable[TaskRow], spool: Path, seen: Callable[[TaskRow], None]) -> Contents:
    """Read every row, so that a bad one is known before anything is written. Raises FileProblem."""
    places: list[tuple[int, str]] = []
    kept: list[JSONObject] | None = []
    total = hashlib.sha256()
    with spool.open("wb") as stream:
        for row in rows:
            if len(places) == MOST_MEMBERS:
                raise _too_many(row)
            text = canonical_text(row.named_task()).encode("ascii") + b"\n"
            stream.write(text)
            total.update(text)
            places.append((row.line, row.source))
            if kept is not None:
                kept.append(row.named_task())
            if stream.tell() > SMALL_BYTES:
                kept = None
            seen(row)
    return Contents(tuple(places), kept, spool, total.hexdigest())


def plan(client: Pinset, target: Target, contents: Contents) -> SyncPlan:
    """Ask the server what a sync would do; nothing is written but, for a large file, the blob that holds its rows."""
    if contents.tasks is None:
        client.upload(contents.digest, contents.spool, target.workspace)
    synced = _sync(client, target, contents, dry_run=True)
    assert synced.plan is not None
    return synced.plan


def apply(client: Pinset, target: Target, contents: Contents, plan: SyncPlan) -> Synced:
    """Apply exactly the plan that was shown. Raises Conflict where anything that it rests on has moved."""
    try:
        return _sync(client, target, contents, plan_digest=plan.plan_digest)
    except Conflict as error:
        first = error.problems[0]
        message = f"Somebody published since the plan was made: {first.message} Run the command again for a new plan."
        raise Conflict([Problem(message, first.code, first.path, first.details)]) from None


def _sync(client: Pinset, target: Target, contents: Contents, **options: Any) -> Synced:
    try:
        return client.tasksets.sync(
            target.name,
            contents.tasks or (),
            tasks_blob=contents.digest if contents.tasks is None else None,
            description=target.description,
            remove_missing=target.remove_missing,
            workspace=target.workspace,
            **options,
        )
    except MutationError as error:
        raise type(error)([_placed(problem, contents) for problem in error.problems]) from None


def _placed(problem: Problem, contents: Contents) -> Problem:
    """The problem with the line and the name of its row, where it is about one."""
    field, *rest = problem.path[1:] or ("",)
    if field not in ("tasks", "tasksBlob") or not rest or not rest[0].isdecimal():
        return problem
    line, source = contents.places[int(rest[0])]
    place = ".".join(rest[1:])
    message = f"line {line} ({shown(source)}){', ' if place else ''}{place}: {problem.message}"
    return Problem(message, problem.code, (), problem.details)


def _too_many(row: TaskRow) -> FileProblem:
    return FileProblem(
        f"A taskset has at most {MOST_MEMBERS:,} members, and the file has more rows. Split it, or store the tasks "
        "without a taskset: pinset import FILE.",
        row.line,
    )
