"""Making a taskset and its tasks equal to a file, by a plan, in one transaction.

A request carries 16 MiB at most. A larger file is uploaded as a blob first, one JSON object (as an entry of `tasks`) a
line: one plan and one transaction cover it then as well, where several smaller syncs would show their steps to others.

Between a plan and its transaction records may move. The transaction therefore plans again from what it reads: with a
plan digest any difference is a conflict, without one the newer plan counts.
"""

import asyncio
import random
import time
from dataclasses import dataclass
from itertools import count
from typing import Final

from domain.canonical import check_json
from domain.content import TasksetContent, TasksetHead, check_taskset
from domain.deadlines import writing_begins
from domain.errors import Collector, Conflict, InvalidInput, Problems
from domain.limits import TRANSACTION_SECONDS
from domain.names import check_digest, check_name
from domain.outcomes import Absent
from domain.sync import SyncPlan
from resolvers.archives import check_archive
from resolvers.context import Context
from resolvers.sync_file import CheckedFile, checked_file, stage_texts
from resolvers.sync_moves import plan_moved
from resolvers.sync_plan import (
    Prepared,
    Sync,
    SyncTaskset,
    content_after,
    dangling_problems,
    draft_of,
    ground_of,
    prepared_plan,
)
from resolvers.workspaces import writable
from storage.bulk import Standing, check_size, row_problems, write_all
from storage.contents import stage
from storage.driver import Session
from storage.metrics import find_by_ref
from storage.publishing import MemberGone, metric_keys, record_key
from storage.records import TASK, TASKSET, Head, Revision

_ATTEMPTS: Final = 5
_LONGEST_DELAY: Final = 0.05


@dataclass(frozen=True, slots=True)
class Synced:
    """The plan, and the taskset with its latest revision afterwards; both None where there is none (dry run)."""

    plan: SyncPlan
    taskset: Head | None
    revision: Revision | None


class _GroundMoved(Exception):
    """What a plan rests on changed before its transaction; plan again."""


async def sync_taskset(context: Context, request: SyncTaskset) -> Synced:
    """Plan, and unless it is a dry run apply, what makes a taskset and its tasks equal to a file; all or nothing.

    Raises Problems with everything wrong, PlanMoved, NotFound, Refused, InvalidInput (LIMIT_EXCEEDED), Conflict.
    """
    await writable(context, request.workspace)
    sync = Sync(context, request, await _checked(context, request))
    # Syncs of one taskset would only invalidate each other's plans.
    async with context.services.transactions.turn(f"sync:{request.ref}"):
        return await _attempts(sync)


async def _attempts(sync: Sync) -> Synced:
    deadline = time.monotonic() + TRANSACTION_SECONDS
    for attempt in count(1):
        found = await sync.stand()
        content = await content_after(sync, found)
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
    check_taskset(draft_of(changes, TasksetHead(None, None, ())), problems)
    if request.plan_digest is not None:
        problems.attempt(check_digest, request.plan_digest, ("planDigest",))
    file = await checked_file(context, request.file, request.workspace, problems)
    problems.finish()
    return file


async def _planned(sync: Sync, content: TasksetContent, found: Standing) -> Prepared:
    """The plan, proved to be the one that was shown, and to be one that can be applied."""
    prepared = await prepared_plan(sync, content, found)
    shown = sync.request.plan_digest
    if shown is not None and shown != prepared.plan.digest:
        raise await plan_moved(sync.context, shown, prepared.basis, prepared.plan, found)
    if prepared.step.revision is not None and found.dangling and not sync.request.changes.remove_missing:
        raise dangling_problems(found)
    await asyncio.to_thread(check_size, prepared.taskset, prepared.step, [each for _, _, each in prepared.tasks])
    refs = {ref for _, task in prepared.cut for ref in task.metrics}
    metrics = await find_by_ref(sync.context.services.database, refs)
    field = sync.request.file.place
    errors = [error for row, task in prepared.cut for error in row_problems(task, metrics, field, row)]
    if errors:
        raise Problems(errors)
    return prepared


async def _check_archives(sync: Sync, prepared: Prepared) -> None:
    """A dry run does without, so that a plan can be made before large archives are uploaded."""
    problems = Collector()
    for row, task in prepared.cut:
        if task.archive is not None:
            try:
                await check_archive(sync.context, task.archive)
            except InvalidInput as error:
                problems.add(error, sync.request.file.place, row)
    problems.finish()


async def _stage(sync: Sync, content: TasksetContent, prepared: Prepared) -> None:
    # Staging many texts takes long; a time limit that cut it would never let a large file through.
    writing_begins()
    wanted = {task.digest for _, task in prepared.cut} - sync.staged
    if wanted:
        await stage_texts(sync.context, sync.request.file, sync.request.workspace, sync.file.texts, wanted)
    if content.digest not in sync.staged and prepared.step.revision is not None:
        await stage(sync.context.services.database, {content.digest: content.text})
        wanted.add(content.digest)
    sync.staged.update(wanted)


async def _apply(sync: Sync, content: TasksetContent, prepared: Prepared, before: Standing) -> Synced:
    services, request = sync.context.services, sync.request

    async def work(session: Session) -> Synced:
        found = await sync.stand(session)
        if ground_of(found) != ground_of(before):
            raise _GroundMoved
        present = await prepared_plan(sync, content, found)
        needed = {task.digest for _, task in present.cut}
        if not needed <= sync.staged or request.plan_digest not in (None, present.plan.digest):
            raise _GroundMoved
        await write_all(services, session, present.taskset, present.step, present.tasks, request.file.place)
        revision = found.revision if present.step.revision is None else present.step.cut
        return Synced(present.plan, present.step.head, revision)

    keys = [record_key(TASKSET, request.ref), *(record_key(TASK, task.ref) for _, task, _ in prepared.tasks)]
    refs = {ref for _, task in prepared.cut for ref in task.metrics}
    return await services.transactions.run([*keys, *metric_keys(refs, request.ref)], work)
