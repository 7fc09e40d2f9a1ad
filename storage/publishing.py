"""Publishing: one transaction that compares with `latest`, cuts a revision where content differs, and moves tags."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from domain.audit import AuditAction
from domain.errors import AlreadyExists, Conflict, InvalidInput, NotFound, UserError
from domain.outcomes import Outcome
from storage import contents, guards, metrics
from storage.clock import now
from storage.driver import Database, Session, UpdateOne
from storage.ledger import note
from storage.publications import Publication, Published, Step, additions, step
from storage.records import TASK, Head, MetricRecord, RecordKind
from storage.revisions import find_head, find_revisions, head_record, revision_record
from storage.services import Services
from storage.tags import move_rows


class MemberGone(Exception):
    """A member was deleted between its resolution and the publish; the caller resolves again."""


_METRIC_PATH: Final = ("task", "spec", "evaluator", "metrics")


async def publish(services: Services, publication: Publication, text: str) -> Published:
    """Store content (`text`) as the record's next revision where it differs from `latest`, else apply tags and project.

    Raises AlreadyExists (`must_be_new`), Conflict (`expected_digest`, or a race of 10 s), NotFound and InvalidInput
    for metrics, MemberGone where a pinned task was deleted meanwhile.
    """
    if not publication.must_be_new:
        unchanged = await _unchanged(services, publication)
        if unchanged is not None:
            return unchanged
    await contents.stage(services.database, {publication.digest: text})
    keys = [record_key(publication.kind, publication.ref), *metric_keys(publication.metrics, publication.ref)]
    return await services.transactions.run(keys, lambda session: _publish(services, session, publication))


def record_key(kind: RecordKind, ref: str) -> str:
    """What the transactions on one record (`workspace/name`) queue for."""
    return f"{kind.noun}:{ref}"


def metric_keys(refs: Iterable[str], holder: str) -> list[str]:
    """What publishes of one process that write the same guard of a metric queue for."""
    slot = guards.slot_of(holder)
    return [guards.metric_guard(ref, slot) for ref in set(refs)]


async def _unchanged(services: Services, publication: Publication) -> Published | None:
    """The answer where nothing is to be written at all, found without a transaction."""
    head = await find_head(services.database, publication.kind, publication.workspace, publication.name)
    _check_expectation(publication, head)
    if head is None or not publication.changes_nothing(head):
        return None
    found = await find_revisions(services, publication.kind, [head.revision_id])
    if head.revision_id not in found:
        return None
    return Published(head, found[head.revision_id], Outcome.UNCHANGED)


def _check_expectation(publication: Publication, head: Head | None) -> None:
    if head is not None and publication.must_be_new:
        raise AlreadyExists(
            f"The {publication.kind.noun} '{head.ref}' exists already; replace it to publish other content.",
            ("name",),
            ref=head.ref,
            digest=head.digest,
        )
    expected, found = publication.expected_digest, None if head is None else head.digest
    if expected is not None and expected != found:
        raise Conflict(
            f"'{publication.ref}' {'does not exist' if found is None else 'is at another digest than expected'}; "
            "read it again before replacing it.",
            ("expectedDigest",),
            current_digest=found,
        )


async def _publish(services: Services, session: Session, publication: Publication) -> Published:
    heads = services.database[publication.kind.heads]
    document = await heads.find_one({"workspace": publication.workspace, "name": publication.name}, session=session)
    head = None if document is None else head_record(document)
    _check_expectation(publication, head)
    planned = step(publication, head, now())
    if planned.revision is None:
        return await _keep(services, session, publication, planned)
    await admit(services, [(publication, planned)])
    refs = set(publication.metrics)
    known: Sequence[str] = () if document is None else document.get("metrics", ())
    found = await hold_metrics(services, session, publication.ref, refs, refs.difference(known))
    if found is not None:
        raise next(metric_problems(publication, found))
    await hold_members(services.database, session, publication)
    await write(services.database, session, publication.kind, [planned])
    return Published(planned.head, planned.cut, planned.outcome)


async def admit(services: Services, steps: Iterable[tuple[Publication, Step]]) -> None:
    """Hold what publishes add to the quotas of their workspaces. Raises InvalidInput (LIMIT_EXCEEDED)."""
    for workspace, (records, size) in additions(steps).items():
        await services.quotas.admit(workspace, records=records, size=size)


async def _keep(services: Services, session: Session, publication: Publication, planned: Step) -> Published:
    await write(services.database, session, publication.kind, [planned])
    revisions = services.database[publication.kind.revisions]
    document = await revisions.find_one({"_id": planned.head.revision_id}, session=session)
    if document is None:
        raise RuntimeError(f"the revision that {planned.head.ref} points at is gone")
    return Published(planned.head, revision_record(document), Outcome.UNCHANGED)


async def write(database: Database, session: Session, kind: RecordKind, steps: Sequence[Step]) -> None:
    """Write what publishes of different records of one kind change, whatever their number in as many commands."""
    revisions = [each.revision for each in steps if each.revision is not None]
    records = [each.record for each in steps if each.record is not None]
    changes = [UpdateOne({"_id": each.head.id}, {"$set": each.changes}) for each in steps if each.changes is not None]
    demoted = [each.demoted for each in steps if each.demoted is not None]
    moves = [row for each in steps for row in move_rows(each.head.id, each.moves, each.at, each.actor)]
    for each in steps:
        _note(kind, each)
    if revisions:
        await database[kind.revisions].insert_many(revisions, session=session)
    if records:
        await database[kind.heads].insert_many(records, session=session)
        if kind is TASK:
            await guards.create(database, session, [guards.task_guard(record["_id"]) for record in records])
    if changes:
        await database[kind.heads].bulk_write(changes, session=session)
    if demoted:
        unset = {"$unset": {"contains": True}}
        await database[kind.revisions].update_many({"_id": {"$in": demoted}}, unset, session=session)
    if moves:
        await database["tag_moves"].insert_many(moves, session=session)


_ACTIONS: Final = {
    Outcome.CREATED: AuditAction.CREATE,
    Outcome.PUBLISHED: AuditAction.PUBLISH,
    Outcome.UNCHANGED: AuditAction.UPDATE,
}


def _note(kind: RecordKind, done: Step) -> None:
    if done.record is None and done.changes is None:
        return
    head = done.head
    note(
        _ACTIONS[done.outcome],
        kind.audited,
        head.id,
        head.ref,
        workspace=head.workspace,
        before=done.before,
        after=head.digest,
    )


async def hold_members(database: Database, session: Session, taskset: Publication) -> None:
    """Rely on a taskset's members until the commit. Raises MemberGone where one was deleted."""
    held = [guards.task_guard(task) for task in taskset.member_parents]
    if not await guards.hold(database, session, held):
        raise MemberGone


async def hold_metrics(
    services: Services, session: Session, holder: str, refs: set[str], new: set[str]
) -> Mapping[str, MetricRecord] | None:
    """Rely on the metrics that new content names until the commit: None where all exist and none is retired.

    Else those that were found, for `metric_problems`. `new` are the ones of `refs` that the record did not name
    before; only they are written, in the guard's slot of `holder` (`workspace/name`).
    """
    if len(new) == len(refs) and await _hold_new(services, session, holder, new):
        return None
    found = await metrics.find_by_ref(services.database, refs, session)
    if any(ref not in found or found[ref].is_retired for ref in refs):
        return found
    for ref in new:
        services.metric_ids.put(ref, found[ref].id)
    if not await _hold_new(services, session, holder, new):
        raise RuntimeError(f"a metric of {holder} has no guard")
    return None


def metric_problems(publication: Publication, found: Mapping[str, MetricRecord]) -> Iterator[UserError]:
    """What is wrong with the metrics that a task's content names: NotFound, InvalidInput for a retired one."""
    for position, ref in enumerate(publication.metrics):
        metric = found.get(ref)
        if metric is None:
            yield NotFound(f"There is no metric '{ref}'; create it first.", (*_METRIC_PATH, position), ref=ref)
        elif metric.is_retired:
            message = f"The metric '{ref}' is retired; new content cannot name it."
            yield InvalidInput(message, (*_METRIC_PATH, position))


async def _hold_new(services: Services, session: Session, holder: str, refs: Iterable[str]) -> bool:
    """Whether the metrics, by the ids remembered for them, exist and are not retired; they stay so until the commit."""
    ids = {ref: services.metric_ids.get(ref) for ref in sorted(refs)}
    slot = guards.slot_of(holder)
    held = [guards.metric_guard(identity, slot) for identity in ids.values() if identity is not None]
    return len(held) == len(ids) and await guards.hold(services.database, session, held)
