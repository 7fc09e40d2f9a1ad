"""Syncs at the same time as other syncs, publishes and deletions, on one server process and on two."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from domain.errors import InUse, NotFound, Problems
from domain.outcomes import ABSENT
from domain.sync import TasksetChanges
from resolvers.context import Context
from resolvers.members import member_revisions, members
from resolvers.metrics import delete_metric, metric
from resolvers.revisions import count_revisions, existing, head, select
from resolvers.sync import sync_taskset
from resolvers.sync_file import NamedTask
from resolvers.sync_plan import SyncTaskset
from resolvers.tasks import delete_task, replace_task
from resolvers.tasksets import delete_taskset
from storage.pages import PageRequest
from storage.records import TASK, TASKSET, Revision
from storage.services import Services, open_services
from tests.conditions import eventually
from tests.drafts import stored_metric, task
from tests.test_sync import CAPITALS, file_of, rows, sync

pytestmark = pytest.mark.anyio


@pytest.fixture(params=[1, 2], ids=["one server", "two servers"])
async def contexts(services: Services, request: pytest.FixtureRequest) -> AsyncIterator[list[Context]]:
    """Contexts to take turns with; all share one database."""
    others = [await open_services(services.client, services.database.name) for _ in range(int(request.param) - 1)]
    yield [Context(server) for server in (services, *others)] * (3 - int(request.param))
    for other in others:
        await other.close()


async def latest(context: Context) -> Revision:
    """The latest revision of the synced taskset."""
    revision = await select(context, TASKSET, await existing(context, TASKSET, "default", "capitals"), None)
    assert revision is not None
    return revision


async def assert_every_pin_resolves(context: Context) -> None:
    listed = (await members(context, await latest(context), PageRequest())).items
    resolved = await member_revisions(context, listed)
    assert {member.ref for member in listed} == set(resolved)


async def test_syncs_of_the_same_file_agree(contexts: list[Context]) -> None:
    done = await asyncio.gather(*(sync(context, rows(CAPITALS)) for context in contexts * 5))
    assert {each.revision and each.revision.number for each in done} == {1}
    found = await existing(contexts[0], TASKSET, "default", "capitals")
    assert await count_revisions(contexts[0], TASKSET, found) == 1
    for name in CAPITALS:
        assert (await existing(contexts[0], TASK, "default", name)).number == 1


async def test_syncs_of_different_files_all_take_place(contexts: list[Context]) -> None:
    files = [rows({**CAPITALS, "japan": f"Tokyo {number}?"}) for number in range(8)]
    await asyncio.gather(*(sync(contexts[number % 2], file) for number, file in enumerate(files)))
    assert (await latest(contexts[0])).number == 8
    assert (await existing(contexts[0], TASK, "default", "japan")).number == 8
    await assert_every_pin_resolves(contexts[0])


async def test_publishes_and_deletions_neither_get_lost_nor_leave_pins_behind(contexts: list[Context]) -> None:
    one, two = contexts
    await sync(one, rows(CAPITALS))

    async def publish(number: int) -> None:
        await replace_task(two, "default", "japan", ABSENT, task(f"Tokyo {number}?"))

    async def remove() -> None:
        with contextlib.suppress(NotFound, InUse):
            await delete_task(two, "default", "peru", force=False)

    async def edit(number: int) -> None:
        edited = rows({"france": CAPITALS["france"], "japan": f"Kyoto {number}?"})
        named = edited if number % 2 else [*edited, NamedTask("peru", task(CAPITALS["peru"]))]
        await sync(one, named, changes=TasksetChanges(remove_missing=True))

    await asyncio.gather(*(work for n in range(10) for work in (publish(n), remove(), edit(n))))
    japan = await existing(one, TASK, "default", "japan")
    assert await count_revisions(one, TASK, japan) == japan.number == 21
    await assert_every_pin_resolves(one)


async def test_a_deleted_taskset_is_made_again(contexts: list[Context]) -> None:
    one, two = contexts

    async def remove() -> None:
        with contextlib.suppress(NotFound):
            await delete_taskset(two, "default", "capitals")

    await asyncio.gather(*(work for n in range(6) for work in (sync(one, rows(CAPITALS)), remove())))
    await sync(two, rows(CAPITALS))
    assert (await latest(one)).member_count == 3
    await assert_every_pin_resolves(one)


async def test_new_content_never_names_a_metric_that_is_gone(contexts: list[Context]) -> None:
    one, two = contexts
    for number in range(5):
        name = f"m{number}"
        await stored_metric(one, name)
        tasks = [NamedTask(f"{name}-{n}", task("?", metrics=[name])) for n in range(3)]
        request = SyncTaskset("default", name, file_of(tasks))
        synced, deleted = await asyncio.gather(
            sync_taskset(one, request), delete_metric(two, "default", name), return_exceptions=True
        )
        assert not isinstance(deleted, BaseException)
        stored = await metric(one, "default", name)
        if isinstance(synced, BaseException):
            assert isinstance(synced, Problems)
            assert await head(one, TASK, "default", f"{name}-0") is None
        else:
            assert stored is not None
            assert stored.is_retired


async def test_a_caller_that_leaves_gets_all_or_nothing(contexts: list[Context]) -> None:
    one, two = contexts
    running = asyncio.create_task(sync(one, rows(CAPITALS)))

    async def has_begun() -> bool:
        return one.services.transactions.is_busy or running.done()

    await eventually(has_begun)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await one.services.transactions.drain()
    assert (await latest(two)).member_count == 3
    await assert_every_pin_resolves(two)
