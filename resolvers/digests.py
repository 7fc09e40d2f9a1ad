"""The digest that content would get, without storing it."""

from domain.content import TaskDraft, TasksetDraft, check_task
from domain.errors import BadUserInput, Collector, Problems, UserError
from resolvers.context import Context
from resolvers.tasksets import pinned_content


async def digest_of_task(context: Context, draft: TaskDraft, workspace: str) -> str:
    """The digest of a task's content; metric references are qualified in `workspace` and need not exist.

    Raises BadUserInput with every problem in its extensions.
    """
    try:
        return check_task(draft, workspace).digest
    except (UserError, Problems) as error:
        raise refused(error, "task") from None


async def digest_of_taskset(context: Context, draft: TasksetDraft, workspace: str) -> str:
    """The digest of a taskset's content with its members pinned as they are now. Raises BadUserInput."""
    try:
        content, _ = await pinned_content(context, workspace, draft, Collector())
    except Problems as error:
        raise refused(error) from None
    return content.digest


def refused(error: UserError | Problems, *prefix: str) -> BadUserInput:
    """What a read answers where a mutation would answer errors as data."""
    errors = error.errors if isinstance(error, Problems) else [error]
    problems = [
        {"message": each.message, "code": each.code.value, "path": ["content", *prefix, *map(str, each.path)]}
        for each in errors
    ]
    return BadUserInput(error.message, problems=problems)
