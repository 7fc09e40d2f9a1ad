"""What a committer remembers between commits, and when it must not believe it."""

from collections import deque
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, TypeVar

import pytest

from evaluation.committer import Transition
from evaluation.transitions import Claim, Extend, GiveBack, Leased
from resolvers.context import Context
from storage.driver import BlockingDatabase, BlockingSession, Database, ObjectId
from storage.job_batches import READ_AHEAD, JobBatch
from storage.job_memory import JobMemory, KnownTrials
from storage.jobs import JobRecord
from tests.job_fixtures import open_context, runner_job

pytestmark = pytest.mark.anyio

Answer = TypeVar("Answer")
MARK, FOREIGN, TRIAL, ENDED, WAITING = (ObjectId() for _ in range(5))


def known() -> KnownTrials:
    """A leased trial, one that has ended, and one that waits."""
    leases: dict[ObjectId, Any] = {TRIAL: {"token": "x"}, ENDED: None, WAITING: None}
    trials = {identity: {"_id": identity, "lease": lease} for identity, lease in leases.items()}
    return KnownTrials(trials, deque([trials[WAITING]]))


@pytest.fixture
async def context(database: Database) -> AsyncIterator[Context]:
    async with open_context(database) as opened:
        yield opened


async def commit(context: Context, job: JobRecord, memory: JobMemory, *transitions: Transition[Answer]) -> list[Answer]:
    """The answers of one commit of a server that remembers so much."""

    def work(database: BlockingDatabase, session: BlockingSession) -> tuple[list[Answer], JobBatch]:
        batch = JobBatch.open(database, session, job.id, memory)
        assert batch is not None
        batch.expect_claims(sum(transition.claims for transition in transitions))
        answers = [transition.apply(batch) for transition in transitions]
        batch.flush()
        return answers, batch

    answers, batch = await context.services.transactions.in_thread(
        partial(context.services.transactions.run_here, work)
    )
    batch.remember(memory)
    return answers


def claim(count: int) -> Claim:
    """A claim of so many trials."""
    return Claim("robot", count, 60.0)


def positions(leased: list[Leased]) -> list[int]:
    """The places of trials in the work list."""
    return [each.trial.position for each in leased]


async def test_an_empty_memory_knows_nothing_of_others() -> None:
    memory = JobMemory()
    assert memory.recall(FOREIGN).by_id == {}
    assert not memory.is_shared


async def test_leased_and_waiting_trials_are_remembered() -> None:
    memory = JobMemory()
    memory.keep(MARK, known())
    recalled = memory.recall(MARK)
    assert set(recalled.by_id) == {TRIAL, WAITING}
    assert [trial["_id"] for trial in recalled.waiting] == [WAITING]
    assert not memory.is_shared


async def test_a_batch_that_failed_leaves_nothing() -> None:
    memory = JobMemory()
    memory.keep(MARK, known())
    memory.recall(MARK)
    assert memory.recall(MARK) == KnownTrials()
    assert not memory.is_shared


async def test_nothing_is_believed_after_another_server_came_in_between() -> None:
    memory = JobMemory()
    memory.keep(MARK, known())
    assert memory.recall(FOREIGN) == KnownTrials()
    assert memory.is_shared


async def test_a_server_that_stays_away_is_forgotten() -> None:
    memory = JobMemory()
    memory.keep(MARK, known())
    memory.recall(FOREIGN)
    shared = []
    for _ in range(100):
        memory.keep(MARK, known())
        memory.recall(MARK)
        shared.append(memory.is_shared)
    assert shared[0]
    assert not shared[-1]


async def test_claims_go_through_the_work_list_to_its_end(context: Context) -> None:
    job = await runner_job(context, tasks=READ_AHEAD + 50)
    memory = JobMemory()
    taken: list[int] = []
    for count in (1, 2, 30, 7, READ_AHEAD, READ_AHEAD, 5):
        for leased in await commit(context, job, memory, claim(count), claim(1)):
            taken += positions(leased)
    assert taken == list(range(READ_AHEAD + 50))


async def test_a_trial_that_is_given_back_is_the_next_again(context: Context) -> None:
    job = await runner_job(context, tasks=10)
    memory = JobMemory()
    (leased,) = await commit(context, job, memory, claim(3))
    assert await commit(context, job, memory, GiveBack([leased[0].token], "Stopped.")) == [1]
    (again,) = await commit(context, job, memory, claim(2))
    assert positions(again) == [0, 3]


async def test_one_given_back_beside_a_claim_is_the_next_again(context: Context) -> None:
    job = await runner_job(context, tasks=10)
    memory = JobMemory()
    (leased,) = await commit(context, job, memory, claim(3))
    await commit(context, job, memory, GiveBack([leased[0].token], "Stopped."), claim(1))
    (again,) = await commit(context, job, memory, claim(2))
    assert positions(again) == [0, 4]


async def test_two_servers_never_claim_the_same_trial(context: Context) -> None:
    job = await runner_job(context, tasks=10)
    first, second = JobMemory(), JobMemory()
    taken: list[int] = []
    for memory in (first, second, first, first, second):
        for leased in await commit(context, job, memory, claim(2)):
            taken += positions(leased)
    assert taken == list(range(10))


async def test_a_lease_that_another_server_took_back_does_not_hold(context: Context) -> None:
    job = await runner_job(context, tasks=1)
    first, second = JobMemory(), JobMemory()
    (leased,) = await commit(context, job, first, claim(1))
    tokens = [leased[0].token]
    assert await commit(context, job, first, Extend(tokens, 60.0)) == [[tokens[0].text]]
    assert await commit(context, job, second, GiveBack(tokens, "Stopped.")) == [1]
    assert await commit(context, job, first, Extend(tokens, 60.0)) == [[]]
