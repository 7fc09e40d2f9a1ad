"""The plan of a sync and all that it writes, computed from the file and from where everything stands."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime

from domain.content import MetadataItem, TasksetContent, TasksetDraft, TasksetHead, check_taskset, taskset_content
from domain.errors import Collector, ErrorCode, InvalidInput, NotFound, Problems, RevisionCorrupt, UserError
from domain.limits import MAX_MEMBERS
from domain.outcomes import ABSENT, Absent
from domain.sync import Basis, PlannedTask, SyncPlan, TasksetChanges
from resolvers.contents import contents
from resolvers.context import Context
from resolvers.sync_file import CheckedFile, TaskFile
from storage.bulk import Standing, standing
from storage.clock import now
from storage.driver import Session
from storage.filters import facets_of
from storage.publications import Pin, Publication, Step, step
from storage.records import TASKSET, Revision


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
class Sync:
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
class Prepared:
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


async def prepared_plan(sync: Sync, content: TasksetContent, found: Standing) -> Prepared:
    # Ten thousand tasks take a second, in which others shall be served.
    return await asyncio.to_thread(_prepare, sync, content, found)


def _prepare(sync: Sync, content: TasksetContent, found: Standing) -> Prepared:
    request, at = sync.request, now()
    steps = [(row, task, _step(request, row, task, found, at)) for row, task in enumerate(sync.file.tasks)]
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
    return Prepared(
        basis,
        basis.plan(found.members, content.digest),
        taskset,
        step(taskset, found.taskset, at),
        [(row, task, each) for row, task, each in steps if each.writes],
    )


def _step(request: SyncTaskset, row: int, task: Publication, found: Standing, at: datetime) -> Step:
    try:
        return step(task, found.tasks.get(task.ref), at)
    except UserError as error:
        raise error.under(request.file.place, row, "task") from None


async def content_after(sync: Sync, found: Standing) -> TasksetContent:
    """The taskset's content after the sync; what the request leaves out is kept."""
    kept = TasksetHead(None, None, ())
    changes = sync.request.changes
    if found.revision is not None and ABSENT in (changes.description, changes.files_ref, changes.metadata):
        kept = await _kept(sync.context, found.revision)
    head = check_taskset(draft_of(changes, kept), Collector())
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


def draft_of(changes: TasksetChanges, kept: TasksetHead) -> TasksetDraft:
    metadata = kept.metadata if isinstance(changes.metadata, Absent) else changes.metadata or ()
    description = kept.description if isinstance(changes.description, Absent) else changes.description
    files_ref = kept.files_ref if isinstance(changes.files_ref, Absent) else changes.files_ref
    return TasksetDraft(description=description, files_ref=files_ref, metadata=metadata)


def ground_of(found: Standing) -> tuple[object, ...]:
    """What the content of the taskset was computed from; where it changed, another content has to be staged."""
    digest = None if found.taskset is None else found.taskset.digest
    return digest, [pin.ref for pin in found.others], found.dangling


def dangling_problems(found: Standing) -> Problems:
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
