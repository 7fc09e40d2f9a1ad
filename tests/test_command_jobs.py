"""`pinset jobs`, with a runner made of the Python client."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from pinset import AsyncPinset
from pinset.errors import Refused
from pinset.files.bundles import read_bundle
from storage.services import Services
from tests.command_line import EXAMPLES, CommandLine, Ended, command_line

pytestmark = pytest.mark.anyio

NAMES = ["count-straw", "count_letter-9add9630", "count-blue"]


@pytest.fixture
async def pinset(services: Services) -> AsyncIterator[CommandLine]:
    async with command_line(services) as run:
        await run.done("sync", EXAMPLES / "letter-count.hud.jsonl", "-t", "letters", "--json")
        yield run


@pytest.fixture
async def client(pinset: CommandLine) -> AsyncIterator[AsyncPinset]:
    async with AsyncPinset(pinset.url) as connected:
        yield connected


async def submitted(pinset: CommandLine, *options: object) -> Any:
    ended = await pinset.done("jobs", "submit", "letters", "--runner", "rig", *options, "--json")
    return ended.json


async def run_trials(client: AsyncPinset, rewards: dict[str, float | None]) -> list[str]:
    """Lease and report everything that waits; None reports an error."""
    reported: list[str] = []
    while leases := await client.jobs.lease("rig", count=2):
        for lease in leases:
            reward = rewards[lease.trial.task_name]
            result: dict[str, Any] = {"reward": reward, "output": "3"}
            if reward is None:
                result = {"error": {"type": "Crash", "message": "It fell over."}}
            await client.jobs.report(lease.token, **result)
            reported.append(lease.trial.task_name)
    return reported


async def test_a_runner_s_rewards_become_results(pinset: CommandLine, client: AsyncPinset) -> None:
    job = await submitted(pinset, "--name", "first", "--repeats", "2")
    assert (job["status"], job["progress"]["total"], job["tasksetRef"]) == ("PENDING", 6, "letters")
    ended: list[Ended] = []

    async def watch() -> None:
        ended.append(await pinset("jobs", "watch", "first", "--json"))

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        names = await run_trials(client, dict(zip(NAMES, (1.0, 0.0, None), strict=True)))
    assert sorted(names) == sorted(NAMES * 2)
    assert ended[0].code == 0, ended[0].err
    events = ended[0].lines
    assert [event["seq"] for event in events] == sorted({event["seq"] for event in events})
    assert (events[0]["event"], events[-1]["event"], events[-1]["status"]) == ("JobSnapshot", "JobEnded", "COMPLETED")
    results = (await pinset.done("jobs", "results", "first", "--json")).json
    reward = results["summary"]["reward"]
    assert (reward["expected"], reward["scored"], reward["failed"], reward["mean"]) == (6, 4, 2, 0.5)
    assert results["summary"]["failures"] == [{"type": "Crash", "count": 2}]
    told = (await pinset.done("jobs", "results", "first")).out
    assert "first: COMPLETED, 4 completed, 0 partial, 2 failed, 0 cancelled of 6" in told
    assert "failed with Crash: 2" in told
    trials = (await pinset.done("jobs", "results", "first", "--trials")).lines
    assert sorted((trial["taskName"], trial["repeat"]) for trial in trials) == sorted(
        (name, repeat) for name in NAMES for repeat in (0, 1)
    )


async def test_failed_trials_are_retried_and_jobs_compared(pinset: CommandLine, client: AsyncPinset) -> None:
    await submitted(pinset, "--name", "base")
    await run_trials(client, dict(zip(NAMES, (1.0, 0.0, None), strict=True)))
    assert (await pinset.done("jobs", "retry", "base")).out == "ACTIVE\n"
    assert await run_trials(client, dict.fromkeys(NAMES, 1.0)) == ["count-blue"]
    await submitted(pinset, "--name", "candidate")
    await run_trials(client, dict.fromkeys(NAMES, 1.0))
    comparison = (await pinset.done("jobs", "compare", "base", "candidate", "--json")).json
    assert (comparison["sameContent"], comparison["changedContent"]) == (3, 0)
    assert {row["name"]: row["class"] for row in comparison["tasks"]} == {
        "count-straw": "EQUAL",
        "count_letter-9add9630": "IMPROVED",
        "count-blue": "EQUAL",
    }
    listed = (await pinset.done("jobs", "list")).out.splitlines()
    assert [line.split("\t")[:3] for line in listed] == [
        ["candidate", "COMPLETED", "3/3"],
        ["base", "COMPLETED", "3/3"],
    ]


async def test_a_cancelled_job_is_exit_code_1_to_its_watcher(pinset: CommandLine, client: AsyncPinset) -> None:
    job = await submitted(pinset, "--name", "gone", "--only", "count-straw", "--key", "k")
    assert (await submitted(pinset, "--name", "gone", "--only", "count-straw", "--key", "k"))["id"] == job["id"]
    leases = await client.jobs.lease("rig")
    assert (await pinset.done("jobs", "cancel", job["id"])).out == "CANCELLED\n"
    with pytest.raises(Refused) as lost:
        await client.jobs.report(leases[0].token, reward=1.0)
    assert lost.value.code == "LEASE_LOST"
    watched = await pinset("jobs", "watch", "gone")
    assert (watched.code, "gone: CANCELLED" in watched.out) == (1, True)


async def test_a_finished_job_is_exported_for_reading(pinset: CommandLine, client: AsyncPinset, tmp_path: Path) -> None:
    await submitted(pinset, "--name", "done")
    bundle = tmp_path / "done.jsonl"
    early = await pinset("export", "done", "--job", "-o", bundle)
    assert (early.code, "only a finished one can be exported" in early.err) == (1, True)
    await run_trials(client, dict.fromkeys(NAMES, 1.0))
    await pinset.done("export", "done", "--job", "-o", bundle)
    records = [record for _, record in read_bundle(bundle)]
    assert [record["record"] for record in records] == ["bundle", "job", *["job_task"] * 3, *["trial"] * 3]
    tasks = {task.name: task.digest async for task in client.jobs.tasks(str(records[1]["id"]))}
    assert {record["name"]: record["digest"] for record in records[2:5]} == tasks
    refused = await pinset("import", bundle)
    assert (refused.code, "for reading" in refused.err) == (1, True)


async def test_a_target_is_given_in_one_way(pinset: CommandLine, tmp_path: Path) -> None:
    for options in ([], ["--runner", "a", "--model-url", "http://m"], ["--model-url", "http://m"]):
        ended = await pinset("jobs", "submit", "letters", *options)
        assert ended.code == 2, ended.err
    path = tmp_path / "target.json"
    path.write_text(json.dumps({"runner": {"name": "rig"}}))
    job = (await pinset.done("jobs", "submit", "letters", "--target", path, "--limit", "1", "--json")).json
    assert (job["target"], job["progress"]["total"]) == ({"kind": "RUNNER", "name": "rig"}, 1)
    assert (await pinset("jobs", "show", "none")).code == 1
