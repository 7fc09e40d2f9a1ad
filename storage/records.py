"""What the storage room hands up: plain, immutable records, built once from documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

from domain.audit import AuditedType
from domain.canonical import JSON
from domain.grants import Grant
from domain.metrics import MetricOutput, MetricType
from storage.driver import ObjectId


@dataclass(frozen=True, slots=True)
class RecordKind:
    """A kind of versioned record: its noun for messages, its collections, and what the audit log calls it."""

    noun: str
    heads: str
    revisions: str
    audited: AuditedType


Item = TypeVar("Item")

TASK: Final = RecordKind("task", "tasks", "task_revisions", AuditedType.TASK)
TASKSET: Final = RecordKind("taskset", "tasksets", "taskset_revisions", AuditedType.TASKSET)


@dataclass(frozen=True, slots=True)
class WorkspaceRecord:
    """A namespace."""

    id: ObjectId
    name: str
    description: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class MetricRecord:
    """An immutable scorer; `config` and `outputs` are those of its definition, `text` is what its digest covers."""

    id: ObjectId
    workspace: str
    name: str
    project: str | None
    type: MetricType
    description: str | None
    labels: JSON
    config: JSON
    outputs: tuple[MetricOutput, ...]
    text: str
    digest: str
    is_retired: bool
    created_at: datetime
    created_by: str | None

    @property
    def ref(self) -> str:
        """`workspace/name`."""
        return f"{self.workspace}/{self.name}"


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag and where it points: an ordinal (from 1) and the digest of that revision."""

    name: str
    number: int
    digest: str


@dataclass(frozen=True, slots=True)
class TagMove:
    """One entry of a record's tag log, newest first in lists; None where the tag came to be or was removed."""

    id: ObjectId
    tag: str
    from_digest: str | None
    to_digest: str | None
    at: datetime
    by: str | None


@dataclass(frozen=True, slots=True)
class Head:
    """A task or taskset as it stands: where `latest` points, and its other tags (sorted by name)."""

    id: ObjectId
    workspace: str
    name: str
    project: str | None
    number: int
    digest: str
    revision_id: ObjectId
    tags: tuple[Tag, ...]
    created_at: datetime
    updated_at: datetime

    @property
    def ref(self) -> str:
        """`workspace/name`."""
        return f"{self.workspace}/{self.name}"

    def all_tags(self) -> tuple[Tag, ...]:
        """Every tag with `latest` among them, sorted by name."""
        latest = Tag("latest", self.number, self.digest)
        return tuple(sorted((*self.tags, latest), key=lambda tag: tag.name))

    def tags_at(self, number: int) -> list[str]:
        """The names of the tags that point at one ordinal, sorted."""
        return [tag.name for tag in self.all_tags() if tag.number == number]


@dataclass(frozen=True)
class Revision:
    """Immutable published content of a task or taskset, without the content's text.

    `members` are a taskset's pinned references in the order published, `member_ids` the ids of those revisions; both
    are empty where the revision was read as one of a list, `member_count` never is.
    `config` is a harbor task's configuration as canonical text.
    """

    id: ObjectId
    parent: ObjectId
    workspace: str
    name: str
    number: int
    digest: str
    created_at: datetime
    created_by: str | None
    metrics: tuple[str, ...] = ()
    config: str | None = None
    member_count: int = 0
    members: tuple[str, ...] = ()
    member_ids: tuple[ObjectId, ...] = ()

    @property
    def ref(self) -> str:
        """The pinned reference `workspace/name#digest`."""
        return f"{self.workspace}/{self.name}#{self.digest}"

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """Where each member record (`workspace/name`) stands among `members`, from 0."""
        return {member.partition("#")[0]: position for position, member in enumerate(self.members)}


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token as it is stored: everything but its secret, of which only a hash is kept."""

    id: ObjectId
    name: str
    grants: tuple[Grant, ...]
    created_at: datetime
    created_by: str | None
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Content:
    """Stored content as read: the canonical text and its parsed value, or both None where it is corrupt."""

    digest: str
    text: str | None
    value: Any

    @property
    def is_corrupt(self) -> bool:
        """Whether the stored text is missing or no longer matches its digest."""
        return self.text is None


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """A slice of a list: the items, the cursor of each, and what lies on either side."""

    items: tuple[Item, ...]
    cursors: Sequence[str]
    has_next: bool
    has_previous: bool
