"""Making a taskset and its tasks equal to a file, by a plan, in one transaction.

A request carries 16 MiB at most. A larger file is uploaded as a blob first, one JSON object (as an entry of `tasks`) a
line: one plan and one transaction cover it then as well, where several smaller syncs would show their steps to others.

Between a plan and its transaction records may move. The transaction therefore plans again from what it reads: with a
plan digest any difference is a conflict, without one the newer plan counts.
"""

import asyncio
import random
import time
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from domain.canonical import check_json
from domain.content import MetadataItem, TasksetContent, TasksetDraft, TasksetHead, check_taskset, taskset_content
from domain.deadlines import writing_begins
from domain.errors import Collector, Conflict, ErrorCode, InvalidInput, NotFound, Problems, RevisionCorrupt, UserError
from domain.limits import MAX_MEMBERS, TRANSACTION_SECONDS
from domain.names import check_digest, check_name
from domain.outcomes import ABSENT, Absent
from domain.sync import Basis, PlannedTask, SyncPlan, TasksetChanges
from resolvers.archives import check_archive
from resolvers.contents import contents
from resolvers.context import Context
from resolvers.sync_file import CheckedFile, TaskFile, checked_file, stage_texts
from resolvers.sync_moves import plan_moved
from resolvers.workspaces import writable
from storage.bulk import Standing, check_size, row_problems, standing, write_all
from storage.clock import now
from storage.contents import stage
from storage.driver import Session
from storage.filters import facets_of
from storage.metrics import find_by_ref
from storage.publications import Pin, Publication, Step, step
from storage.publishing import MemberGone, metric_keys, record_key
from storage.records import TASK, TASKSET, Head, Revision

_ATTEMPTS: Final = 5
_LONGEST_DELAY: Final = 0.05


@dataclass(frozen=True, slots=True)
class SyncTaskset:
    """What is asked for; `plan_digest` is that of a plan that was shown, and must still stand."""

    workspace: str
    name: str
    file: TaskFile
    changes: TasksetChanges = field(default_factory=TasksetChanges)
    dry_run: bool = False
    plan_digest: str | None = None

    @property
    def ref(self) -> str:
        """The taskset, `workspace/name`."""
        return f"{self.workspace}/{self.name}"


@dataclass(frozen=True, slots=True)
class Synced:
    """The plan, and the taskset with its latest revision afterwards; both None where there is none (dry run)."""

    plan: SyncPlan
    taskset: Head | None
    revision: Revision | None


class _GroundMoved(Exception):
    """What a plan rests on changed before its transaction; plan again."""


@dataclass(frozen=True, slots=True)
class _Sync:
    """One call: what was asked, its tasks checked, and the texts staged so far."""

    context: Context
    request: SyncTaskset
    file: CheckedFile
    staged: set[str] = field(default_factory=set)

    async def stand(self, session: Session | None = None) -> Standing:
        """Where everything that the sync touches stands."""
        refs = [task.ref for task in self.file.tasks]
        return await standing(self.context.services, self.request.workspace, self.request.name, refs, session)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A plan and all that it writes; `tasks` are those that write anything, each with its row (from 0)."""

    basis: Basis
    plan: SyncPlan
    taskset: Publication
    step: Step
    tasks: list[tuple[int, Publication, Step]]

    @property
    def writes(self) -> bool:
        """Whether the plan changes anything at all."""
        return bool(self.tasks) or self.step.writes

    @property
    def cut(self) -> list[tuple[int, Publication]]:
        """The tasks that get a revision."""
        return [(row, task) for row, task, each in self.tasks if each.revision is not None]


async def sync_taskset(context: Context, request: SyncTaskset) -> Synced:
    """Plan, and unless it is a dry run apply, what makes a taskset and its tasks equal to a file; all or nothing.

    Raises Problems with everything wrong, PlanMoved, NotFound, Refused, InvalidInput (LIMIT_EXCEEDED), Conflict.
    """
    await writable(context, request.workspace)
    sync = _Sync(context, request, await _checked(context, request))
    # Syncs of one taskset would only invalidate each other's plans.
    async with context.services.transactions.turn(f"sync:{request.ref}"):
        return await _attempts(sync)


async def _attempts(sync: _Sync) -> Synced:
    deadline = time.monotonic() + TRANSACTION_SECONDS
    for attempt in count(1):
        found = await sync.stand()
        content = await _content(sync, found)
        prepared = await _planned(sync, content, found)
        if sync.request.dry_run or not prepared.writes:
            return Synced(prepared.plan, found.taskset, found.revision)
        await _check_archives(sync, prepared)
        await _stage(sync, content, prepared)
        try:
            return await _apply(sync, content, prepared, found)
        except (_GroundMoved, MemberGone):
            if attempt >= _ATTEMPTS and time.monotonic() > deadline:
                break
        await asyncio.sleep(random.uniform(0, _LONGEST_DELAY))
    raise Conflict("Others kept writing the taskset or its members; try again.")


async def _checked(context: Context, request: SyncTaskset) -> CheckedFile:
    problems = Collector()
    problems.attempt(check_name, request.name, ("name",), "taskset name")
    changes = request.changes
    if not isinstance(changes.project, Absent):
        problems.attempt(check_json, changes.project, ("project",))
    check_taskset(_draft(changes, TasksetHead(None, None, ())), problems)
    if request.plan_digest is not None:
        problems.attempt(check_digest, request.plan_digest, ("planDigest",))
    file = await checked_file(context, request.file, request.workspace, problems)
    problems.finish()
    return file


async def _planned(sync: _Sync, content: TasksetContent, found: Standing) -> _Prepared:
    """The plan, proved to be the one that was shown, and to be one that can be applied."""
    prepared = _prepare(sync, content, found)
    shown = sync.request.plan_digest
    if shown is not None and shown != prepared.plan.digest:
        raise await plan_moved(sync.context, shown, prepared.basis, prepared.plan, found)
    if prepared.step.revision is not None and found.dangling and not sync.request.changes.remove_missing:
        raise _dangling(found)
    check_size(prepared.taskset, prepared.step, [each for _, _, each in prepared.tasks])
    refs = {ref for _, task in prepared.cut for ref in task.metrics}
    metrics = await find_by_ref(sync.context.services.database, refs)
    field = sync.request.file.place
    errors = [error for row, task in prepared.cut for error in row_problems(task, metrics, field, row)]
    if errors:
        raise Problems(errors)
    return prepared


def _prepare(sync: _Sync, content: TasksetContent, found: Standing) -> _Prepared:
    request, at = sync.request, now()
    steps = [(row, task, _step(request, row, task, found)) for row, task in enumerate(sync.file.tasks)]
    pins = [Pin(f"{task.ref}#{task.digest}", each.head.revision_id, each.head.id) for _, task, each in steps]
    if not request.changes.remove_missing:
        pins += found.others
    taskset = Publication(
        kind=TASKSET,
        workspace=request.workspace,
        name=request.name,
        digest=content.digest,
        size=len(content.text),
        actor=sync.context.actor,
        project=request.changes.project,
        facets=facets_of(content.metadata),
        members=[pin.ref for pin in pins],
        member_ids=[pin.revision_id for pin in pins],
        member_parents=[pin.task_id for pin in pins],
    )
    basis = Basis(
        request.ref,
        request.changes,
        [PlannedTask(task.ref, task.digest, task.tags) for task in sync.file.tasks],
        None if found.taskset is None else found.taskset.digest,
        {ref: head.digest for ref, head in found.tasks.items()},
    )
    return _Prepared(
        basis,
        basis.plan(found.members, content.digest),
        taskset,
        step(taskset, found.taskset, at),
        [(row, task, each) for row, task, each in steps if each.writes],
    )


def _step(request: SyncTaskset, row: int, task: Publication, found: Standing) -> Step:
    try:
        return step(task, found.tasks.get(task.ref), now())
    except UserError as error:
        raise error.under(request.file.place, row, "task") from None


async def _content(sync: _Sync, found: Standing) -> TasksetContent:
    """The taskset's content after the sync; what the request leaves out is kept."""
    kept = TasksetHead(None, None, ())
    changes = sync.request.changes
    if found.revision is not None and ABSENT in (changes.description, changes.files_ref, changes.metadata):
        kept = await _kept(sync.context, found.revision)
    head = check_taskset(_draft(changes, kept), Collector())
    members = [f"{task.ref}#{task.digest}" for task in sync.file.tasks]
    if not changes.remove_missing:
        members += [*(pin.ref for pin in found.others), *found.dangling]
    if len(members) > MAX_MEMBERS:
        raise _too_many(sync.request, len(members))
    return taskset_content(head, members)


async def _kept(context: Context, revision: Revision) -> TasksetHead:
    stored = (await contents(context, [revision.digest]))[revision.digest]
    if stored.is_corrupt:
        raise RevisionCorrupt(
            f"The stored content of {revision.ref} no longer matches its digest, so that nothing of it can be kept; "
            "give description, filesRef and metadata.",
            ref=revision.ref,
        )
    metadata = tuple(MetadataItem(item["key"], item["value"]) for item in stored.value["metadata"])
    return TasksetHead(stored.value["description"], stored.value["files_ref"], metadata)


def _draft(changes: TasksetChanges, kept: TasksetHead) -> TasksetDraft:
    metadata = kept.metadata if isinstance(changes.metadata, Absent) else changes.metadata or ()
    description = kept.description if isinstance(changes.description, Absent) else changes.description
    files_ref = kept.files_ref if isinstance(changes.files_ref, Absent) else changes.files_ref
    return TasksetDraft(description=description, files_ref=files_ref, metadata=metadata)


async def _check_archives(sync: _Sync, prepared: _Prepared) -> None:
    """A dry run does without, so that a plan can be made before large archives are uploaded."""
    problems = Collector()
    for row, task in prepared.cut:
        if task.archive is not None:
            try:
                await check_archive(sync.context, task.archive)
            except InvalidInput as error:
                problems.add(error, sync.request.file.place, row)
    problems.finish()


async def _stage(sync: _Sync, content: TasksetContent, prepared: _Prepared) -> None:
    # Staging many texts takes long; a time limit that cut it would never let a large file through.
    writing_begins()
    wanted = {task.digest for _, task in prepared.cut} - sync.staged
    if wanted:
        await stage_texts(sync.context, sync.request.file, sync.request.workspace, sync.file.texts, wanted)
    if content.digest not in sync.staged and prepared.step.revision is not None:
        await stage(sync.context.services.database, {content.digest: content.text})
        wanted.add(content.digest)
    sync.staged.update(wanted)


async def _apply(sync: _Sync, content: TasksetContent, prepared: _Prepared, before: Standing) -> Synced:
    services, request = sync.context.services, sync.request

    async def work(session: Session) -> Synced:
        found = await sync.stand(session)
        if _ground(found) != _ground(before):
            raise _GroundMoved
        present = _prepare(sync, content, found)
        needed = {task.digest for _, task in present.cut}
        if not needed <= sync.staged or request.plan_digest not in (None, present.plan.digest):
            raise _GroundMoved
        await write_all(services, session, present.taskset, present.step, present.tasks, request.file.place)
        revision = found.revision if present.step.revision is None else present.step.cut
        return Synced(present.plan, present.step.head, revision)

    keys = [record_key(TASKSET, request.ref), *(record_key(TASK, task.ref) for _, task, _ in prepared.tasks)]
    refs = {ref for _, task in prepared.cut for ref in task.metrics}
    return await services.transactions.run([*keys, *metric_keys(refs, request.ref)], work)


def _ground(found: Standing) -> tuple[object, ...]:
    """What the content of the taskset was computed from; where it changed, another content has to be staged."""
    digest = None if found.taskset is None else found.taskset.digest
    return digest, [pin.ref for pin in found.others], found.dangling


def _dangling(found: Standing) -> Problems:
    return Problems(
        [
            NotFound(
                f"The member '{ref}' was deleted. Sync with removeMissing to take it out, or put the task in the file.",
                ("removeMissing",),
                ref=ref,
            )
            for ref in found.dangling
        ]
    )


def _too_many(request: SyncTaskset, count: int) -> InvalidInput:
    return InvalidInput(
        f"A taskset has at most {MAX_MEMBERS:,} members; with those that the file does not name it would have "
        f"{count:,}. Sync with removeMissing to take them out, or use another taskset.",
        (request.file.place,),
        ErrorCode.LIMIT_EXCEEDED,
    )
