"""Deletion: refused while pinned, visible where forced, and never haunted by old children."""

import pytest

from domain.errors import AlreadyExists, InUse, NotFound
from domain.outcomes import ABSENT
from resolvers.access import Grant, Scope, Viewer
from resolvers.context import Context
from resolvers.members import member_revisions, member_tasks, members
from resolvers.metrics import count_metrics, delete_metric, metric
from resolvers.revisions import by_reference, count_revisions, existing, revisions
from resolvers.tasks import create_task, delete_task, replace_task
from resolvers.tasksets import create_taskset, replace_taskset
from resolvers.workspaces import create_workspace
from storage.pages import PageRequest
from storage.records import TASK, TASKSET
from storage.services import Services, open_services
from tests.conditions import eventually
from tests.drafts import stored_metric, stored_tasks, suite, task

pytestmark = pytest.mark.anyio


async def test_a_pinned_task_is_kept_and_its_users_are_named(context: Context) -> None:
    await stored_tasks(context, 2)
    first = await create_taskset(context, "default", "s", None, suite("t0"))
    await replace_taskset(context, "default", "s", ABSENT, suite("t1"))
    with pytest.raises(InUse) as caught:
        await delete_task(context, "default", "t0", False)
    assert (caught.value.users, caught.value.hidden_users) == ([first.revision.ref], 0)
    assert (await existing(context, TASK, "default", "t0")).number == 1


async def test_at_most_twenty_readable_users_are_shown(services: Services) -> None:
    open_context = Context(services)
    await create_workspace(open_context, "private", None)
    await stored_tasks(open_context, 1)
    for number in range(22):
        await create_taskset(open_context, "default", f"s{number}", None, suite("t0"))
    await create_taskset(open_context, "private", "secret", None, suite("default/t0"))
    viewer = Viewer("writer", (Grant("default", frozenset({Scope.WRITE})),))
    with pytest.raises(InUse) as caught:
        await delete_task(Context(services, viewer), "default", "t0", False)
    assert (len(caught.value.users), caught.value.hidden_users) == (20, 3)
    assert not any(user.startswith("private/") for user in caught.value.users)


async def test_a_name_that_is_a_prefix_of_another_does_not_count_as_a_use(context: Context) -> None:
    for name in ("t", "t.x", "t-x", "tt", "t!".strip("!") + "0"):
        await create_task(context, "default", name, None, task(name))
    await create_taskset(context, "default", "s", None, suite("t.x", "t-x", "tt", "t0"))
    await delete_task(context, "default", "t", False)
    with pytest.raises(InUse):
        await delete_task(context, "default", "t.x", False)


async def test_a_forced_deletion_leaves_members_dangling_until_the_content_is_back(context: Context) -> None:
    await stored_tasks(context, 2)
    created = await create_taskset(context, "default", "s", None, suite("t0", "t1"))
    await delete_task(context, "default", "t0", True)
    page = await members(context, created.revision, PageRequest())
    found = await member_revisions(context, page.items)
    assert [member.ref in found for member in page.items] == [False, True]
    assert list(await member_tasks(context, page.items)) == ["default/t1"]

    await create_task(context, "default", "t0", None, task("something else"))
    assert page.items[0].ref not in await member_revisions(context, page.items)
    restored = await replace_task(context, "default", "t0", ABSENT, task("t0"))
    again = await member_revisions(context, page.items)
    assert again[page.items[0].ref].id == restored.revision.id


async def test_delete_and_create_again_starts_at_revision_one(context: Context) -> None:
    await create_task(context, "default", "t", None, task("one", tags=["old"]))
    second = await replace_task(context, "default", "t", ABSENT, task("two"))
    await delete_task(context, "default", "t", False)
    created = await create_task(context, "default", "t", None, task("three"))
    assert (created.revision.number, created.head.tags) == (1, ())
    assert await count_revisions(context, TASK, created.head) == 1
    assert await by_reference(context, TASK, f"t#{second.revision.digest}", "default") is None
    assert await by_reference(context, TASK, "t#old", "default") is None
    with pytest.raises(NotFound):
        await delete_task(context, "default", "other", False)


async def test_revisions_are_listed_newest_first(context: Context) -> None:
    for number in range(5):
        await replace_task(context, "default", "t", ABSENT, task(str(number)))
    head = await existing(context, TASK, "default", "t")
    first = await revisions(context, TASK, head, PageRequest(first=2))
    rest = await revisions(context, TASK, head, PageRequest(after=first.cursors[-1]))
    assert [revision.number for revision in (*first.items, *rest.items)] == [5, 4, 3, 2, 1]
    assert (first.has_next, rest.has_next, rest.has_previous) == (True, False, True)


async def test_an_unused_metric_frees_its_name(context: Context) -> None:
    await stored_metric(context, "m", "{{one}}")
    await delete_metric(context, "default", "m")
    assert await metric(context, "default", "m") is None
    other = await stored_metric(context, "m", "{{two}}")
    assert other.is_retired is False
    with pytest.raises(NotFound):
        await delete_metric(context, "default", "nobody")


async def test_a_named_metric_is_retired_and_given_back_to_its_definition(context: Context) -> None:
    stored = await stored_metric(context, "m", "{{one}}")
    await create_task(context, "default", "t", None, task("x", metrics=["m"]))
    await delete_metric(context, "default", "m")
    retired = await metric(context, "default", "m")
    assert retired is not None
    assert (retired.is_retired, retired.id) == (True, stored.id)
    assert await count_metrics(context, "default", None) == 0
    with pytest.raises(AlreadyExists) as caught:
        await stored_metric(context, "m", "{{two}}")
    assert caught.value.digest == stored.digest
    back = await stored_metric(context, "m", "{{one}}")
    assert (back.id, back.is_retired) == (stored.id, False)
    again = await replace_task(context, "default", "t", ABSENT, task("y", metrics=["m"]))
    assert again.revision.number == 2


async def test_a_metric_is_immutable(context: Context) -> None:
    stored = await stored_metric(context, "m", "{{one}}")
    for reference in ("{{one}}", "{{two}}"):
        with pytest.raises(AlreadyExists) as caught:
            await stored_metric(context, "m", reference)
        assert caught.value.digest == stored.digest


async def test_deletion_is_seen_at_once_here_and_soon_on_another_server(services: Services) -> None:
    other = await open_services(services.client, services.database.name)
    try:
        here, there = Context(services), Context(other)
        [published] = await stored_tasks(here, 1)
        pinned = await create_taskset(here, "default", "s", None, suite("t0"))
        page = await members(here, pinned.revision, PageRequest())
        for context in (here, there):
            assert len(await member_revisions(context, page.items)) == 1
        await delete_task(here, "default", "t0", True)
        assert await member_revisions(here, page.items) == {}

        async def gone_there() -> bool:
            return await member_revisions(there, page.items) == {}

        await eventually(gone_there, seconds=2.0)
        assert services.caches.revision(published.revision.id) is None
        assert (await existing(there, TASKSET, "default", "s")).number == 1
    finally:
        await other.close()
