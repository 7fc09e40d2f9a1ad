"""Publishing a taskset and many of its tasks in one transaction.

A transaction carries 32 MiB and 50,000 rows at most; texts are staged before it and do not count.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.errors import ErrorCode, InvalidInput, Problems, UserError
from domain.limits import MAX_TRANSACTION_BYTES, MAX_TRANSACTION_ROWS, MEBIBYTE
from storage import guards
from storage.driver import ObjectId, Session, encode
from storage.publications import Pin, Publication, Step
from storage.publishing import MemberGone, admit, hold_metrics, metric_problems, write
from storage.records import TASK, TASKSET, Head, MetricRecord, Revision
from storage.revisions import find_head, find_heads_by_name, newest_with_digest, revision_record
from storage.services import Services

_BATCH: Final = 2_000
# What MongoDB logs of a write beside its document, and all of a held guard.
_ROW_BYTES: Final = 150


@dataclass(frozen=True, slots=True)
class Standing:
    """What is there when a sync is planned: the taskset with its latest revision, and tasks by `workspace/name`.

    `others` are the pins of members outside the file, `dangling` those of them whose task was deleted.
    """

    taskset: Head | None
    revision: Revision | None
    tasks: Mapping[str, Head]
    others: tuple[Pin, ...]
    dangling: tuple[str, ...]

    @property
    def members(self) -> dict[str, str]:
        """Digests of the taskset's members by `workspace/name`, in the order published."""
        if self.revision is None:
            return {}
        return {record: digest for record, _, digest in (ref.partition("#") for ref in self.revision.members)}


async def standing(
    services: Services, workspace: str, name: str, refs: Sequence[str], session: Session | None = None
) -> Standing:
    """Read a taskset and the tasks of a file (`workspace/name`), within a transaction where a session is given."""
    taskset = await find_head(services.database, TASKSET, workspace, name, session)
    revision = None if taskset is None else await _revision(services, taskset.revision_id, session)
    tasks: dict[str, Head] = {}
    for start in range(0, len(refs), _BATCH):
        names = [_split(ref) for ref in refs[start : start + _BATCH]]
        found = await find_heads_by_name(services.database, TASK, names, session)
        tasks |= {head.ref: head for head in found.values()}
    others = {} if revision is None else _outside(revision, set(refs))
    pins = await _pins(services, others, session)
    return Standing(
        taskset,
        revision,
        tasks,
        tuple(pins[ref] for ref in others if ref in pins),
        tuple(ref for ref in others if ref not in pins),
    )


async def _revision(services: Services, identity: ObjectId, session: Session | None) -> Revision | None:
    document = await services.database[TASKSET.revisions].find_one({"_id": identity}, session=session)
    return None if document is None else revision_record(document)


def _outside(revision: Revision, named: set[str]) -> dict[str, ObjectId]:
    pairs = zip(revision.members, revision.member_ids, strict=True)
    return {ref: identity for ref, identity in pairs if ref.partition("#")[0] not in named}


async def _pins(services: Services, wanted: Mapping[str, ObjectId], session: Session | None) -> dict[str, Pin]:
    """Pins by their reference; a task deleted and created again with the same content resolves, under its new id."""
    if not wanted:
        return {}
    query = {"_id": {"$in": list(wanted.values())}}
    cursor = services.database[TASK.revisions].find(query, {"parent": 1}, session=session)
    parents = {row["_id"]: row["parent"] for row in await cursor.to_list(None)}
    pins = {ref: Pin(ref, identity, parents[identity]) for ref, identity in wanted.items() if identity in parents}
    gone = [ref for ref in wanted if ref not in pins]
    heads = await find_heads_by_name(services.database, TASK, map(_split, gone), session)
    parts = {ref: (heads.get(_split(ref)), ref.partition("#")[2]) for ref in gone}
    pairs = {ref: (head.id, digest) for ref, (head, digest) in parts.items() if head is not None}
    restored = await newest_with_digest(services, TASK, pairs.values(), session)
    found = {ref: restored[pair] for ref, pair in pairs.items() if pair in restored}
    return pins | {ref: Pin(ref, revision.id, revision.parent) for ref, revision in found.items()}


async def write_all(
    services: Services,
    session: Session,
    taskset: Publication,
    step: Step,
    tasks: Sequence[tuple[int, Publication, Step]],
    field: str,
) -> None:
    """Write the steps of the tasks, each with its row (from 0) in the input's `field`, and of the taskset.

    Raises Problems for metrics that new content cannot name, InvalidInput (LIMIT_EXCEEDED) for a quota, MemberGone
    where a task that is pinned was deleted meanwhile.
    """
    steps = [each for _, _, each in tasks]
    held = _held(taskset, step, steps)
    cut = [(row, publication) for row, publication, each in tasks if each.revision is not None]
    await admit(services, [(taskset, step), *((publication, each) for _, publication, each in tasks)])
    await _hold_metrics(services, session, taskset.ref, cut, field)
    if not await guards.hold(services.database, session, held):
        raise MemberGone
    await write(services.database, session, TASK, steps)
    await write(services.database, session, TASKSET, [step])


def check_size(taskset: Publication, step: Step, tasks: Sequence[Step]) -> None:
    """Refuse what one transaction cannot carry. Raises InvalidInput (LIMIT_EXCEEDED)."""
    rows = len(_held(taskset, step, tasks))
    size = rows * _ROW_BYTES
    for each in (step, *tasks):
        documents = [document for document in (each.revision, each.record, each.changes) if document is not None]
        # A record brings its guard, and whatever is written an entry of the audit log.
        written = len(documents) + (0 if each.record is None else 1) + (1 if documents else 0) + len(each.moves)
        rows += written
        size += sum(len(encode(document)) for document in documents) + _ROW_BYTES * written
    if rows > MAX_TRANSACTION_ROWS or size > MAX_TRANSACTION_BYTES:
        raise InvalidInput(
            f"The sync would write {rows:,} rows of {size / MEBIBYTE:.1f} MiB at once; one sync writes at most "
            f"{MAX_TRANSACTION_ROWS:,} rows and {MAX_TRANSACTION_BYTES // MEBIBYTE} MiB. Sync a part of the tasks "
            "first, without removing missing ones.",
            ("tasks",),
            ErrorCode.LIMIT_EXCEEDED,
        )


def _held(taskset: Publication, step: Step, tasks: Iterable[Step]) -> list[str]:
    """The guards of the members that are there before; those that are new bring theirs."""
    if step.revision is None:
        return []
    new = {each.head.id for each in tasks if each.record is not None}
    return [guards.task_guard(task) for task in taskset.member_parents if task not in new]


async def _hold_metrics(
    services: Services, session: Session, holder: str, cut: Sequence[tuple[int, Publication]], field: str
) -> None:
    refs = {ref for _, publication in cut for ref in publication.metrics}
    found = await hold_metrics(services, session, holder, refs, refs)
    if found is not None:
        raise Problems([error for row, task in cut for error in row_problems(task, found, field, row)])


def row_problems(task: Publication, found: Mapping[str, MetricRecord], field: str, row: int) -> Iterator[UserError]:
    """What is wrong with the metrics that a row of a file names, with paths from the input."""
    return (error.under(field, row) for error in metric_problems(task, found))


def _split(ref: str) -> tuple[str, str]:
    workspace, _, name = ref.partition("#")[0].partition("/")
    return workspace, name
