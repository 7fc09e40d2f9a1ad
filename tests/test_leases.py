"""Leases: taking trials, holding them, reporting them, and losing them."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from domain.errors import ErrorCode, Problems, Refused
from domain.jobs import JobOptions, JobStatus
from domain.trials import TrialError, TrialOutcome, TrialStatus, Usage
from evaluation.sweeper import return_expired
from resolvers.context import Context
from resolvers.jobs import cancel_job, job, pause_job, resume_job, retry_job
from resolvers.leases import extend_leases, lease_trials, report_trial
from resolvers.trials import payloads, trials
from storage.driver import Database
from storage.jobs import JobRecord
from storage.pages import PageRequest
from tests.job_fixtures import lease, open_context, report, runner_job

pytestmark = pytest.mark.anyio


@pytest.fixture
async def context(database: Database) -> AsyncIterator[Context]:
    async with open_context(database) as opened:
        yield opened


async def now_is(context: Context, found: JobRecord) -> JobRecord:
    """The job as it stands."""
    read = await job(context, found.id)
    assert read is not None
    return read


async def expire(context: Context, found: JobRecord) -> None:
    """Let the time of every lease of a job be over, and have the leases returned."""
    await context.services.database["trials"].update_many(
        {"job": found.id, "lease": {"$ne": None}}, [{"$set": {"lease.expiresAt": {"$subtract": ["$$NOW", 1]}}}]
    )
    await return_expired(context.services)


async def test_a_trial_is_leased_reported_and_ends_its_job(context: Context) -> None:
    submitted = await runner_job(context, 2)
    assert (submitted.status, submitted.progress.total) == (JobStatus.PENDING, 2)
    first, second = await lease(context, submitted, 5)
    assert (await now_is(context, submitted)).status is JobStatus.ACTIVE
    trial = await report(context, first, TrialOutcome(output="done", reward=0.5, usage=Usage(3, 4, 0.25)))
    assert (trial.status, trial.reward) == (TrialStatus.COMPLETED, 0.5)
    await report(context, second, TrialOutcome(error=TrialError("CRASH", "It broke.")))
    ended = await now_is(context, submitted)
    assert ended.status is JobStatus.COMPLETED
    assert (ended.progress.counts["COMPLETED"], ended.progress.counts["FAILED"]) == (1, 1)
    assert (ended.progress.mean_reward, ended.progress.input_tokens, ended.progress.cost_usd) == (0.5, 3, 0.25)
    assert ended.seq == 6
    assert (await payloads(context, trial.id))[1].output == "done"


async def test_the_same_report_twice_answers_the_same_trial_and_another_one_is_lost(context: Context) -> None:
    submitted = await runner_job(context, 1)
    [handout] = await lease(context, submitted)
    once = await report(context, handout)
    again = await report(context, handout)
    assert once == again
    with pytest.raises(Refused) as raised:
        await report(context, handout, TrialOutcome(reward=0.0))
    assert raised.value.code is ErrorCode.LEASE_LOST
    assert len((await now_is(context, submitted)).progress.counts) == 7


async def test_a_lost_lease_makes_a_second_attempt_and_its_late_report_changes_nothing(context: Context) -> None:
    submitted = await runner_job(context, 1)
    [dead] = await lease(context, submitted)
    await expire(context, submitted)
    waiting = await now_is(context, submitted)
    assert (waiting.progress.counts["PENDING"], waiting.progress.retries) == (1, 1)
    with pytest.raises(Refused) as raised:
        await report(context, dead)
    assert raised.value.code is ErrorCode.LEASE_LOST
    [alive] = await lease(context, submitted)
    trial = await report(context, alive)
    assert [(attempt.number, attempt.status, attempt.is_lost) for attempt in trial.attempts] == [
        (1, TrialStatus.FAILED, True),
        (2, TrialStatus.COMPLETED, False),
    ]


async def test_a_trial_fails_once_its_attempts_are_used_up(context: Context) -> None:
    submitted = await runner_job(context, 1, JobOptions(max_attempts=2))
    for _ in range(2):
        assert len(await lease(context, submitted)) == 1
        await expire(context, submitted)
    ended = await now_is(context, submitted)
    assert (ended.status, ended.progress.counts["FAILED"], ended.progress.retries) == (JobStatus.COMPLETED, 1, 1)


async def test_a_lease_that_has_run_out_is_lost_even_before_anybody_returns_it(context: Context) -> None:
    submitted = await runner_job(context, 1)
    [handout] = await lease(context, submitted)
    await context.services.database["trials"].update_many({}, [{"$set": {"lease.expiresAt": "$$NOW"}}])
    with pytest.raises(Refused):
        await report(context, handout)
    assert await extend_leases(context, [handout.leased.token.text], 60) == ([], [handout.leased.token.text])


async def test_extending_tells_which_leases_are_lost(context: Context) -> None:
    submitted = await runner_job(context, 3)
    handouts = await lease(context, submitted, 3)
    tokens = [handout.leased.token.text for handout in handouts]
    await report(context, handouts[1])
    assert await extend_leases(context, [*tokens, "nonsense"], 30) == (
        [tokens[0], tokens[2]],
        [tokens[1], "nonsense"],
    )


async def test_concurrency_is_kept_by_many_runners_on_two_servers(context: Context) -> None:
    submitted = await runner_job(context, 40, JobOptions(max_concurrency=7))
    async with open_context(context.services.database) as other:
        leased = await asyncio.gather(*(lease(each, submitted, 3) for each in (context, other) * 10))
        held = [handout for handouts in leased for handout in handouts]
        assert len({handout.leased.trial.id for handout in held}) == len(held) == 7
        await asyncio.gather(*(report(other, handout) for handout in held))
    assert (await now_is(context, submitted)).progress.counts["COMPLETED"] == 7


async def test_no_event_number_is_missing_when_two_servers_report_at_once(context: Context) -> None:
    submitted = await runner_job(context, 60)
    handouts = await lease(context, submitted, 60)
    async with open_context(context.services.database) as other:
        pairs = zip((context, other) * 30, handouts, strict=True)
        await asyncio.gather(*(report(server, handout) for server, handout in pairs))
    events = await context.services.database["job_events"].find({}, sort=[("seq", 1)]).to_list(None)
    assert [event["seq"] for event in events] == list(range(1, 1 + 1 + 60 + 60 + 1))
    assert events[-1]["type"] == "JobEnded"


async def test_a_paused_job_gives_no_leases_and_takes_reports(context: Context) -> None:
    submitted = await runner_job(context, 2)
    [running] = await lease(context, submitted)
    assert (await pause_job(context, submitted.id)).status is JobStatus.PAUSED
    assert await lease(context, submitted) == []
    await report(context, running)
    assert (await resume_job(context, submitted.id)).status is JobStatus.ACTIVE
    [other] = await lease(context, submitted)
    assert other.leased.trial.id != running.leased.trial.id


async def test_cancelling_settles_everything_in_one_event_and_revokes_leases(context: Context) -> None:
    submitted = await runner_job(context, 5)
    [running] = await lease(context, submitted)
    cancelled = await cancel_job(context, submitted.id)
    assert (cancelled.status, cancelled.progress.counts["CANCELLED"]) == (JobStatus.CANCELLED, 5)
    assert await cancel_job(context, submitted.id) == cancelled
    with pytest.raises(Refused) as raised:
        await report(context, running)
    assert raised.value.code is ErrorCode.LEASE_LOST
    events = await context.services.database["job_events"].find({}, sort=[("seq", 1)]).to_list(None)
    assert [event["type"] for event in events[2:]] == ["TrialsSettled", "JobEnded"]
    assert events[2]["count"] == 5


async def test_a_retry_leases_exactly_what_failed(context: Context) -> None:
    submitted = await runner_job(context, 100)
    handouts = await lease(context, submitted, 100)
    failed = TrialOutcome(error=TrialError("FLAKY", "Try again."))
    await asyncio.gather(
        *(report(context, handout, failed if index < 7 else None) for index, handout in enumerate(handouts))
    )
    assert (await now_is(context, submitted)).progress.counts["FAILED"] == 7
    reopened = await retry_job(context, submitted.id, None)
    assert (reopened.status, reopened.progress.counts["PENDING"]) == (JobStatus.ACTIVE, 7)
    again = await lease(context, submitted, 1000)
    assert {each.leased.trial.id for each in again} == {each.leased.trial.id for each in handouts[:7]}
    await asyncio.gather(*(report(context, handout) for handout in again))
    ended = await now_is(context, submitted)
    assert (ended.status, ended.progress.counts["COMPLETED"]) == (JobStatus.COMPLETED, 100)
    page = await trials(context, ended, None, PageRequest(first=1))
    assert [attempt.status for attempt in page.items[0].attempts] == [TrialStatus.FAILED, TrialStatus.COMPLETED]
    with pytest.raises(Refused):
        await retry_job(context, submitted.id, None)


async def test_fail_fast_ends_the_job_at_the_first_failure(context: Context) -> None:
    submitted = await runner_job(context, 4, JobOptions(fail_fast=True))
    first, _ = await lease(context, submitted, 2)
    await report(context, first, TrialOutcome(error=TrialError("CRASH", "It broke.")))
    ended = await now_is(context, submitted)
    assert (ended.status, ended.progress.counts["CANCELLED"]) == (JobStatus.ERROR, 3)
    assert ended.status_reason is not None


async def test_a_runner_finds_its_jobs_by_its_name(context: Context) -> None:
    await runner_job(context, 2)
    await runner_job(context, 2)
    assert await lease_trials(context, None, "default", "somebody-else", 10, 60) == []
    assert len(await lease_trials(context, None, "default", "robot", 3, 60)) == 3
    assert len(await lease_trials(context, None, "default", "robot", 3, 60)) == 1


async def test_malformed_reports_and_leases_are_refused_whole(context: Context) -> None:
    submitted = await runner_job(context, 1)
    with pytest.raises(Problems) as problems:
        await lease_trials(context, submitted.id, "default", "no name", 0, 0)
    assert [error.path for error in problems.value.errors] == [("runner",), ("count",), ("seconds",)]
    [handout] = await lease(context, submitted)
    for outcome in (TrialOutcome(), TrialOutcome(reward=float("nan")), TrialOutcome(output_blob="abc")):
        with pytest.raises(Problems):
            await report(context, handout, outcome)
    with pytest.raises(Refused):
        await report_trial(context, "nonsense", TrialOutcome(reward=1.0))
    assert (await report(context, handout)).status is TrialStatus.COMPLETED


async def test_a_lease_ends_at_the_timeout_however_often_it_is_extended(context: Context) -> None:
    submitted = await runner_job(context, 1, JobOptions(timeout_seconds=5, max_attempts=1))
    [handout] = await lease(context, submitted)
    assert (await extend_leases(context, [handout.leased.token.text], 3600))[1] == []
    trial = await context.services.database["trials"].find_one({})
    assert trial is not None
    assert (trial["lease"]["expiresAt"] - trial["lease"]["startedAt"]).total_seconds() == 5
    past = {"$subtract": ["$$NOW", 1]}
    await context.services.database["trials"].update_many(
        {}, [{"$set": {"lease.expiresAt": past, "lease.deadline": past}}]
    )
    assert await return_expired(context.services) == 1
    page = await trials(context, submitted, None, PageRequest())
    assert [attempt.error.type for attempt in page.items[0].attempts if attempt.error] == ["TIMEOUT"]
