"""Workers: they run targets, score what is reported, share a job with others, and may die at any time."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from domain.jobs import AttemptPolicy, JobOptions, JobStatus
from domain.metrics import MetricType
from domain.targets import TargetKind
from domain.trials import TrialOutcome, TrialStatus
from evaluation.addresses import AddressRules
from evaluation.outgoing import Outgoing
from evaluation.secrets import Secrets
from evaluation.worker import Worker
from resolvers.context import Context
from resolvers.job_events import job_progress
from resolvers.jobs import job, retry_job
from resolvers.metrics import CreateMetric, create_metric
from resolvers.results import summary
from resolvers.submission import Dataset, InlineTask, SubmitJob, submit_job
from resolvers.trials import payloads, trials
from storage.driver import Database
from storage.job_events import EventType
from storage.jobs import JobRecord
from storage.pages import PageRequest
from tests.graphql_client import serving
from tests.job_fixtures import lease, match_metric, open_context, question, report

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parent.parent


@pytest.fixture
async def context(database: Database) -> AsyncIterator[Context]:
    async with open_context(database) as opened:
        yield opened


@contextlib.asynccontextmanager
async def working(context: Context, name: str = "worker", lease_seconds: float = 30) -> AsyncIterator[Worker]:
    """A worker in this process while the body runs."""
    async with Outgoing(AddressRules(is_local=True), Secrets({}), first_pause_seconds=0.01) as outgoing:
        worker = Worker(context.services, outgoing, name, lease_seconds=lease_seconds)
        task = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def ended(context: Context, submitted: JobRecord) -> JobRecord:
    """The job once it has ended."""
    async with asyncio.timeout(60), contextlib.aclosing(job_progress(context, submitted.id, None, None)) as events:
        async for event in events:
            if event.type is EventType.ENDED:
                break
    found = await job(context, submitted.id)
    assert found is not None
    return found


@contextlib.asynccontextmanager
async def model() -> AsyncIterator[tuple[str, list[str]]]:
    """A model that answers the last word of its prompt, and the prompts that it saw."""
    prompts: list[str] = []

    async def answer(request: Request) -> JSONResponse:
        prompt = (await request.json())["messages"][-1]["content"]
        prompts.append(prompt)
        choice = {"message": {"role": "assistant", "content": prompt.split()[-1]}}
        return JSONResponse({"choices": [choice], "usage": {"prompt_tokens": 2, "completion_tokens": 1}})

    async with serving(Starlette(routes=[Route("/v1/chat/completions", answer, methods=["POST"])])) as address:
        yield f"http://{address}/v1", prompts


def dataset(rows: list[Any], target: Any = None, **options: Any) -> SubmitJob:
    """A job over rows, scored by two metrics."""
    return SubmitJob(
        workspace="default",
        fingerprint="",
        dataset=Dataset(rows, ["same", "overlap"], "Say {{ item.expected }}"),
        target=target,
        options=JobOptions(**{"max_concurrency": 64, **options}),
    )


async def row_metrics(context: Context) -> None:
    """Two metrics over `item.expected`."""
    config = {"reference": "{{ item.expected }}"}
    await create_metric(context, CreateMetric("default", "same", MetricType.EXACT_MATCH, config))
    await create_metric(context, CreateMetric("default", "overlap", MetricType.F1, config))


async def test_rows_with_outputs_are_scored_offline_by_two_metrics(context: Context) -> None:
    await row_metrics(context)
    rows = [{"expected": f"v{n}", "output": f"v{n}" if n % 2 else "other"} for n in range(100)]
    rows.append({"expected": "nothing"})
    submitted = await submit_job(context, dataset(rows))
    async with working(context):
        found = await ended(context, submitted)
    assert (found.progress.counts["COMPLETED"], found.progress.counts["FAILED"]) == (100, 1)
    numbers = await summary(context, found, AttemptPolicy.LAST, None)
    means = {each.name: (each.scored, each.mean) for each in numbers.statistics}
    assert means == {"default/same.exact-match": (100, 0.5), "default/overlap.f1": (100, 0.5)}
    assert (numbers.reward.expected, numbers.reward.scored, numbers.reward.failed) == (101, 100, 1)
    assert [(each.type, each.count) for each in numbers.failures] == [("NO_OUTPUT", 1)]


async def test_prompts_are_rendered_from_rows_and_sent_to_the_model(context: Context) -> None:
    await row_metrics(context)
    rows = [{"expected": f"v{n}"} for n in range(20)]
    async with model() as (url, prompts), working(context):
        target = (TargetKind.MODEL, {"model": {"url": url, "name": "echo"}})
        found = await ended(context, await submit_job(context, dataset(rows, target)))
    assert sorted(prompts) == sorted(f"Say v{n}" for n in range(20))
    assert (found.progress.counts["COMPLETED"], found.progress.mean_reward) == (20, 1.0)
    assert (found.progress.input_tokens, found.progress.output_tokens) == (40, 20)
    page = await trials(context, found, None, PageRequest(first=1))
    assert (await payloads(context, page.items[0].id))[1].output == "v0"


async def test_an_unreachable_target_is_tried_again_and_then_fails(context: Context) -> None:
    await match_metric(context)
    target = (TargetKind.MODEL, {"model": {"url": "http://127.0.0.1:1/v1", "name": "nobody"}})
    wanted = SubmitJob(
        workspace="default",
        fingerprint="",
        tasks=[InlineTask("one", question("Say it", "it"))],
        target=target,
        options=JobOptions(max_attempts=2, timeout_seconds=5),
    )
    async with working(context):
        found = await ended(context, await submit_job(context, wanted))
    assert (found.status, found.progress.counts["FAILED"], found.progress.retries) == (JobStatus.COMPLETED, 1, 1)
    page = await trials(context, found, None, PageRequest())
    assert [attempt.error.type for attempt in page.items[0].attempts if attempt.error] == ["UNREACHABLE"] * 2
    assert [attempt.is_lost for attempt in page.items[0].attempts] == [True, False]


async def test_a_reported_trial_whose_metric_calls_out_waits_for_a_worker(context: Context) -> None:
    async def judge(_: Request) -> JSONResponse:
        return JSONResponse({"quality": 0.25})

    async with serving(Starlette(routes=[Route("/judge", judge, methods=["POST"])])) as address:
        config = {"url": f"http://{address}/judge", "body": {}, "scores": ["quality"]}
        await create_metric(context, CreateMetric("default", "far", MetricType.REMOTE, config))
        wanted = SubmitJob(
            workspace="default",
            fingerprint="",
            tasks=[InlineTask("one", question("Say it", "it", ["far"]))],
            target=(TargetKind.RUNNER, {"name": "robot"}),
        )
        submitted = await submit_job(context, wanted)
        [handout] = await lease(context, submitted)
        waiting = await report(context, handout, TrialOutcome(output="it"))
        assert waiting.status is TrialStatus.SCORING
        async with working(context):
            found = await ended(context, submitted)
    assert (found.progress.counts["COMPLETED"], found.progress.mean_reward) == (1, 0.25)


async def test_two_workers_and_a_retry_never_run_a_trial_twice_at_once(context: Context) -> None:
    await match_metric(context)
    tasks = [InlineTask(f"t{n}", question(f"Say w{n}", f"w{n}")) for n in range(40)]
    async with model() as (url, prompts), open_context(context.services.database) as other:
        wanted = SubmitJob(
            workspace="default",
            fingerprint="",
            tasks=tasks,
            target=(TargetKind.MODEL, {"model": {"url": url, "name": "echo"}}),
            options=JobOptions(max_concurrency=3),
        )
        submitted = await submit_job(context, wanted)
        async with working(context, "one"), working(other, "two"):
            found = await ended(context, submitted)
    assert found.progress.counts["COMPLETED"] == 40
    assert sorted(prompts) == sorted(f"Say w{n}" for n in range(40))
    running, most = 0, 0
    async for event in context.services.database["job_events"].find({}, sort=[("seq", 1)]):
        running = event["progress"]["counts"]["RUNNING"]
        most = max(most, running)
    assert most <= 3


async def test_two_workers_and_a_runner_share_one_job(context: Context) -> None:
    await match_metric(context)
    tasks = [InlineTask(f"t{n}", question(f"Say w{n}", f"w{n}")) for n in range(60)]
    async with model() as (url, prompts), open_context(context.services.database) as other:
        wanted = SubmitJob(
            workspace="default",
            fingerprint="",
            tasks=tasks,
            target=(TargetKind.MODEL, {"model": {"url": url, "name": "echo"}}),
            options=JobOptions(max_concurrency=5),
        )
        submitted = await submit_job(context, wanted)
        by_runner = 0
        first = await lease(context, submitted, 2)
        async with working(context, "one"), working(other, "two"):
            for handouts in [first, *[await lease(other, submitted, 2) for _ in range(20)]]:
                for handout in handouts:
                    assert handout.prompt is not None
                    await report(other, handout, TrialOutcome(output=handout.prompt.split()[-1]))
                    by_runner += 1
            found = await ended(context, submitted)
    assert (found.progress.counts["COMPLETED"], found.progress.mean_reward) == (60, 1.0)
    assert by_runner >= 2
    assert len(prompts) == len(set(prompts)) == 60 - by_runner
    events = await context.services.database["job_events"].find({}).to_list(None)
    assert max(event["progress"]["counts"]["RUNNING"] for event in events) <= 5


async def test_a_worker_that_stops_gives_its_trials_back(context: Context) -> None:
    await match_metric(context)
    release = asyncio.Event()

    async def slow(_: Request) -> JSONResponse:
        await release.wait()
        return JSONResponse({"choices": [{"message": {"role": "assistant", "content": "it"}}]})

    async with serving(Starlette(routes=[Route("/v1/chat/completions", slow, methods=["POST"])])) as address:
        target = (TargetKind.MODEL, {"model": {"url": f"http://{address}/v1", "name": "slow"}})
        tasks = [InlineTask("one", question("Say it", "it"))]
        submitted = await submit_job(
            context, SubmitJob(workspace="default", fingerprint="", tasks=tasks, target=target)
        )
        async with working(context), contextlib.aclosing(job_progress(context, submitted.id, 0, None)) as events:
            assert [(await anext(events)).type for _ in range(2)][1] is EventType.TRIAL_STARTED
        waiting = await job(context, submitted.id)
        assert waiting is not None
        assert (waiting.progress.counts["PENDING"], waiting.progress.retries) == (1, 1)
        release.set()
        async with working(context):
            assert (await ended(context, submitted)).progress.counts["COMPLETED"] == 1


@pytest.mark.slow
async def test_killing_a_worker_process_loses_no_trial(context: Context, mongodb_url: str) -> None:
    await match_metric(context)
    called, release = asyncio.Event(), asyncio.Event()

    async def slow_once(_: Request) -> JSONResponse:
        if not called.is_set():
            called.set()
            await release.wait()
        return JSONResponse({"choices": [{"message": {"role": "assistant", "content": "it"}}]})

    async with serving(Starlette(routes=[Route("/v1/chat/completions", slow_once, methods=["POST"])])) as address:
        target = (TargetKind.MODEL, {"model": {"url": f"http://{address}/v1", "name": "slow"}})
        tasks = [InlineTask("one", question("Say it", "it"))]
        submitted = await submit_job(
            context, SubmitJob(workspace="default", fingerprint="", tasks=tasks, target=target)
        )
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PINSET_MONGODB_URL": mongodb_url,
            "PINSET_DATABASE": context.services.database.name,
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "server.working", cwd=ROOT, env=environment, stdin=asyncio.subprocess.PIPE
        )
        try:
            await asyncio.wait_for(called.wait(), 60)
        finally:
            process.kill()
            await process.wait()
        await context.services.database["trials"].update_many({}, [{"$set": {"lease.expiresAt": "$$NOW"}}])
        async with working(context):
            found = await ended(context, submitted)
        release.set()
    page = await trials(context, found, None, PageRequest())
    assert [attempt.status for attempt in page.items[0].attempts] == [TrialStatus.FAILED, TrialStatus.COMPLETED]
    with pytest.raises(Exception, match="nothing to retry"):
        await retry_job(context, submitted.id, None)
