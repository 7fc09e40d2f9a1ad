"""The tasks of a file that a taskset is synced with: read in batches, checked row by row, staged.

The texts of a file are held up to 64 MiB; a larger one is read twice, once for what the plan needs of each task, once
for the texts of those that change.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from domain.canonical import parse_json
from domain.content import TaskDraft, check_task
from domain.errors import Collector, ErrorCode, InvalidInput, NotFound, Problems, UserError
from domain.limits import MAX_BODY_BYTES, MAX_MEMBERS, MEBIBYTE
from domain.names import check_digest, check_name, shown
from resolvers.context import Context
from resolvers.tasks import checked_content, task_publication
from resolvers.workspaces import writable
from storage import blobs, contents
from storage.publications import Publication

_BLOB: Final = "tasksBlob"
_HELD_BYTES: Final = 64 * MEBIBYTE
_STAGED_BYTES: Final = 8 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class NamedTask:
    """A task of the file; `workspace` None means that of the taskset.

    `draft` is Problems where the row could not be read; `name` is None where that goes for the name too.
    """

    name: str | None
    draft: TaskDraft | Problems
    workspace: str | None = None


@dataclass(frozen=True, slots=True)
class TaskFile:
    """The tasks of a sync: `batches` reads them anew from the start, `place` is where they stand in the input."""

    batches: Callable[[], AsyncIterator[Sequence[NamedTask]]]
    place: str = "tasks"


def blob_file(
    context: Context, workspace: str, blob: str, inline: int, read: Callable[[object], NamedTask]
) -> TaskFile:
    """The tasks of an uploaded text, a JSON value a line that `read` understands, or raises Problems for.

    Raises InvalidInput where tasks are given inline too.
    """
    if inline:
        raise InvalidInput("Give the tasks in `tasks` or as a blob; leave the other one empty.", (_BLOB,))
    check_digest(blob, (_BLOB,))

    async def batches() -> AsyncIterator[Sequence[NamedTask]]:
        if await blobs.find(context.services.database, workspace, blob) is None:
            raise _missing(workspace, blob)
        async for lines in _lines(context, workspace, blob):
            yield [_row(line, read) for line in lines]

    return TaskFile(batches, _BLOB)


def _missing(workspace: str, blob: str) -> NotFound:
    return NotFound(f"There is no blob {blob} in '{workspace}'; upload it first.", (_BLOB,), ref=blob)


async def _lines(context: Context, workspace: str, blob: str) -> AsyncIterator[list[bytes]]:
    """The lines of a blob that are not empty, as they arrive; it is refused at its end where a part was missing."""
    rest, read = b"", hashlib.sha256()
    async for chunk in blobs.read(context.services.database, blob):
        read.update(chunk)
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > MAX_BODY_BYTES:
            message = f"A line of the blob is longer than {MAX_BODY_BYTES // MEBIBYTE} MiB; one task is one line."
            raise InvalidInput(message, (_BLOB,), ErrorCode.LIMIT_EXCEEDED)
        yield [line for line in lines if line.strip()]
    # A blob that nothing names is removed one day, be it while it is read: a sync with half of it would do harm.
    if read.hexdigest() != blob:
        raise _missing(workspace, blob)
    if rest.strip():
        yield [rest]


def _row(line: bytes, read: Callable[[object], NamedTask]) -> NamedTask:
    try:
        return read(parse_json(line))
    except Problems as problems:
        return NamedTask(None, problems)
    except UserError as error:
        return NamedTask(None, Problems([error]))


@dataclass(slots=True)
class CheckedFile:
    """Every task of a file as a publication, in its order, and their texts by digest as far as they are held."""

    tasks: list[Publication] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    held: int = 0

    def add(self, task: Publication, text: str) -> None:
        """Append a task; its text is held while there is room."""
        self.tasks.append(task)
        if self.held + len(text) <= _HELD_BYTES and task.digest not in self.texts:
            self.texts[task.digest] = text
            self.held += len(text)


async def checked_file(context: Context, file: TaskFile, workspace: str, problems: Collector) -> CheckedFile:
    """Check every task of a file; collects everything that is wrong, with paths that start at the row (from 0)."""
    checked = CheckedFile()
    rows: dict[str, int] = {}
    known: set[str] = set()
    positions = count()
    async for batch in file.batches():
        for task, position in zip(batch, positions, strict=False):
            if position >= MAX_MEMBERS:
                problems.add(_too_many(file))
                return checked
            at = Collector()
            home = task.workspace or workspace
            await _check_workspace(context, task.workspace, known, at)
            _check_name(task, home, position, rows, at)
            _check_content(context, task, home, checked, at)
            for error in at.errors:
                problems.add(error, file.place, position)
        # Checking is work for the processor alone; others shall have their turn.
        await asyncio.sleep(0)
    return checked


async def stage_texts(
    context: Context, file: TaskFile, workspace: str, held: Mapping[str, str], wanted: set[str]
) -> None:
    """Store the texts of the tasks with these digests, outside any transaction; those not `held` are read again."""
    database = context.services.database
    await contents.stage(database, {digest: held[digest] for digest in wanted & held.keys()})
    missing = wanted - held.keys()
    if not missing:
        return
    texts: dict[str, str] = {}
    async for batch in file.batches():
        for task in batch:
            if isinstance(task.draft, TaskDraft):
                content = check_task(task.draft, task.workspace or workspace)
                if content.digest in missing:
                    missing.discard(content.digest)
                    texts[content.digest] = content.text
        if sum(map(len, texts.values())) > _STAGED_BYTES:
            await contents.stage(database, texts)
            texts = {}
        await asyncio.sleep(0)
    await contents.stage(database, texts)


async def _check_workspace(context: Context, workspace: str | None, known: set[str], problems: Collector) -> None:
    if workspace is None or workspace in known:
        return
    try:
        await writable(context, workspace)
        known.add(workspace)
    except UserError as error:
        problems.add(error)


def _check_name(task: NamedTask, workspace: str, position: int, rows: dict[str, int], problems: Collector) -> None:
    if task.name is None:
        return
    problems.attempt(check_name, task.name, ("name",), "task name")
    before = rows.setdefault(f"{workspace}/{task.name}", position)
    if before != position:
        problems.add(
            InvalidInput(
                f"The name {shown(task.name)} stands at rows {before} and {position} (counted from 0); "
                "each task has one row.",
                ("name",),
                ErrorCode.DUPLICATE_MEMBER,
            )
        )


def _check_content(
    context: Context, task: NamedTask, workspace: str, checked: CheckedFile, problems: Collector
) -> None:
    if isinstance(task.draft, Problems):
        problems.add(task.draft)
        return
    content = checked_content(context, workspace, task.draft, problems)
    if content is not None and task.name is not None and not problems.errors:
        publication = task_publication(context, workspace, task.name, content, task.draft.tags)
        checked.add(publication, content.text)


def _too_many(file: TaskFile) -> InvalidInput:
    message = f"A taskset has at most {MAX_MEMBERS:,} members, and this file has more; split it into several tasksets."
    return InvalidInput(message, (file.place,), ErrorCode.LIMIT_EXCEEDED)
