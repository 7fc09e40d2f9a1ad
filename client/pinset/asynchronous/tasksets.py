"""Tasksets, their revisions and members."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

from pinset.asynchronous.pages import every
from pinset.errors import not_found, raise_for
from pinset.generated.client import AsyncGeneratedClient
from pinset.generated.input_types import (
    CreateTasksetInput,
    DeleteTasksetInput,
    ReplaceTasksetInput,
    RevisionSelector,
    SyncTasksetInput,
    TagTasksetInput,
    TasksetFilter,
    UntagTasksetInput,
)
from pinset.generated.list_members import ListMembersTasksetRevisionMembers
from pinset.generated.list_taskset_revisions import ListTasksetRevisionsTasksetRevisions
from pinset.generated.list_tasksets import ListTasksetsTasksets
from pinset.inputs import UNSET, Metadata, Nullable, metadata_of, present, reference, selector
from pinset.models import (
    CanonicalTasksetRevision,
    Member,
    PublishedTaskset,
    Synced,
    Taskset,
    TasksetDiff,
    TasksetRevision,
    TasksetSummary,
)


class Tasksets:
    """The tasksets of a workspace; members are references, pinned when published."""

    def __init__(self, api: AsyncGeneratedClient, workspace: str) -> None:
        self._api = api
        self._workspace = workspace

    async def create(
        self,
        name: str,
        tasks: Iterable[str] = (),
        *,
        description: str | None = None,
        files_ref: str | None = None,
        metadata: Metadata = (),
        tags: Iterable[str] = (),
        project: Nullable = UNSET,
        workspace: str | None = None,
    ) -> Taskset:
        """Publish revision 1 of a new taskset. Raises AlreadyExists, InvalidInput, NotFound for a member."""
        taskset = _taskset(tasks, description, files_ref, metadata, tags)
        given = present(workspace=workspace or self._workspace, name=name, project=project, taskset=taskset)
        payload = (await self._api.create_taskset(CreateTasksetInput.model_validate(given))).create_taskset
        raise_for(payload.errors)
        assert payload.taskset is not None
        return payload.taskset

    async def replace(
        self,
        name: str,
        tasks: Iterable[str] = (),
        *,
        description: str | None = None,
        files_ref: str | None = None,
        metadata: Metadata = (),
        tags: Iterable[str] = (),
        project: Nullable = UNSET,
        expected_digest: Nullable = UNSET,
        workspace: str | None = None,
    ) -> PublishedTaskset:
        """Publish content, creating the taskset where it is missing; bare and tag references are resolved again."""
        given = present(
            workspace=workspace or self._workspace,
            name=name,
            project=project,
            taskset=_taskset(tasks, description, files_ref, metadata, tags),
            expectedDigest=expected_digest,
        )
        payload = (await self._api.replace_taskset(ReplaceTasksetInput.model_validate(given))).replace_taskset
        raise_for(payload.errors)
        return payload

    async def sync(
        self,
        name: str,
        tasks: Sequence[Mapping[str, Any]],
        *,
        tasks_blob: str | None = None,
        description: Nullable = UNSET,
        metadata: Metadata | None = None,
        remove_missing: bool = False,
        dry_run: bool = False,
        plan_digest: str | None = None,
        workspace: str | None = None,
    ) -> Synced:
        """Make the taskset and its tasks equal to `tasks`, each `{"name", "task"}`; the plan says what that means.

        Tasks that do not fit a request are uploaded, one a line, and `tasks_blob` is the SHA-256 of that text.
        With `dry_run` nothing is written; with `plan_digest` exactly the plan of that digest is applied, or Conflict.
        """
        given = present(
            workspace=workspace or self._workspace,
            name=name,
            tasks=[dict(task) for task in tasks],
            tasksBlob=UNSET if tasks_blob is None else tasks_blob,
            description=description,
            metadata=UNSET if metadata is None else metadata_of(metadata),
            removeMissing=remove_missing,
            dryRun=dry_run,
            planDigest=UNSET if plan_digest is None else plan_digest,
        )
        payload = (await self._api.sync_taskset(SyncTasksetInput.model_validate(given))).sync_taskset
        raise_for(payload.errors)
        return payload

    async def retrieve(self, name: str, *, workspace: str | None = None) -> Taskset:
        """A taskset with its latest revision and all tags. Raises NotFound."""
        found = (await self._api.get_taskset(workspace or self._workspace, name)).taskset
        if found is None:
            raise not_found(f"The taskset {name!r}")
        return found

    async def retrieve_revision(
        self, name: str, *, revision: str | None = None, tag: str | None = None, workspace: str | None = None
    ) -> CanonicalTasksetRevision:
        """Content as published, by digest or tag, the latest without either. Raises ValueError for both, NotFound."""
        ref = reference(name, revision, tag)
        found = (await self._api.get_taskset_revision(ref, workspace or self._workspace)).taskset_revision
        if found is None:
            raise not_found(f"The taskset revision {ref!r}")
        return found

    async def list(
        self, *, workspace: str | None = None, page_size: int = 100, **filters: Any
    ) -> AsyncIterator[TasksetSummary]:
        """Every taskset; `filters` are those of `TasksetFilter` in snake_case."""
        chosen = TasksetFilter(**filters)

        async def fetch(after: str | None, first: int) -> ListTasksetsTasksets:
            answer = await self._api.list_tasksets(
                workspace or self._workspace, filter_=chosen, first=first, after=after
            )
            return answer.tasksets

        async for row in every(fetch, page_size):
            yield row

    async def list_revisions(
        self, name: str, *, workspace: str | None = None, page_size: int = 100
    ) -> AsyncIterator[TasksetRevision]:
        """Every revision, newest first. Raises NotFound."""

        async def fetch(after: str | None, first: int) -> ListTasksetRevisionsTasksetRevisions:
            answer = await self._api.list_taskset_revisions(workspace or self._workspace, name, first, after)
            if answer.taskset is None:
                raise not_found(f"The taskset {name!r}")
            return answer.taskset.revisions

        async for row in every(fetch, page_size):
            yield row

    async def members(self, ref: str, *, workspace: str | None = None, page_size: int = 200) -> AsyncIterator[Member]:
        """The members of a revision in the order published, each with the text of its content. Raises NotFound."""

        async def fetch(after: str | None, first: int) -> ListMembersTasksetRevisionMembers:
            answer = await self._api.list_members(ref, workspace or self._workspace, first, after)
            if answer.taskset_revision is None:
                raise not_found(f"The taskset revision {ref!r}")
            return answer.taskset_revision.members

        async for row in every(fetch, page_size):
            yield row

    async def tag(
        self,
        name: str,
        tag: str,
        *,
        revision: str | None = None,
        source_tag: str | None = None,
        number: int | None = None,
        workspace: str | None = None,
    ) -> Taskset:
        """Point a tag at a revision: a digest, another tag, or an ordinal. Raises NotFound, InvalidInput."""
        given = TagTasksetInput(
            workspace=workspace or self._workspace,
            name=name,
            tag=tag,
            revision=RevisionSelector.model_validate(selector(revision=revision, tag=source_tag, number=number)),
        )
        payload = (await self._api.tag_taskset(given)).tag_taskset
        raise_for(payload.errors)
        assert payload.taskset is not None
        return payload.taskset

    async def untag(self, name: str, tag: str, *, workspace: str | None = None) -> Taskset:
        """Remove a tag. Raises NotFound."""
        given = UntagTasksetInput(workspace=workspace or self._workspace, name=name, tag=tag)
        payload = (await self._api.untag_taskset(given)).untag_taskset
        raise_for(payload.errors)
        assert payload.taskset is not None
        return payload.taskset

    async def diff(
        self, name: str, from_: Mapping[str, Any], to: Mapping[str, Any], *, workspace: str | None = None
    ) -> TasksetDiff:
        """Members added, removed and changed between two revisions. Raises NotFound."""
        sides = [RevisionSelector.model_validate(dict(side)) for side in (from_, to)]
        found = (await self._api.diff_taskset(workspace or self._workspace, name, sides[0], sides[1])).taskset
        if found is None or found.diff is None:
            raise not_found(f"The taskset {name!r}, or one of the revisions,")
        return found.diff

    async def delete(self, name: str, *, workspace: str | None = None) -> None:
        """Delete a taskset; its tasks stay. Raises NotFound."""
        given = DeleteTasksetInput(workspace=workspace or self._workspace, name=name)
        raise_for((await self._api.delete_taskset(given)).delete_taskset.errors)


def _taskset(
    tasks: Iterable[str], description: str | None, files_ref: str | None, metadata: Metadata, tags: Iterable[str]
) -> dict[str, Any]:
    given = {"tasks": list(tasks), "metadata": metadata_of(metadata), "tags": list(tags)}
    optional = {"description": description, "filesRef": files_ref}
    return {**given, **{key: value for key, value in optional.items() if value is not None}}
