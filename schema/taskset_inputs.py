"""Taskset content as a client writes it, and its translation to the domain's drafts."""

import strawberry

from domain.content import TasksetDraft
from schema.revisions import MetadataItemInput, metadata_drafts


@strawberry.input(description="The content of a taskset.")
class TasksetInput:
    description: str | None = strawberry.field(description="What it is for, at most 1000 characters.")
    tasks: list[str] = strawberry.field(
        default_factory=list,
        description=(
            "References of its members in order, at most 10,000, each task once: `name`, `workspace/name`, either "
            "with `#tag` or `#digest`. What they name now is pinned."
        ),
    )
    files_ref: str | None = strawberry.field(description="Files that belong to it: `workspace/fileset#path`.")
    metadata: list[MetadataItemInput] = strawberry.field(
        default_factory=list, description="Annotations with unique keys; their order is part of the digest."
    )
    tags: list[str] = strawberry.field(
        default_factory=list,
        description="Tags to point at this revision, at most 1000 a record; they are not part of the digest.",
    )


def taskset_draft(input: TasksetInput) -> TasksetDraft:
    """The draft of a taskset."""
    metadata = metadata_drafts(input.metadata)
    return TasksetDraft(input.description, input.tasks, input.files_ref, metadata, input.tags)
