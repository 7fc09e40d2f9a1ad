"""What tasks and tasksets share: revisions, the selector that names one, tags and their log, differences."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

import strawberry

from domain.content import MetadataItem as MetadataDraft
from domain.errors import RevisionCorrupt, ServiceUnavailable
from schema.arguments import absent_or
from schema.connections import Connection, Edge
from schema.loading import then, warm
from schema.nodes import Node
from schema.scalars import JSON
from schema.selection import Info, Selection
from storage import records
from storage.records import Content, Head, RecordKind
from storage.revisions import Selector


@strawberry.interface(description="Immutable published content of a task or taskset.")
class Revision(Node):
    kind: ClassVar[RecordKind]
    record: strawberry.Private[records.Revision]

    number: int = strawberry.field(description="Its ordinal among the revisions of its record, from 1.")
    digest: str = strawberry.field(
        description="SHA-256 of the content's canonical text, 64 lowercase hex digits; equal content, equal digest."
    )
    ref: str = strawberry.field(description="The reference that pins it: `workspace/name#digest`.")
    created_at: datetime = strawberry.field(description="When it was published.")
    created_by: str | None = strawberry.field(description="The name of the token that published it.")

    @strawberry.field(description="The tags that point here now, sorted; `latest` among them.")
    def tags(self, info: Info) -> list[str]:
        return then(self.head(info), lambda head: head.tags_at(self.number) if head else [])

    @strawberry.field(description="Whether it is the newest revision of its record, by ordinal.")
    def is_latest(self, info: Info) -> bool:
        return then(self.head(info), lambda head: head is not None and head.number == self.number)

    @strawberry.field(
        description="What was hashed. Null with the error REVISION_CORRUPT where the stored text no longer matches."
    )
    def content(self, info: Info) -> JSON | None:
        return then(self.stored(info), lambda stored: JSON(self.intact(stored).value))

    @strawberry.field(
        description="The exact text whose SHA-256 is the digest, for anyone to check; null as `content` is."
    )
    def canonical(self, info: Info) -> str | None:
        return then(self.stored(info), lambda stored: self.intact(stored).text)

    def head(self, info: Info) -> Any:
        """The record that this is a revision of, an awaitable of Head or None."""
        return info.context.loaders.head[self.kind].load(self.record.parent)

    def stored(self, info: Info) -> Any:
        """The stored content, an awaitable of Content."""
        return info.context.loaders.content.load(self.digest)

    def intact(self, stored: Content) -> Content:
        """The content itself. Raises RevisionCorrupt where its text does not match the digest."""
        if stored.is_corrupt:
            raise RevisionCorrupt(
                f"The stored content of {self.ref} no longer matches its digest; restore it from a backup.",
                ref=self.ref,
            )
        return stored


def found_latest(record: records.Revision | None, ref: str) -> records.Revision:
    """The latest revision of a record, which is missing only where the record was deleted meanwhile."""
    if record is None:
        raise ServiceUnavailable(f"'{ref}' was deleted while it was being read; repeat the request.")
    return record


def found_record(head: Head | None, ref: str) -> Head:
    """The record of a revision, which is missing only where it was deleted meanwhile."""
    if head is None:
        raise ServiceUnavailable(f"The record of '{ref}' was deleted while it was being read; repeat the request.")
    return head


CONTENT_FIELDS = ("content", "canonical", "spec", "metadata", "description", "filesRef")


async def warm_revisions(
    info: Info, kind: RecordKind, revisions: Sequence[records.Revision], wanted: Selection
) -> list[Content]:
    """Load in bulk what the selection asks of these revisions; their contents where it asks for those, else nothing."""
    loaders = info.context.loaders
    if wanted.has("tags", "isLatest", kind.noun):
        await warm(loaders.head[kind], [revision.parent for revision in revisions])
    if wanted.has(*CONTENT_FIELDS):
        return await warm(loaders.content, [revision.digest for revision in revisions])
    return []


@strawberry.input(one_of=True, description="Names one revision of a record, by exactly one of the fields.")
class RevisionSelector:
    digest: str | None = strawberry.field(
        description="64 lowercase hex digits; the newest revision that carries this content."
    )
    tag: str | None = strawberry.field(description="The revision that the tag points at now.")
    number: int | None = strawberry.field(description="The ordinal, from 1.")

    def to_storage(self) -> Selector:
        """The selector that storage understands."""
        return Selector(self.digest, self.tag, self.number)


def selector_of(input: RevisionSelector | None) -> Selector | None:
    """What an optional selector names; None means the latest revision."""
    return input.to_storage() if input else None


@strawberry.type(description="A movable pointer to a revision.")
class Tag:
    name: str = strawberry.field(description="The name, unique within its record; `latest` moves by itself.")
    number: int = strawberry.field(description="The ordinal of the revision that it points at, from 1.")
    digest: str = strawberry.field(description="The digest of that revision.")


def present_tags(head: Head) -> list[Tag]:
    """Every tag of a record, `latest` among them, sorted by name."""
    return [Tag(name=tag.name, number=tag.number, digest=tag.digest) for tag in head.all_tags()]


@strawberry.type(description="One move of a tag: when, by whom, from where to where.")
class TagMove:
    tag: str = strawberry.field(description="The name of the tag.")
    from_digest: str | None = strawberry.field(description="Where it pointed before; null where it was new.")
    to_digest: str | None = strawberry.field(description="Where it points since; null where it was removed.")
    at: datetime = strawberry.field(description="When it moved.")
    by: str | None = strawberry.field(description="The name of the token that moved it.")


@strawberry.type(description="One tag move of a page.")
class TagMoveEdge(Edge[TagMove]):
    pass


@strawberry.type(description="A page of tag moves, newest first.")
class TagMoveConnection(Connection[TagMove, TagMoveEdge]):
    edge_type = TagMoveEdge


def present_move(record: records.TagMove) -> TagMove:
    """The GraphQL object of one entry of the tag log."""
    return TagMove(
        tag=record.tag, from_digest=record.from_digest, to_digest=record.to_digest, at=record.at, by=record.by
    )


@strawberry.type(description="How the content of one revision becomes that of another.")
class ContentDiff:
    from_: str = strawberry.field(name="from", description="The digest of the revision that the patch applies to.")
    to: str = strawberry.field(description="The digest of the revision that the patch leads to.")
    is_empty: bool = strawberry.field(description="Whether both have the same content.")
    patch: JSON = strawberry.field(description="RFC 6902 operations, a JSON array.")


@strawberry.type(description="One annotation of a revision.")
class MetadataItem:
    key: str = strawberry.field(description="The key, unique within its revision.")
    value: JSON | None = strawberry.field(description="The value, any JSON; null is a value.")


def present_metadata(items: Sequence[Any]) -> list[MetadataItem]:
    """The annotations in stored content, in their order."""
    return [MetadataItem(key=item["key"], value=item["value"]) for item in items]


@strawberry.input(description="One annotation to store.")
class MetadataItemInput:
    key: str = strawberry.field(description="The key, unique within its revision.")
    value: JSON | None = strawberry.field(
        default=strawberry.UNSET, description="The value, any JSON. Required: send null to store null."
    )


def metadata_drafts(items: Sequence[MetadataItemInput]) -> list[MetadataDraft]:
    """Annotations as the domain takes them, a value that was not sent as ABSENT."""
    return [MetadataDraft(item.key, absent_or(item.value)) for item in items]
