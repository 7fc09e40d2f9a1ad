"""Publishing: one transaction that compares with `latest`, cuts a revision where content differs, and moves tags."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from domain.errors import AlreadyExists, Conflict, ErrorCode, InvalidInput, NotFound
from domain.limits import MAX_TAGS
from domain.names import LATEST
from domain.outcomes import ABSENT, Absent, Outcome
from storage import contents, guards, metrics
from storage.clock import now
from storage.driver import Document, ObjectId, Session
from storage.records import TASK, TASKSET, Head, RecordKind, Revision, Tag
from storage.revisions import find_head, find_revisions, head_record, revision_record
from storage.services import Services
from storage.tags import moved_tags, record_moves


@dataclass(frozen=True, slots=True)
class Publication:
    """Everything that a publish needs, checked and pinned before.

    `facets` are what metadata filters look for; `member_ids` and `member_parents` stand in the order of `members`.
    """

    kind: RecordKind
    workspace: str
    name: str
    text: str
    digest: str
    actor: str | None
    project: str | Absent | None = ABSENT
    tags: Sequence[str] = ()
    expected_digest: str | None = None
    must_be_new: bool = False
    facets: Sequence[str] = ()
    task_kind: str | None = None
    metrics: Sequence[str] = ()
    config: str | None = None
    members: Sequence[str] = ()
    member_ids: Sequence[ObjectId] = ()
    member_parents: Sequence[ObjectId] = ()

    @property
    def ref(self) -> str:
        """`workspace/name`."""
        return f"{self.workspace}/{self.name}"

    @property
    def own_tags(self) -> list[str]:
        """The tags of the body that move by hand: listing `latest` has no effect."""
        return [tag for tag in self.tags if tag != LATEST]


@dataclass(frozen=True, slots=True)
class Published:
    """The record and its revision after a publish, and what it did."""

    head: Head
    revision: Revision
    outcome: Outcome


class MemberGone(Exception):
    """A member was deleted between its resolution and the publish; the caller resolves again."""


_METRIC_PATH: Final = ("task", "spec", "evaluator", "metrics")


async def publish(services: Services, publication: Publication) -> Published:
    """Store content as the record's next revision where it differs from `latest`, else apply tags and project.

    Raises AlreadyExists (`must_be_new`), Conflict (`expected_digest`, or a race of 10 s), NotFound and InvalidInput
    for metrics, MemberGone where a pinned task was deleted meanwhile.
    """
    if not publication.must_be_new:
        unchanged = await _unchanged(services, publication)
        if unchanged is not None:
            return unchanged
    await contents.stage(services.database, {publication.digest: publication.text})
    keys = [f"{publication.kind.noun}:{publication.ref}", *_metric_lanes(publication)]
    return await services.transactions.run(keys, lambda session: _publish(services, session, publication))


async def _unchanged(services: Services, publication: Publication) -> Published | None:
    """The answer where nothing is to be written at all, found without a transaction."""
    head = await find_head(services.database, publication.kind, publication.workspace, publication.name)
    _check_expectation(publication, head)
    if head is None or not _changes_nothing(publication, head):
        return None
    found = await find_revisions(services, publication.kind, [head.revision_id])
    if head.revision_id not in found:
        return None
    return Published(head, found[head.revision_id], Outcome.UNCHANGED)


def _metric_lanes(publication: Publication) -> list[str]:
    """What publishes of one process that write the same guard of a metric wait for."""
    slot = guards.slot_of(publication.ref)
    return [guards.metric_guard(ref, slot) for ref in set(publication.metrics)]


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


def _changes_nothing(publication: Publication, head: Head) -> bool:
    if head.digest != publication.digest or _project_moves(publication, head.project):
        return False
    pointing = {tag.name for tag in head.tags if tag.number == head.number}
    return pointing.issuperset(publication.own_tags)


def _project_moves(publication: Publication, project: str | None) -> bool:
    return publication.project is not ABSENT and publication.project != project


async def _publish(services: Services, session: Session, publication: Publication) -> Published:
    heads = services.database[publication.kind.heads]
    document = await heads.find_one({"workspace": publication.workspace, "name": publication.name}, session=session)
    head = None if document is None else head_record(document)
    _check_expectation(publication, head)
    if head is None or document is None:
        return await _create(services, session, publication)
    if head.digest == publication.digest:
        return await _keep(services, session, publication, head)
    return await _advance(services, session, publication, head, document)


async def _create(services: Services, session: Session, publication: Publication) -> Published:
    identity, at = ObjectId(), now()
    revision = await _cut(services, session, publication, identity, 1, at, ())
    tags, moves = moved_tags((), publication.own_tags, 1, publication.digest)
    document = {
        "_id": identity,
        "workspace": publication.workspace,
        "name": publication.name,
        "project": None if publication.project is ABSENT else publication.project,
        "createdAt": at,
        "updatedAt": at,
        **_pointers(publication, revision, tags),
    }
    await services.database[publication.kind.heads].insert_one(document, session=session)
    if publication.kind is TASK:
        await guards.create(services.database, session, [guards.task_guard(identity)])
    await record_moves(services.database, session, identity, moves, at, publication.actor)
    return Published(head_record(document), revision, Outcome.CREATED)


async def _advance(
    services: Services, session: Session, publication: Publication, head: Head, document: Document
) -> Published:
    at = now()
    known = document.get("metrics", ())
    revision = await _cut(services, session, publication, head.id, head.number + 1, at, known)
    tags, moves = moved_tags(head.tags, publication.own_tags, revision.number, publication.digest)
    changes = {"updatedAt": at, **_pointers(publication, revision, tags), **_project(publication)}
    await services.database[publication.kind.heads].update_one({"_id": head.id}, {"$set": changes}, session=session)
    if publication.kind is TASKSET:
        await services.database[publication.kind.revisions].update_one(
            {"_id": head.revision_id}, {"$set": {"isHead": False}}, session=session
        )
    await record_moves(services.database, session, head.id, moves, at, publication.actor)
    return Published(_moved(head, publication, revision, tags, at), revision, Outcome.PUBLISHED)


async def _keep(services: Services, session: Session, publication: Publication, head: Head) -> Published:
    tags, moves = moved_tags(head.tags, publication.own_tags, head.number, head.digest)
    _check_tag_count(tags)
    at = now()
    if moves or _project_moves(publication, head.project):
        changes = {"updatedAt": at, "tags": [tag_document(tag) for tag in tags], **_project(publication)}
        await services.database[publication.kind.heads].update_one({"_id": head.id}, {"$set": changes}, session=session)
        await record_moves(services.database, session, head.id, moves, at, publication.actor)
        project = head.project if publication.project is ABSENT else publication.project
        head = replace(head, updated_at=at, tags=tuple(tags), project=project)
    document = await services.database[publication.kind.revisions].find_one({"_id": head.revision_id}, session=session)
    if document is None:
        raise RuntimeError(f"the revision that {head.ref} points at is gone")
    return Published(head, revision_record(document), Outcome.UNCHANGED)


async def _cut(
    services: Services,
    session: Session,
    publication: Publication,
    parent: ObjectId,
    number: int,
    at: datetime,
    known_metrics: Sequence[str],
) -> Revision:
    identity = ObjectId()
    await _hold_metrics(services, session, publication, known_metrics)
    if publication.member_parents:
        held = [guards.task_guard(task) for task in publication.member_parents]
        if not await guards.hold(services.database, session, held):
            raise MemberGone
    document = _revision_document(publication, identity, parent, number, at)
    await services.database[publication.kind.revisions].insert_one(document, session=session)
    return revision_record(document)


async def _hold_metrics(services: Services, session: Session, publication: Publication, known: Sequence[str]) -> None:
    """New content may name only metrics that exist and are not retired; a first naming writes the metric's guard."""
    refs = set(publication.metrics)
    new = sorted(refs.difference(known))
    if new and await _hold_new(services, session, publication, new) and len(new) == len(refs):
        return
    found = await metrics.find_by_ref(services.database, refs, session)
    for position, ref in enumerate(publication.metrics):
        metric = found.get(ref)
        if metric is None:
            raise NotFound(f"There is no metric '{ref}'; create it first.", (*_METRIC_PATH, position), ref=ref)
        if metric.is_retired:
            raise InvalidInput(f"The metric '{ref}' is retired; new content cannot name it.", (*_METRIC_PATH, position))
    for ref in new:
        services.metric_ids.put(ref, found[ref].id)
    if not await _hold_new(services, session, publication, new):
        raise RuntimeError(f"a metric of {publication.ref} has no guard")


async def _hold_new(services: Services, session: Session, publication: Publication, refs: Sequence[str]) -> bool:
    """Whether the metrics, by the ids remembered for them, exist and are not retired; they stay so until the commit."""
    ids = [services.metric_ids.get(ref) for ref in refs]
    slot = guards.slot_of(publication.ref)
    held = [guards.metric_guard(identity, slot) for identity in ids if identity is not None]
    return len(held) == len(refs) and await guards.hold(services.database, session, held)


def _revision_document(
    publication: Publication, identity: ObjectId, parent: ObjectId, number: int, at: datetime
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "_id": identity,
        "parent": parent,
        "workspace": publication.workspace,
        "name": publication.name,
        "number": number,
        "digest": publication.digest,
        "createdAt": at,
        "createdBy": publication.actor,
    }
    if publication.kind is TASK:
        return {**document, "metrics": list(publication.metrics), "config": publication.config}
    return {
        **document,
        "isHead": True,
        "memberCount": len(publication.members),
        "members": list(publication.members),
        "memberIds": list(publication.member_ids),
    }


def _pointers(publication: Publication, revision: Revision, tags: Sequence[Tag]) -> dict[str, Any]:
    _check_tag_count(tags)
    pointers: dict[str, Any] = {
        "number": revision.number,
        "digest": revision.digest,
        "revision": revision.id,
        "tags": [tag_document(tag) for tag in tags],
        "facets": list(publication.facets),
    }
    if publication.kind is TASK:
        pointers |= {"kind": publication.task_kind, "metrics": list(dict.fromkeys(publication.metrics))}
    return pointers


def _project(publication: Publication) -> dict[str, Any]:
    return {} if publication.project is ABSENT else {"project": publication.project}


def _moved(head: Head, publication: Publication, revision: Revision, tags: Sequence[Tag], at: datetime) -> Head:
    project = head.project if isinstance(publication.project, Absent) else publication.project
    return replace(
        head,
        number=revision.number,
        digest=revision.digest,
        revision_id=revision.id,
        tags=tuple(tags),
        project=project,
        updated_at=at,
    )


def _check_tag_count(tags: Sequence[Tag]) -> None:
    if len(tags) > MAX_TAGS:
        raise InvalidInput(f"A record has at most {MAX_TAGS} tags.", ("tags",), ErrorCode.LIMIT_EXCEEDED)


def tag_document(tag: Tag) -> Document:
    """A tag as a head's document keeps it: a row of an array, since a dot in a map key would nest."""
    return {"name": tag.name, "number": tag.number, "digest": tag.digest}
