"""Tasks: publish, delete, and who pins them."""

from collections.abc import Sequence
from dataclasses import replace

from domain.canonical import check_json
from domain.content import TaskContent, TaskDraft, check_task
from domain.errors import Collector, NotFound, Problems, UserError
from domain.names import check_digest, check_name
from domain.outcomes import Absent
from resolvers.archives import check_archive
from resolvers.context import Context
from resolvers.revisions import existing
from resolvers.workspaces import writable
from storage.deletion import delete
from storage.driver import ObjectId
from storage.filters import facets_of
from storage.publications import Publication, Published
from storage.publishing import publish
from storage.records import TASK
from storage.revisions import find_head


async def create_task(context: Context, workspace: str, name: str, project: str | None, draft: TaskDraft) -> Published:
    """Store a task's first revision. Raises AlreadyExists, NotFound, Refused, or Problems with everything wrong."""
    return await _publish(context, workspace, name, project, draft, None, must_be_new=True)


async def replace_task(
    context: Context,
    workspace: str,
    name: str,
    project: str | Absent | None,
    draft: TaskDraft,
    expected_digest: str | None = None,
) -> Published:
    """Publish content under a name, which need not exist: a new revision where it differs from `latest`.

    Raises Conflict where `expected_digest` is not that of `latest`, NotFound, Refused, or Problems.
    """
    return await _publish(context, workspace, name, project, draft, expected_digest, must_be_new=False)


async def delete_task(context: Context, workspace: str, name: str, force: bool) -> ObjectId:
    """Remove a task and its revisions. Raises NotFound, Refused, InUse where a taskset pins it and `force` is false."""
    await writable(context, workspace)
    found = await existing(context, TASK, workspace, name)
    return await delete(context.services, TASK, found, force=force, reads=context.viewer.reads)


def check_address(
    name: str, project: str | Absent | None, expected_digest: str | None, noun: str, problems: Collector
) -> None:
    """Collect what is wrong with the arguments that surround the content of a publish."""
    problems.attempt(check_name, name, ("name",), f"{noun} name")
    if not isinstance(project, Absent):
        problems.attempt(check_json, project, ("project",))
    if expected_digest is not None:
        problems.attempt(check_digest, expected_digest, ("expectedDigest",))


async def _publish(
    context: Context,
    workspace: str,
    name: str,
    project: str | Absent | None,
    draft: TaskDraft,
    expected_digest: str | None,
    *,
    must_be_new: bool,
) -> Published:
    await writable(context, workspace)
    problems = Collector()
    check_address(name, project, expected_digest, "task", problems)
    content = checked_content(context, workspace, draft, problems)
    problems.finish()
    assert content is not None
    publication = replace(
        task_publication(context, workspace, name, content, draft.tags),
        project=project,
        expected_digest=expected_digest,
        must_be_new=must_be_new,
    )
    await _check_archive(context, publication)
    return await publish(context.services, publication, content.text)


async def _check_archive(context: Context, publication: Publication) -> None:
    """The archive of what is there already was checked when that was published."""
    if publication.archive is None:
        return
    found = await find_head(context.services.database, TASK, publication.workspace, publication.name)
    if found is None or found.digest != publication.digest:
        await check_archive(context, publication.archive)


def checked_content(context: Context, workspace: str, draft: TaskDraft, problems: Collector) -> TaskContent | None:
    """A task's content, normalised; None where anything is wrong with it, collected with paths under `task`."""
    try:
        content = check_task(draft, workspace)
    except (UserError, Problems) as error:
        problems.add(error, "task")
        return None
    hidden = [ref for ref in content.metrics if not context.viewer.reads(ref.partition("/")[0])]
    for ref in hidden:
        path = ("task", "spec", "evaluator", "metrics", content.metrics.index(ref))
        problems.add(NotFound(f"There is no metric '{ref}'; create it first.", path, ref=ref))
    return None if hidden else content


def task_publication(
    context: Context, workspace: str, name: str, content: TaskContent, tags: Sequence[str]
) -> Publication:
    """What publishing this content under a name takes, whatever is there."""
    return Publication(
        kind=TASK,
        workspace=workspace,
        name=name,
        digest=content.digest,
        size=len(content.text),
        actor=context.actor,
        tags=tags,
        facets=facets_of(content.metadata),
        task_kind=content.kind.value,
        metrics=content.metrics,
        config=content.config,
        archive=content.archive,
    )
