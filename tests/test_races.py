"""Races, with real concurrency, on one server process and on two."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Sequence

import pytest

from domain.errors import AlreadyExists, Conflict, NotFound, Problems
from domain.outcomes import ABSENT, Outcome
from resolvers.context import Context
from resolvers.members import member_revisions, members
from resolvers.metrics import delete_metric, metric
from resolvers.revisions import count_revisions, existing, revisions, tag
from resolvers.tasks import create_task, delete_task, replace_task
from resolvers.tasksets import create_taskset, replace_taskset
from storage.pages import PageRequest
from storage.publications import Published
from storage.records import TASK, TASKSET
from storage.revisions import Selector
from storage.services import Services, open_services
from tests.drafts import stored_metric, suite, task

pytestmark = pytest.mark.anyio


@pytest.fixture(params=[1, 2], ids=["one server", "two servers"])
async def contexts(services: Services, request: pytest.FixtureRequest) -> AsyncIterator[list[Context]]:
    """A context of each server; all share one database."""
    others = [await open_services(services.client, services.database.name) for _ in range(int(request.param) - 1)]
    yield [Context(server) for server in (services, *others)]
    for other in others:
        await other.close()


def on(contexts: Sequence[Context], number: int) -> Context:
    """The server that serves the request of this number."""
    return contexts[number % len(contexts)]


async def settled(attempts: Sequence[Awaitable[object]]) -> list[object]:
    """What each attempt gave, its exception where it failed."""
    return list(await asyncio.gather(*attempts, return_exceptions=True))


async def ordinals(context: Context, name: str) -> list[int]:
    """The ordinals of a task's revisions, oldest first."""
    head = await existing(context, TASK, "default", name)
    page = await revisions(context, TASK, head, PageRequest(first=1000))
    return sorted(revision.number for revision in page.items)


async def test_of_identical_replaces_exactly_one_publishes(contexts: list[Context]) -> None:
    await create_task(contexts[0], "default", "t", None, task("before"))
    results = await asyncio.gather(
        *(replace_task(on(contexts, n), "default", "t", ABSENT, task("after")) for n in range(50))
    )
    outcomes = [result.outcome for result in results]
    assert (outcomes.count(Outcome.PUBLISHED), outcomes.count(Outcome.UNCHANGED)) == (1, 49)
    assert {result.revision.number for result in results} == {2}
    assert await ordinals(contexts[0], "t") == [1, 2]


async def test_of_identical_replaces_of_a_missing_task_one_creates(contexts: list[Context]) -> None:
    results = await asyncio.gather(
        *(replace_task(on(contexts, n), "default", "t", ABSENT, task("same")) for n in range(50))
    )
    outcomes = [result.outcome for result in results]
    assert (outcomes.count(Outcome.CREATED), outcomes.count(Outcome.UNCHANGED)) == (1, 49)
    assert await ordinals(contexts[0], "t") == [1]


async def test_different_replaces_all_publish_with_consecutive_ordinals(contexts: list[Context]) -> None:
    await create_task(contexts[0], "default", "t", None, task("before"))
    results = await asyncio.gather(
        *(replace_task(on(contexts, n), "default", "t", ABSENT, task(str(n))) for n in range(200))
    )
    assert sorted(result.revision.number for result in results) == list(range(2, 202))
    assert await ordinals(contexts[0], "t") == list(range(1, 202))
    head = await existing(contexts[0], TASK, "default", "t")
    newest = next(result for result in results if result.revision.number == 201)
    assert (head.number, head.digest) == (201, newest.revision.digest)


async def test_no_acknowledged_replace_of_a_missing_task_is_lost(contexts: list[Context]) -> None:
    results = await asyncio.gather(
        *(replace_task(on(contexts, n), "default", "t", ABSENT, task(str(n))) for n in range(50))
    )
    assert sorted(result.revision.number for result in results) == list(range(1, 51))
    assert await ordinals(contexts[0], "t") == list(range(1, 51))


async def test_concurrent_creates_of_one_name_have_one_winner(contexts: list[Context]) -> None:
    results = await settled([create_task(on(contexts, n), "default", "t", None, task(str(n))) for n in range(50)])
    winners = [result for result in results if isinstance(result, Published)]
    losers = [result for result in results if isinstance(result, AlreadyExists)]
    assert (len(winners), len(losers)) == (1, 49)
    assert {loser.digest for loser in losers} == {winners[0].revision.digest}


async def test_of_replaces_that_expect_the_same_digest_one_wins(contexts: list[Context]) -> None:
    first = await create_task(contexts[0], "default", "t", None, task("before"))
    results = await settled(
        [replace_task(on(contexts, n), "default", "t", ABSENT, task(str(n)), first.revision.digest) for n in range(20)]
    )
    winners = [result for result in results if isinstance(result, Published)]
    losers = [result for result in results if isinstance(result, Conflict)]
    assert (len(winners), len(losers)) == (1, 19)
    assert {loser.current_digest for loser in losers} == {winners[0].revision.digest}


async def test_tag_moves_all_land(contexts: list[Context]) -> None:
    await create_task(contexts[0], "default", "t", None, task("one"))
    await replace_task(contexts[0], "default", "t", ABSENT, task("two"))
    await asyncio.gather(
        *(tag(on(contexts, n), TASK, "default", "t", f"tag{n}", Selector(number=1 + n % 2), ABSENT) for n in range(50))
    )
    head = await existing(contexts[0], TASK, "default", "t")
    assert {found.name: found.number for found in head.tags} == {f"tag{n}": 1 + n % 2 for n in range(50)}


async def test_of_tag_moves_that_expect_the_same_place_one_wins(contexts: list[Context]) -> None:
    await create_task(contexts[0], "default", "t", None, task("one", tags=["x"]))
    for content in ("two", "three"):
        await replace_task(contexts[0], "default", "t", ABSENT, task(content))
    expected = (await existing(contexts[0], TASK, "default", "t")).tags[0].digest
    results = await settled(
        [tag(on(contexts, n), TASK, "default", "t", "x", Selector(number=2 + n % 2), expected) for n in range(20)]
    )
    assert len([result for result in results if isinstance(result, Conflict)]) == 19


async def _deleting_while_pinning(contexts: list[Context], rounds: int) -> None:
    for number in range(rounds):
        name = f"t{number}"
        await create_task(contexts[0], "default", name, None, task(name))
        pinned, deleted = await settled(
            [
                create_taskset(contexts[0], "default", f"s{number}", None, suite(name)),
                delete_task(on(contexts, 1), "default", name, False),
            ]
        )
        if isinstance(pinned, Published):
            assert isinstance(deleted, Exception)
            page = await members(contexts[0], pinned.revision, PageRequest())
            assert len(await member_revisions(contexts[0], page.items)) == 1
        else:
            assert isinstance(pinned, Problems)
            assert [error.code.value for error in pinned.errors] == ["NOT_FOUND"]
            assert not isinstance(deleted, Exception)


async def test_pinning_never_leaves_a_dangling_member(contexts: list[Context]) -> None:
    await _deleting_while_pinning(contexts, 30)


@pytest.mark.slow
async def test_pinning_never_leaves_a_dangling_member_in_200_rounds(contexts: list[Context]) -> None:
    await _deleting_while_pinning(contexts, 200)


async def test_a_metric_is_never_lost_under_content_that_names_it(contexts: list[Context]) -> None:
    for number in range(20):
        name = f"m{number}"
        await stored_metric(contexts[0], name)
        named, _ = await settled(
            [
                create_task(contexts[0], "default", f"t{number}", None, task(name, metrics=[name])),
                delete_metric(on(contexts, 1), "default", name),
            ]
        )
        found = await metric(contexts[0], "default", name)
        assert (found is not None) == isinstance(named, Published)
        if not isinstance(named, Published):
            assert isinstance(named, NotFound | Conflict)


async def test_publishing_and_deleting_one_task_leaves_a_whole_record_or_none(contexts: list[Context]) -> None:
    for _ in range(20):
        with contextlib.suppress(AlreadyExists):
            await create_task(contexts[0], "default", "t", None, task("first"))
        await settled(
            [
                replace_task(contexts[0], "default", "t", ABSENT, task("second")),
                delete_task(on(contexts, 1), "default", "t", False),
                replace_task(on(contexts, 1), "default", "t", ABSENT, task("third")),
            ]
        )
        database = contexts[0].services.database
        heads = await database["tasks"].find().to_list(None)
        rows = await database["task_revisions"].find().to_list(None)
        assert {row["parent"] for row in rows} == {head["_id"] for head in heads}
        assert sorted(row["number"] for row in rows) == list(range(1, sum(head["number"] for head in heads) + 1))
        assert await database["guards"].count_documents({}) == len(heads)


async def test_a_caller_that_leaves_does_not_cut_its_publish(services: Services) -> None:
    context = Context(services)
    leaving = asyncio.create_task(create_task(context, "default", "t", None, task("x")))
    while not services.transactions.is_busy:  # noqa: ASYNC110 - the very next turn of the loop is wanted
        await asyncio.sleep(0)
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    await services.transactions.drain()
    assert await count_revisions(context, TASK, await existing(context, TASK, "default", "t")) == 1


@pytest.mark.slow
async def test_a_taskset_of_ten_thousand_is_pinned_while_its_members_publish(services: Services) -> None:
    context = Context(services)
    for start in range(0, 10_000, 500):
        await asyncio.gather(
            *(create_task(context, "default", f"t{n}", None, task(f"t{n}")) for n in range(start, start + 500))
        )
    publishing = asyncio.Event()

    async def publish() -> int:
        count = 0
        while not publishing.is_set():
            await replace_task(context, "default", f"t{count % 10_000}", ABSENT, task(f"again {count}"))
            count += 1
        return count

    publishers = [asyncio.create_task(publish()) for _ in range(4)]
    names = [f"t{n}" for n in range(10_000)]
    created = await create_taskset(context, "default", "big", None, suite(*names))
    replaced = await replace_taskset(context, "default", "big", ABSENT, suite(*names))
    publishing.set()
    assert sum(await asyncio.gather(*publishers)) > 10
    assert created.revision.member_count == replaced.revision.member_count == 10_000
    assert (await existing(context, TASKSET, "default", "big")).number == replaced.revision.number
