"""Tasksets: pin members, publish, delete."""

from collections.abc import Sequence
from typing import Final

from domain.content import TasksetContent, TasksetDraft, TasksetHead, check_taskset, taskset_content
from domain.errors import Collector, Conflict, ErrorCode, InvalidInput, NotFound, Problems, UserError
from domain.limits import MAX_MEMBERS
from domain.outcomes import Absent
from domain.references import Reference, parse_reference
from resolvers.context import Context
from resolvers.revisions import existing
from resolvers.tasks import check_address
from resolvers.workspaces import writable
from storage.deletion import delete
from storage.driver import ObjectId
from storage.filters import facets_of
from storage.publications import Pin, Publication, Published
from storage.publishing import MemberGone, publish
from storage.records import TASK, TASKSET, Head
from storage.revisions import find_heads_by_name, newest_with_digest

_ATTEMPTS: Final = 5
_BATCH: Final = 1_000


async def create_taskset(
    context: Context, workspace: str, name: str, project: str | None, draft: TasksetDraft
) -> Published:
    """Store a taskset's first revision. Raises AlreadyExists, NotFound, Refused, or Problems with everything wrong."""
    return await _publish(context, workspace, name, project, draft, None, must_be_new=True)


async def replace_taskset(
    context: Context,
    workspace: str,
    name: str,
    project: str | Absent | None,
    draft: TasksetDraft,
    expected_digest: str | None = None,
) -> Published:
    """Publish content under a name, which need not exist; bare and tag references are resolved anew.

    Raises Conflict where `expected_digest` is not that of `latest`, NotFound, Refused, or Problems.
    """
    return await _publish(context, workspace, name, project, draft, expected_digest, must_be_new=False)


async def delete_taskset(context: Context, workspace: str, name: str) -> ObjectId:
    """Remove a taskset and its revisions; its tasks stay. Raises NotFound, Refused."""
    await writable(context, workspace)
    found = await existing(context, TASKSET, workspace, name)
    return await delete(context.services, TASKSET, found, force=True, reads=context.viewer.reads)


async def pinned_content(
    context: Context, workspace: str, draft: TasksetDraft, problems: Collector
) -> tuple[TasksetContent, list[Pin]]:
    """A taskset's content with its members pinned, and the pins in the order submitted.

    Raises Problems: what `problems` holds already and everything wrong with the taskset, paths under `taskset`.
    """
    found = Collector()
    head: TasksetHead = check_taskset(draft, found)
    references = _references(draft.tasks, workspace, found)
    pins = await _pins(context, references, found)
    content = _content(head, pins, found)
    if found.errors:
        problems.add(Problems(found.errors), "taskset")
    problems.finish()
    assert content is not None
    return content, pins


async def _publish(
    context: Context,
    workspace: str,
    name: str,
    project: str | Absent | None,
    draft: TasksetDraft,
    expected_digest: str | None,
    *,
    must_be_new: bool,
) -> Published:
    await writable(context, workspace)
    for _ in range(_ATTEMPTS):
        problems = Collector()
        check_address(name, project, expected_digest, "taskset", problems)
        content, pins = await pinned_content(context, workspace, draft, problems)
        publication = Publication(
            kind=TASKSET,
            workspace=workspace,
            name=name,
            digest=content.digest,
            size=len(content.text),
            actor=context.actor,
            project=project,
            tags=draft.tags,
            expected_digest=expected_digest,
            must_be_new=must_be_new,
            facets=facets_of(content.metadata),
            members=[pin.ref for pin in pins],
            member_ids=[pin.revision_id for pin in pins],
            member_parents=[pin.task_id for pin in pins],
        )
        try:
            return await publish(context.services, publication, content.text)
        except MemberGone:
            continue
    raise Conflict("Members kept being deleted and created again; try again.", ("taskset", "tasks"))


def _references(tasks: Sequence[str], workspace: str, problems: Collector) -> dict[int, Reference]:
    if len(tasks) > MAX_MEMBERS:
        problems.add(
            InvalidInput(
                f"A taskset has at most {MAX_MEMBERS:,} members; this one lists {len(tasks):,}.",
                ("tasks",),
                ErrorCode.LIMIT_EXCEEDED,
            )
        )
        return {}
    references: dict[int, Reference] = {}
    first: dict[str, int] = {}
    for position, text in enumerate(tasks):
        reference = problems.attempt(parse_reference, text, workspace, ("tasks", position))
        if reference is None:
            continue
        before = first.setdefault(reference.record, position)
        if before != position:
            message = (
                f"The task '{reference.record}' stands at positions {before} and {position}; a task is a member once."
            )
            problems.add(InvalidInput(message, ("tasks", position), ErrorCode.DUPLICATE_MEMBER))
            continue
        references[position] = reference
    return references


async def _pins(context: Context, references: dict[int, Reference], problems: Collector) -> list[Pin]:
    pins: list[Pin] = []
    items = list(references.items())
    for start in range(0, len(items), _BATCH):
        batch = dict(items[start : start + _BATCH])
        names = [(ref.workspace, ref.name) for ref in batch.values() if context.viewer.reads(ref.workspace)]
        heads = await find_heads_by_name(context.services.database, TASK, names)
        pins += await _pin_batch(context, batch, heads, problems)
    return pins


async def _pin_batch(
    context: Context, batch: dict[int, Reference], heads: dict[tuple[str, str], Head], problems: Collector
) -> list[Pin]:
    wanted: dict[int, tuple[Head, str]] = {}
    for position, ref in batch.items():
        head = heads.get((ref.workspace, ref.name))
        digest = None if head is None else _digest(head, ref)
        if head is None or digest is None:
            missing = f"There is no task '{ref.record}'." if head is None else f"'{ref.record}' has no tag '{ref.tag}'."
            problems.add(NotFound(missing, ("tasks", position), ref=str(ref)))
        else:
            wanted[position] = (head, digest)
    older = {(head.id, digest) for head, digest in wanted.values() if digest != head.digest}
    found = await newest_with_digest(context.services, TASK, older)
    pins: list[Pin] = []
    for position, (head, digest) in wanted.items():
        revision = found.get((head.id, digest))
        if digest != head.digest and revision is None:
            message = f"'{head.ref}' has no revision with the digest {digest}."
            problems.add(NotFound(message, ("tasks", position), ref=str(batch[position])))
            continue
        identity = head.revision_id if revision is None else revision.id
        pins.append(Pin(f"{head.ref}#{digest}", identity, head.id))
    return pins


def _digest(head: Head, reference: Reference) -> str | None:
    if reference.digest is not None:
        return reference.digest
    return next((tag.digest for tag in head.all_tags() if tag.name == reference.tag), None)


def _content(head: TasksetHead, pins: Sequence[Pin], problems: Collector) -> TasksetContent | None:
    if problems.errors:
        return None
    try:
        return taskset_content(head, [pin.ref for pin in pins])
    except UserError as error:
        problems.add(error)
        return None
