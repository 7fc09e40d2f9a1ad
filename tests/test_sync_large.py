"""As many tasks as a taskset may have, in one sync: all of them or none, on a MongoDB with a small cache."""

import pytest

from domain.content import HarborDraft, TaskDraft
from domain.errors import ErrorCode, InvalidInput
from domain.limits import MAX_MEMBERS
from domain.sync import TasksetChanges
from resolvers.context import Context
from resolvers.sync import Synced, sync_taskset
from resolvers.sync_file import NamedTask
from resolvers.sync_plan import SyncTaskset
from tests.drafts import task
from tests.test_sync import file_of

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

# With what surrounds it, 5 KB of content a task.
TEXT = "Count the lines of the files below. " * 135


def rows(suffix: str = "", count: int = MAX_MEMBERS, tags: tuple[str, ...] = ()) -> list[NamedTask]:
    """Tasks with contents of their own."""
    return [NamedTask(f"t{number}", task(f"{TEXT}{number}{suffix}", tags=tags)) for number in range(count)]


async def sync(context: Context, tasks: list[NamedTask], *, remove_missing: bool = False) -> Synced:
    changes = TasksetChanges(remove_missing=remove_missing)
    return await sync_taskset(context, SyncTaskset("default", "large", file_of(tasks, 100), changes))


async def counts(context: Context) -> dict[str, int]:
    """How many rows there are of everything that a sync writes in its transaction."""
    names = ("tasks", "task_revisions", "tasksets", "taskset_revisions", "audit")
    return {name: await context.services.database[name].count_documents({}) for name in names}


async def test_ten_thousand_tasks_are_created_and_updated_at_once(context: Context) -> None:
    created = await sync(context, rows())
    assert len(created.plan.to_create) == MAX_MEMBERS
    assert created.revision is not None
    assert created.revision.member_count == MAX_MEMBERS
    stored = await counts(context)
    assert (stored["tasks"], stored["task_revisions"], stored["taskset_revisions"]) == (MAX_MEMBERS, MAX_MEMBERS, 1)

    again = await sync(context, rows())
    assert len(again.plan.unchanged) == MAX_MEMBERS
    assert await counts(context) == stored

    updated = await sync(context, rows(" by hand"))
    assert len(updated.plan.to_update) == MAX_MEMBERS
    assert (await counts(context))["task_revisions"] == 2 * MAX_MEMBERS

    emptied = await sync(context, [], remove_missing=True)
    assert len(emptied.plan.remote_only) == MAX_MEMBERS
    assert (await counts(context))["tasks"] == MAX_MEMBERS


async def test_more_rows_than_a_transaction_carries_are_refused_whole(context: Context) -> None:
    with pytest.raises(InvalidInput, match="60,0") as caught:
        await sync(context, rows(tags=("blessed", "reviewed")))
    assert (caught.value.code, caught.value.path) == (ErrorCode.LIMIT_EXCEEDED, ("tasks",))
    assert set((await counts(context)).values()) == {0}


async def test_more_bytes_than_a_transaction_carries_are_refused_whole(context: Context) -> None:
    config = {"notes": "x" * 5_000_000}
    tasks = [
        NamedTask(f"t{number}", TaskDraft(HarborDraft("default/packages#task", f"{number:064x}", config=config)))
        for number in range(7)
    ]
    with pytest.raises(InvalidInput, match=r"33\.\d MiB") as caught:
        await sync(context, tasks)
    assert (caught.value.code, caught.value.path) == (ErrorCode.LIMIT_EXCEEDED, ("tasks",))
    assert set((await counts(context)).values()) == {0}
