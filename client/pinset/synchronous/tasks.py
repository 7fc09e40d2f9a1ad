# Written by client/generate.py; change pinset/asynchronous/tasks.py instead.
"""Tasks and their revisions."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pinset.errors import not_found, raise_for
from pinset.generated.input_types import (
    CreateTaskInput,
    DeleteTaskInput,
    ReplaceTaskInput,
    RevisionSelector,
    TagTaskInput,
    TaskFilter,
    UntagTaskInput,
)
from pinset.generated.list_task_revisions import ListTaskRevisionsTaskRevisions
from pinset.generated.list_tasks import ListTasksTasks
from pinset.inputs import UNSET, Metadata, Nullable, present, reference, selector, task_of
from pinset.models import CanonicalTaskRevision, ContentDiff, PublishedTask, Task, TaskRevision, TaskSummary
from pinset.synchronous.operations import GeneratedClient
from pinset.synchronous.pages import every


class Tasks:
    """The tasks of a workspace. A spec is `{"evaluator": {…}}`, or the platform's `{"kind": "evaluator", …}`."""

    def __init__(self, api: GeneratedClient, workspace: str) -> None:
        self._api = api
        self._workspace = workspace

    def create(
        self,
        name: str,
        spec: Mapping[str, Any],
        *,
        metadata: Metadata = (),
        tags: Iterable[str] = (),
        project: Nullable = UNSET,
        workspace: str | None = None,
    ) -> Task:
        """Publish revision 1 of a new task. Raises AlreadyExists, InvalidInput."""
        task = task_of(spec, metadata, tags)
        given = present(workspace=workspace or self._workspace, name=name, project=project, task=task)
        payload = (self._api.create_task(CreateTaskInput.model_validate(given))).create_task
        raise_for(payload.errors)
        assert payload.task is not None
        return payload.task

    def replace(
        self,
        name: str,
        spec: Mapping[str, Any],
        *,
        metadata: Metadata = (),
        tags: Iterable[str] = (),
        project: Nullable = UNSET,
        expected_digest: Nullable = UNSET,
        workspace: str | None = None,
    ) -> PublishedTask:
        """Publish content, creating the task where it is missing; `outcome` says what happened.

        With `expected_digest` it happens only where the latest revision has that digest. Raises Conflict, InvalidInput.
        """
        task = task_of(spec, metadata, tags)
        given = present(
            workspace=workspace or self._workspace,
            name=name,
            project=project,
            task=task,
            expectedDigest=expected_digest,
        )
        payload = (self._api.replace_task(ReplaceTaskInput.model_validate(given))).replace_task
        raise_for(payload.errors)
        return payload

    def retrieve(self, name: str, *, workspace: str | None = None) -> Task:
        """A task with its latest revision and all tags. Raises NotFound."""
        found = (self._api.get_task(workspace or self._workspace, name)).task
        if found is None:
            raise not_found(f"The task {name!r}")
        return found

    def retrieve_revision(
        self, name: str, *, revision: str | None = None, tag: str | None = None, workspace: str | None = None
    ) -> CanonicalTaskRevision:
        """Content as published, by digest or tag, the latest without either. Raises ValueError for both, NotFound."""
        ref = reference(name, revision, tag)
        found = (self._api.get_task_revision(ref, workspace or self._workspace)).task_revision
        if found is None:
            raise not_found(f"The task revision {ref!r}")
        return found

    def list(self, *, workspace: str | None = None, page_size: int = 100, **filters: Any) -> Iterator[TaskSummary]:
        """Every task; `filters` are those of `TaskFilter` in snake_case (`name_contains="geo"`)."""
        chosen = TaskFilter(**filters)

        def fetch(after: str | None, first: int) -> ListTasksTasks:
            answer = self._api.list_tasks(workspace or self._workspace, filter_=chosen, first=first, after=after)
            return answer.tasks

        for row in every(fetch, page_size):
            yield row

    def list_revisions(
        self, name: str, *, workspace: str | None = None, page_size: int = 100
    ) -> Iterator[TaskRevision]:
        """Every revision, newest first. Raises NotFound."""

        def fetch(after: str | None, first: int) -> ListTaskRevisionsTaskRevisions:
            answer = self._api.list_task_revisions(workspace or self._workspace, name, first, after)
            if answer.task is None:
                raise not_found(f"The task {name!r}")
            return answer.task.revisions

        for row in every(fetch, page_size):
            yield row

    def tag(
        self,
        name: str,
        tag: str,
        *,
        revision: str | None = None,
        source_tag: str | None = None,
        number: int | None = None,
        workspace: str | None = None,
    ) -> Task:
        """Point a tag at a revision: a digest, another tag, or an ordinal. Raises NotFound, InvalidInput."""
        given = TagTaskInput(
            workspace=workspace or self._workspace,
            name=name,
            tag=tag,
            revision=RevisionSelector.model_validate(selector(revision=revision, tag=source_tag, number=number)),
        )
        payload = (self._api.tag_task(given)).tag_task
        raise_for(payload.errors)
        assert payload.task is not None
        return payload.task

    def untag(self, name: str, tag: str, *, workspace: str | None = None) -> Task:
        """Remove a tag. Raises NotFound."""
        given = UntagTaskInput(workspace=workspace or self._workspace, name=name, tag=tag)
        payload = (self._api.untag_task(given)).untag_task
        raise_for(payload.errors)
        assert payload.task is not None
        return payload.task

    def diff(
        self, name: str, from_: Mapping[str, Any], to: Mapping[str, Any], *, workspace: str | None = None
    ) -> ContentDiff:
        """What turns one revision into the other; both are selectors, `{"number": 1}`. Raises NotFound."""
        sides = [RevisionSelector.model_validate(dict(side)) for side in (from_, to)]
        found = (self._api.diff_task(workspace or self._workspace, name, sides[0], sides[1])).task
        if found is None or found.diff is None:
            raise not_found(f"The task {name!r}, or one of the revisions,")
        return found.diff

    def delete(self, name: str, *, force: bool = False, workspace: str | None = None) -> None:
        """Delete a task with its revisions. Raises InUse where a taskset pins it and `force` is false, NotFound."""
        given = DeleteTaskInput(workspace=workspace or self._workspace, name=name, force=force)
        raise_for((self._api.delete_task(given)).delete_task.errors)
