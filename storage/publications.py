"""What a publish is, and the documents that it writes. No I/O: transactions of one record and of many share this."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from domain.content import Archive
from domain.errors import ErrorCode, InvalidInput
from domain.limits import MAX_TAGS
from domain.names import LATEST
from domain.outcomes import ABSENT, Absent, Outcome
from storage.driver import Document, ObjectId
from storage.records import TASK, TASKSET, Head, RecordKind, Revision, Tag
from storage.revisions import head_record, revision_record
from storage.tags import Move, moved_tags


@dataclass(frozen=True, slots=True)
class Pin:
    """A member as it is stored: the pinned reference, the id of that revision and of its task."""

    ref: str
    revision_id: ObjectId
    task_id: ObjectId


@dataclass(frozen=True, slots=True)
class Publication:
    """Everything that a publish needs, checked and pinned before; the content's text is staged on its own.

    `size` is that of the text in bytes. `facets` are what metadata filters look for; `member_ids` and
    `member_parents` stand in the order of `members`.
    """

    kind: RecordKind
    workspace: str
    name: str
    digest: str
    size: int
    actor: str | None
    project: str | Absent | None = ABSENT
    tags: Sequence[str] = ()
    expected_digest: str | None = None
    must_be_new: bool = False
    facets: Sequence[str] = ()
    task_kind: str | None = None
    metrics: Sequence[str] = ()
    config: str | None = None
    archive: Archive | None = None
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

    def moves_project(self, project: str | None) -> bool:
        """Whether a record with this project gets another one."""
        return self.project is not ABSENT and self.project != project

    def changes_nothing(self, head: Head) -> bool:
        """Whether the record stands already as it would after the publish."""
        if head.digest != self.digest or self.moves_project(head.project):
            return False
        pointing = {tag.name for tag in head.tags if tag.number == head.number}
        return pointing.issuperset(self.own_tags)


@dataclass(frozen=True, slots=True)
class Published:
    """The record and its revision after a publish, and what it did."""

    head: Head
    revision: Revision
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Step:
    """What one publish writes, and the record as it is afterwards.

    `revision` and `record` are documents to insert, `changes` are to be set on the record, `demoted` is the taskset
    revision that is the latest no longer; each is None where there is no such write. `before` is the digest that the
    record had.
    """

    head: Head
    outcome: Outcome
    at: datetime
    actor: str | None
    before: str | None = None
    revision: Document | None = None
    record: Document | None = None
    changes: Document | None = None
    demoted: ObjectId | None = None
    moves: Sequence[Move] = ()

    @property
    def writes(self) -> bool:
        """Whether anything is written at all."""
        return self.record is not None or self.changes is not None

    @property
    def cut(self) -> Revision:
        """The revision that is cut."""
        assert self.revision is not None
        return revision_record(self.revision)


def step(publication: Publication, head: Head | None, at: datetime) -> Step:
    """What a publish writes on top of a record, or without one. Raises InvalidInput (LIMIT_EXCEEDED) for 1,001 tags."""
    if head is None:
        return _first(publication, at)
    if head.digest == publication.digest:
        return _kept(publication, head, at)
    return _following(publication, head, at)


def _first(publication: Publication, at: datetime) -> Step:
    identity = ObjectId()
    revision = _revision_document(publication, identity, 1, at)
    tags, moves = moved_tags((), publication.own_tags, 1, publication.digest)
    record = {
        "_id": identity,
        "workspace": publication.workspace,
        "name": publication.name,
        "project": None if publication.project is ABSENT else publication.project,
        "createdAt": at,
        "updatedAt": at,
        **_pointers(publication, revision, tags),
    }
    head = head_record(record)
    return Step(head, Outcome.CREATED, at, publication.actor, revision=revision, record=record, moves=moves)


def _following(publication: Publication, head: Head, at: datetime) -> Step:
    revision = _revision_document(publication, head.id, head.number + 1, at)
    tags, moves = moved_tags(head.tags, publication.own_tags, head.number + 1, publication.digest)
    changes = {"updatedAt": at, **_pointers(publication, revision, tags), **_project(publication)}
    moved = replace(
        _renewed(publication, head, tags, at),
        number=head.number + 1,
        digest=publication.digest,
        revision_id=revision["_id"],
    )
    return Step(
        moved,
        Outcome.PUBLISHED,
        at,
        publication.actor,
        before=head.digest,
        revision=revision,
        changes=changes,
        demoted=head.revision_id if publication.kind is TASKSET else None,
        moves=moves,
    )


def _kept(publication: Publication, head: Head, at: datetime) -> Step:
    tags, moves = moved_tags(head.tags, publication.own_tags, head.number, head.digest)
    _check_tag_count(tags)
    if not moves and not publication.moves_project(head.project):
        return Step(head, Outcome.UNCHANGED, at, publication.actor)
    changes = {"updatedAt": at, "tags": _tag_rows(tags), **_project(publication)}
    kept = _renewed(publication, head, tags, at)
    return Step(kept, Outcome.UNCHANGED, at, publication.actor, before=head.digest, changes=changes, moves=moves)


def _renewed(publication: Publication, head: Head, tags: Sequence[Tag], at: datetime) -> Head:
    project = head.project if isinstance(publication.project, Absent) else publication.project
    return replace(head, tags=tuple(tags), project=project, updated_at=at)


def _revision_document(publication: Publication, parent: ObjectId, number: int, at: datetime) -> dict[str, Any]:
    document: dict[str, Any] = {
        "_id": ObjectId(),
        "parent": parent,
        "workspace": publication.workspace,
        "name": publication.name,
        "number": number,
        "digest": publication.digest,
        "size": publication.size,
        "createdAt": at,
        "createdBy": publication.actor,
    }
    if publication.kind is TASK:
        blobs = {} if publication.archive is None else {"blobs": [publication.archive.blob]}
        return {**document, "metrics": list(publication.metrics), "config": publication.config, **blobs}
    return {
        **document,
        # Only while it is the latest: what a task's tasksets are found by, in the index alone.
        "contains": [ref.partition("#")[0] for ref in publication.members],
        "memberCount": len(publication.members),
        "members": list(publication.members),
        "memberIds": list(publication.member_ids),
    }


def _pointers(publication: Publication, revision: Document, tags: Sequence[Tag]) -> dict[str, Any]:
    _check_tag_count(tags)
    pointers: dict[str, Any] = {
        "number": revision["number"],
        "digest": revision["digest"],
        "revision": revision["_id"],
        "tags": _tag_rows(tags),
        "facets": list(publication.facets),
    }
    if publication.kind is TASK:
        pointers |= {"kind": publication.task_kind, "metrics": list(dict.fromkeys(publication.metrics))}
    return pointers


def _project(publication: Publication) -> dict[str, Any]:
    return {} if publication.project is ABSENT else {"project": publication.project}


def _check_tag_count(tags: Sequence[Tag]) -> None:
    if len(tags) > MAX_TAGS:
        raise InvalidInput(f"A record has at most {MAX_TAGS} tags.", ("tags",), ErrorCode.LIMIT_EXCEEDED)


def _tag_rows(tags: Sequence[Tag]) -> list[Document]:
    """Tags as a record's document keeps them: rows of an array, since a dot in a map key would nest."""
    return [{"name": tag.name, "number": tag.number, "digest": tag.digest} for tag in tags]


def additions(steps: Iterable[tuple[Publication, Step]]) -> dict[str, tuple[int, int]]:
    """The records and bytes that publishes add, by workspace."""
    more: dict[str, tuple[int, int]] = {}
    for publication, each in steps:
        records, size = more.get(publication.workspace, (0, 0))
        cut = publication.size if each.revision is not None else 0
        more[publication.workspace] = (records + (each.record is not None), size + cut)
    return more
