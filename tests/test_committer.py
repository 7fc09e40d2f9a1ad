"""What is committed together: each caller gets its own answer, and one that cannot be written harms no neighbour."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import pytest

from domain.errors import NotFound, Refused
from evaluation.committer import MOST_TRIALS, Committers
from evaluation.transitions import Extend, GiveBack
from resolvers.context import Context
from storage.driver import Database, ObjectId
from storage.job_batches import JobBatch
from storage.job_events import EventType, read_after
from storage.jobs import JobRecord
from tests.job_fixtures import lease, open_context, runner_job

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, slots=True)
class Mark:
    """An event with a number; one above 8 bytes cannot be written, one that is refused changes nothing."""

    number: int
    is_refused: bool = False
    trials: Sequence[ObjectId] = ()
    claims: int = 0

    def apply(self, batch: JobBatch) -> int:
        """The number."""
        if self.is_refused:
            raise Refused("No.")
        batch.event(EventType.TRIALS_SETTLED, count=self.number)
        return self.number


UNWRITABLE = 2**70


@pytest.fixture
async def context(database: Database) -> AsyncIterator[Context]:
    async with open_context(database) as opened:
        yield opened


async def commit(context: Context, job: JobRecord, *marks: Mark) -> list[int | BaseException]:
    """What each mark answered."""
    committers = context.services.shared(Committers)
    return await asyncio.gather(*(committers.commit(job.id, mark) for mark in marks), return_exceptions=True)


async def marked(context: Context, job: JobRecord) -> list[tuple[int, int | None]]:
    """The events of the job: their numbers, and those of their marks."""
    return [(event.seq, event.count) for event in await read_after(context.services.database, job.id, 0, 1000)]


async def test_each_caller_gets_its_own_answer(context: Context) -> None:
    job = await runner_job(context)
    answers = await commit(context, job, Mark(1), Mark(2, is_refused=True), Mark(3))
    assert answers[::2] == [1, 3]
    assert isinstance(answers[1], Refused)
    assert await marked(context, job) == [(1, 1), (2, 3)]


async def test_what_cannot_be_written_takes_no_neighbour_with_it(context: Context) -> None:
    job = await runner_job(context)
    answers = await commit(context, job, Mark(1), Mark(UNWRITABLE), Mark(3))
    assert answers[::2] == [1, 3]
    assert isinstance(answers[1], OverflowError)
    assert await marked(context, job) == [(1, 1), (2, 3)]


async def test_more_than_fit_one_commit_are_answered_in_order(context: Context) -> None:
    job = await runner_job(context)
    numbers = list(range(500))
    assert await commit(context, job, *map(Mark, numbers)) == numbers
    assert await marked(context, job) == [(number + 1, number) for number in numbers]


async def test_a_job_that_is_gone_is_not_found(context: Context) -> None:
    with pytest.raises(NotFound):
        await context.services.shared(Committers).commit(ObjectId(), Mark(1))


async def test_a_caller_that_leaves_does_not_undo_its_transition(context: Context) -> None:
    job = await runner_job(context)
    committers = context.services.shared(Committers)
    leaving = asyncio.create_task(committers.commit(job.id, Mark(1)))
    staying = asyncio.create_task(committers.commit(job.id, Mark(2)))
    await asyncio.sleep(0)
    leaving.cancel()
    assert await staying == 2
    assert await marked(context, job) == [(1, 1), (2, 2)]


async def test_a_busy_job_leaves_room_for_others(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    busy, other = await runner_job(context), await runner_job(context)
    monkeypatch.setattr(context.services.transactions, "_places", asyncio.Semaphore(1))
    many = asyncio.create_task(commit(context, busy, *map(Mark, range(10 * MOST_TRIALS))))
    while not context.services.transactions.is_busy:  # noqa: ASYNC110 - the very next turn of the loop is wanted
        await asyncio.sleep(0)
    assert await commit(context, other, Mark(1)) == [1]
    assert not many.done()
    assert len(await many) == 10 * MOST_TRIALS


async def test_a_commit_is_one_change_of_the_job(context: Context) -> None:
    job, last = await runner_job(context), await runner_job(context)
    feed = context.services.feed
    await feed.answering()
    changes: list[ObjectId] = []
    over = asyncio.Event()
    feed.listen("jobs", lambda change: changes.append(change.id) if change.id == job.id else None)
    feed.listen("jobs", lambda change: over.set() if change.id == last.id else None)
    for number in range(3):
        await commit(context, job, Mark(number))
    await commit(context, last, Mark(0))
    await over.wait()
    assert changes == [job.id] * 3


async def test_a_trial_that_another_server_changed_is_read_again(context: Context, database: Database) -> None:
    job = await runner_job(context, tasks=1)
    (handout,) = await lease(context, job)
    token = handout.leased.token
    committers = context.services.shared(Committers)
    extend = Extend([token], 60.0)
    async with open_context(database) as elsewhere:
        # One drain commits them one after the other, and remembers the trial in between.
        many = asyncio.gather(*(committers.commit(job.id, Extend([token] * 100, 60.0)) for _ in range(60)))
        given_back = await elsewhere.services.shared(Committers).commit(job.id, GiveBack([token], "Stopped."))
        answers = await many
    assert given_back == 1
    assert await committers.commit(job.id, extend) == []
    held = [len(answer) for answer in answers]
    assert held == sorted(held, reverse=True)
    assert set(held) <= {0, 100}


async def test_what_comes_while_another_server_keeps_the_job_goes_into_one_commit(context: Context) -> None:
    job = await runner_job(context)
    database = context.services.database
    async with await database.client.start_session() as session:
        session.start_transaction()
        await database["jobs"].update_one({"_id": job.id}, {"$set": {"description": "Kept."}}, session=session)
        first = asyncio.create_task(commit(context, job, Mark(0)))
        while not context.services.transactions.is_busy:  # noqa: ASYNC110 - the very next turn of the loop is wanted
            await asyncio.sleep(0)
        others = asyncio.create_task(commit(context, job, *map(Mark, range(1, 50))))
        await asyncio.sleep(0)
        await session.abort_transaction()
    assert await first + await others == list(range(50))
    events = await read_after(database, job.id, 0, 1000)
    assert len(events) == 50
    assert len({event.at for event in events}) == 1


async def test_closing_waits_for_what_was_handed_in(context: Context) -> None:
    job = await runner_job(context)
    committers = context.services.shared(Committers)
    waiting = asyncio.create_task(committers.commit(job.id, Mark(1)))
    await asyncio.sleep(0)
    await committers.close()
    assert await waiting == 1
    assert await marked(context, job) == [(1, 1)]
