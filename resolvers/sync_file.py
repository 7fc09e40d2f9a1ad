"""The tasks of a file that a taskset is synced with: read in batches, checked row by row, staged.

A file is read twice and never held whole: once for what the plan needs of each task, once for the texts of those that
change.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
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
    """The tasks of a sync: `batches` reads them anew from the start, `field` is where they stand in the input."""

    batches: Callable[[], AsyncIterator[Sequence[NamedTask]]]
    field: str = "tasks"


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
            message = f"There is no blob {blob} in '{workspace}'; upload it first."
            raise NotFound(message, (_BLOB,), ref=blob)
        async for lines in _lines(context, blob):
            yield [_row(line, read) for line in lines]

    return TaskFile(batches, _BLOB)


async def _lines(context: Context, blob: str) -> AsyncIterator[list[bytes]]:
    """The lines of a blob that are not empty, as they arrive."""
    rest = b""
    async for chunk in blobs.read(context.services.database, blob):
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > MAX_BODY_BYTES:
            message = f"A line of the blob is longer than {MAX_BODY_BYTES // MEBIBYTE} MiB; one task is one line."
            raise InvalidInput(message, (_BLOB,), ErrorCode.LIMIT_EXCEEDED)
        yield [line for line in lines if line.strip()]
    if rest.strip():
        yield [rest]


def _row(line: bytes, read: Callable[[object], NamedTask]) -> NamedTask:
    try:
        return read(parse_json(line))
    except Problems as problems:
        return NamedTask(None, problems)
    except UserError as error:
        return NamedTask(None, Problems([error]))


async def checked_tasks(context: Context, file: TaskFile, workspace: str, problems: Collector) -> list[Publication]:
    """Every task of a file as a publication, in the order of the file.

    Collects everything that is wrong, with paths that start at the row (from 0).
    """
    checked: list[Publication] = []
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
            publication = _checked(context, task, home, at)
            if publication is not None:
                checked.append(publication)
            for error in at.errors:
                problems.add(error, file.field, position)
        # Checking is work for the processor alone; others shall have their turn.
        await asyncio.sleep(0)
    return checked


async def stage_texts(context: Context, file: TaskFile, workspace: str, wanted: set[str]) -> None:
    """Store the texts of the tasks with these digests, outside any transaction."""
    texts: dict[str, str] = {}
    missing = set(wanted)
    async for batch in file.batches():
        for task in batch:
            if isinstance(task.draft, TaskDraft):
                content = check_task(task.draft, task.workspace or workspace)
                if content.digest in missing:
                    missing.discard(content.digest)
                    texts[content.digest] = content.text
        if not missing or sum(map(len, texts.values())) > _STAGED_BYTES:
            await contents.stage(context.services.database, texts)
            texts = {}
        if not missing:
            return
        await asyncio.sleep(0)
    await contents.stage(context.services.database, texts)


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


def _checked(context: Context, task: NamedTask, workspace: str, problems: Collector) -> Publication | None:
    if isinstance(task.draft, Problems):
        problems.add(task.draft)
        return None
    content = checked_content(context, workspace, task.draft, problems)
    if content is None or task.name is None or problems.errors:
        return None
    return task_publication(context, workspace, task.name, content, task.draft.tags)


def _too_many(file: TaskFile) -> InvalidInput:
    message = f"A taskset has at most {MAX_MEMBERS:,} members, and this file has more; split it into several tasksets."
    return InvalidInput(message, (file.field,), ErrorCode.LIMIT_EXCEEDED)
