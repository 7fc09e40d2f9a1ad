"""Events of jobs: numbered without a gap, seen once, by any number of readers, and cleaned up after."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator

import pytest

from domain.errors import BadUserInput
from domain.jobs import JobOptions, JobStatus
from evaluation.boards import Boards, moves_of
from evaluation.tails import Tails
from resolvers.context import Context
from resolvers.job_events import job_progress, jobs_progress
from resolvers.jobs import cancel_job, delete_job, pause_job, resume_job, retry_job
from storage import jobs
from storage.driver import Database, ObjectId
from storage.job_events import EventRecord, EventType
from storage.jobs import JobRecord
from tests.job_fixtures import lease, open_context, report, runner_job
from tests.transport_fixtures import until

pytestmark = pytest.mark.anyio


@pytest.fixture
async def context(database: Database) -> AsyncIterator[Context]:
    async with open_context(database) as opened:
        yield opened


async def run(context: Context, job: JobRecord, at_once: int = 50) -> None:
    """Lease and report everything that a job has."""
    while handouts := await lease(context, job, at_once):
        await asyncio.gather(*(report(context, handout) for handout in handouts))


async def collected(
    context: Context, job: JobRecord, after: int | None = None, rate: float | None = None
) -> list[EventRecord]:
    """The whole stream of a job."""
    async with contextlib.aclosing(job_progress(context, job.id, after, rate)) as events:
        return [event async for event in events]


async def test_a_subscriber_gets_a_snapshot_then_every_number_then_the_end(context: Context) -> None:
    job = await runner_job(context, 5)
    reading = asyncio.create_task(collected(context, job))
    await run(context, job, 2)
    events = await reading
    assert [event.seq for event in events] == list(range(13))
    assert [events[0].type, events[1].type, events[-1].type] == [
        EventType.SNAPSHOT,
        EventType.STATUS_CHANGED,
        EventType.ENDED,
    ]
    assert events[-1].progress.counts["COMPLETED"] == 5
    assert events[-1].to_status is JobStatus.COMPLETED


async def test_after_an_end_the_snapshot_precedes_it_and_the_last_number_gives_an_empty_stream(
    context: Context,
) -> None:
    job = await runner_job(context, 2)
    await run(context, job)
    events = await collected(context, job)
    assert [(event.type, event.seq) for event in events] == [(EventType.SNAPSHOT, 5), (EventType.ENDED, 6)]
    assert events[0].progress.counts["COMPLETED"] == 2
    assert await collected(context, job, after=6) == []
    assert [event.seq for event in await collected(context, job, after=0)] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(("after", "rate"), [(-1, None), (1, None), (None, 0.0), (None, float("nan"))])
async def test_malformed_arguments_are_refused(context: Context, after: int | None, rate: float | None) -> None:
    job = await runner_job(context, 1)
    with pytest.raises(BadUserInput):
        await collected(context, job, after, rate)


async def test_an_unknown_job_is_refused(context: Context) -> None:
    with pytest.raises(BadUserInput):
        async for _ in job_progress(context, None, None, None):
            pass


async def test_a_retry_goes_on_for_new_subscribers_after_the_old_ones_ended(context: Context) -> None:
    job = await runner_job(context, 1)
    before = asyncio.create_task(collected(context, job))
    await lease(context, job)
    await cancel_job(context, job.id)
    ended = (await before)[-1]
    assert ended.type is EventType.ENDED
    await retry_job(context, job.id, None)
    after = asyncio.create_task(collected(context, job, after=ended.seq))
    await run(context, job)
    events = await after
    assert [event.type for event in events] == [
        EventType.STATUS_CHANGED,
        EventType.TRIAL_STARTED,
        EventType.TRIAL_FINISHED,
        EventType.ENDED,
    ]
    assert [event.seq for event in events] == list(range(ended.seq + 1, ended.seq + 5))


async def test_a_rate_merges_trial_events_and_keeps_status_and_end(context: Context) -> None:
    job = await runner_job(context, 30)
    reading = asyncio.create_task(collected(context, job, rate=20))
    await pause_job(context, job.id)
    await resume_job(context, job.id)
    await run(context, job, 5)
    events = await reading
    kinds = [event.type for event in events]
    assert kinds.count(EventType.STATUS_CHANGED) >= 2
    assert kinds[-1] is EventType.ENDED
    assert set(kinds) == {EventType.SNAPSHOT, EventType.STATUS_CHANGED, EventType.ENDED}
    assert [event.seq for event in events] == sorted({event.seq for event in events})


async def test_readers_that_leave_and_one_that_stalls_leave_nothing_behind(context: Context) -> None:
    job = await runner_job(context, 40)
    tails, tasks = context.services.shared(Tails), len(asyncio.all_tasks())
    stalled = job_progress(context, job.id, None, None)
    await anext(stalled)
    readers = [asyncio.create_task(collected(context, job)) for _ in range(20)]
    leavers = [asyncio.create_task(collected(context, job)) for _ in range(20)]
    await asyncio.wait_for(lease(context, job), 5)
    for leaver in leavers:
        leaver.cancel()
    await asyncio.gather(*leavers, return_exceptions=True)
    await cancel_job(context, job.id)
    for events in await asyncio.gather(*readers):
        assert [event.seq for event in events] == list(range(events[0].seq, events[-1].seq + 1))
        assert events[-1].type is EventType.ENDED
    await stalled.aclose()
    assert len(tails) == 0
    assert len(asyncio.all_tasks()) == tasks


async def test_a_reader_of_a_tail_that_has_moved_on_reads_the_database(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.tails.TAIL_EVENTS", 10)
    job = await runner_job(context, 100)
    slow = job_progress(context, job.id, 0, None)
    fast = asyncio.create_task(collected(context, job, after=0))
    await run(context, job)
    assert [event.seq for event in await fast] == list(range(1, 203))
    assert [event.seq async for event in slow] == list(range(1, 203))


async def test_a_dashboard_sees_each_unfinished_job_and_every_end(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.boards.ROUND_SECONDS", 0.05)
    old, done = await runner_job(context, 1), await runner_job(context, 1)
    await cancel_job(context, done.id)
    async with contextlib.aclosing(jobs_progress(context, "default")) as events:
        first = await anext(events)
        assert (first.job, first.type) == (old.id, EventType.SNAPSHOT)
        new = await runner_job(context, 1)
        await cancel_job(context, new.id)
        await cancel_job(context, old.id)
        ended: set[object] = set()
        while len(ended) < 2:
            event = await anext(events)
            if event.type is EventType.ENDED:
                ended.add(event.job)
        assert ended == {old.id, new.id}
    with pytest.raises(BadUserInput):
        await anext(jobs_progress(context, "elsewhere"))


async def test_dashboards_of_one_workspace_share_what_is_read(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.boards.ROUND_SECONDS", 0.05)
    reads: list[int] = []

    async def counted(database: Database, ids: list[ObjectId]) -> dict[ObjectId, jobs.JobRecord]:
        reads.append(len(ids))
        return await find_many(database, ids)

    find_many = jobs.find_many
    monkeypatch.setattr(jobs, "find_many", counted)
    job = await runner_job(context, 1)

    begun: list[EventType] = []

    async def watch() -> list[EventType]:
        seen: list[EventType] = []
        async with contextlib.aclosing(jobs_progress(Context(context.services), "default")) as events:
            async for event in events:
                seen.append(event.type)
                begun.extend(seen[:1] if len(seen) == 1 else ())
                if event.type is EventType.ENDED:
                    break
        return seen

    watching = [asyncio.create_task(watch()) for _ in range(50)]
    boards = context.services.shared(Boards)
    await until(lambda: len(begun) == 50)
    assert len(boards) == 1
    await cancel_job(context, job.id)
    for seen in await asyncio.gather(*watching):
        assert (seen[0], seen[-1]) == (EventType.SNAPSHOT, EventType.ENDED)
    assert len(reads) <= 3
    assert len(boards) == 0


async def test_a_dashboard_that_was_overtaken_still_sees_every_end(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.boards.ROUND_SECONDS", 0.01)
    monkeypatch.setattr("evaluation.boards.KEPT_ROUNDS", 1)
    first, second = await runner_job(context, 1), await runner_job(context, 1)
    async with contextlib.aclosing(jobs_progress(context, "default")) as events:
        assert {(await anext(events)).job, (await anext(events)).job} == {first.id, second.id}
        (board,) = context.services.shared(Boards)._boards.values()
        for job in (first, second):
            rounds = board.end
            await cancel_job(context, job.id)
            await until(lambda rounds=rounds: board.end > rounds)  # type: ignore[misc]
        third, brief = await runner_job(context, 1), await runner_job(context, 1)
        await until(lambda: {third.id, brief.id} <= board.known)
        rounds = board.end
        await cancel_job(context, brief.id)
        await until(lambda: board.end > rounds)
        found = [await anext(events) for _ in range(4)]
    assert {(event.job, event.type) for event in found} == {
        (first.id, EventType.ENDED),
        (second.id, EventType.ENDED),
        (third.id, EventType.SNAPSHOT),
        (brief.id, EventType.ENDED),
    }


async def test_a_job_that_is_reopened_is_told_of_as_it_stands_to_who_never_saw_it(context: Context) -> None:
    database = context.services.database
    job = await runner_job(context, 1)
    await cancel_job(context, job.id)
    ended = await jobs.find_many(database, [job.id])
    assert await moves_of(database, ended.values(), {}) == []
    await retry_job(context, job.id, None)
    found = await jobs.find_many(database, [job.id])
    (fresh,) = await moves_of(database, found.values(), {})
    assert [event.type for event in fresh.events] == [EventType.SNAPSHOT]
    (known,) = await moves_of(database, found.values(), {job.id: 0})
    assert [event.type for event in known.events] == [EventType.ENDED, EventType.SNAPSHOT]


async def test_the_stream_of_a_deleted_job_ends(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resolvers.job_events._SILENCE_SECONDS", 0.05)
    job = await runner_job(context, 1)
    await cancel_job(context, job.id)
    await retry_job(context, job.id, None)
    events = job_progress(context, job.id, None, None)
    assert (await anext(events)).type is EventType.SNAPSHOT
    await context.services.database["jobs"].delete_one({"_id": job.id})
    assert [event async for event in events] == []


async def test_deleting_removes_everything(context: Context) -> None:
    job = await runner_job(context, 3)
    await cancel_job(context, job.id)
    assert await delete_job(context, job.id) == job.id
    for collection in ("jobs", "job_tasks", "trials", "job_events"):
        assert await context.services.database[collection].count_documents({}) == 0


@pytest.mark.slow
async def test_two_hundred_reconnects_miss_nothing_and_repeat_nothing(context: Context) -> None:
    job = await runner_job(context, 2_000, JobOptions(max_concurrency=1000))
    async with open_context(context.services.database) as other:
        chance = random.Random(7)
        running = asyncio.create_task(run(context, job, 25))
        seen: list[int] = []
        connections = 0
        last: EventRecord | None = None
        while last is None or last.type is not EventType.ENDED:
            server = (context, other)[connections % 2]
            connections += 1
            most = chance.randint(1, 25) if connections <= 200 else 1_000_000
            async with contextlib.aclosing(job_progress(server, job.id, seen[-1] if seen else 0, None)) as events:
                async for event in events:
                    seen.append(event.seq)
                    last = event
                    most -= 1
                    if most == 0:
                        break
        await running
    assert connections > 200
    assert seen == list(range(1, 4_003))
