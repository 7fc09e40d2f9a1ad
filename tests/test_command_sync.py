"""`pinset sync`: plans, second runs, edits, races, and files that do not fit one request."""

import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pinset import AsyncPinset, planning
from pinset.synchronous.client import Pinset
from storage.services import Services
from tests.command_line import EXAMPLES, CommandLine, Ended, command_line

pytestmark = pytest.mark.anyio

HUMANEVAL = (
    EXAMPLES / "HumanEval.jsonl.gz",
    *("--name", "task_id", "--instruction", "prompt", "--reference", "canonical_solution", "--reference", "test"),
)


@pytest.fixture
async def pinset(services: Services) -> AsyncIterator[CommandLine]:
    async with command_line(services) as run:
        yield run


@pytest.fixture
async def client(pinset: CommandLine) -> AsyncIterator[AsyncPinset]:
    async with AsyncPinset(pinset.url) as connected:
        yield connected


@pytest.fixture(params=["inline", "blob"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of a sync have to agree; the second is for files over 12 MiB, or over nothing here."""
    if request.param == "blob":
        monkeypatch.setattr(planning, "SMALL_BYTES", -1)
    return str(request.param)


def written(folder: Path, rows: dict[str, str]) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps({"name": name, "instruction": text}) + "\n" for name, text in rows.items()))
    return path


def counts(ended: Ended) -> dict[str, int]:
    plan: dict[str, Any] = ended.json["plan"]
    return {key: len(items) for key, items in plan.items() if isinstance(items, list)}


@pytest.mark.slow
async def test_humaneval_becomes_one_taskset_and_a_second_run_writes_nothing(
    pinset: CommandLine, client: AsyncPinset, way: str
) -> None:
    first = await pinset.done("sync", *HUMANEVAL, "--taskset", "humaneval", "--json")
    assert counts(first) == {"toCreate": 164, "toUpdate": 0, "unchanged": 0, "remoteOnly": 0}
    assert first.json["revision"]["memberCount"] == 164
    before = [(task.name, task.updated_at) async for task in client.tasks.list()]
    again = await pinset.done("sync", *HUMANEVAL, "--taskset", "humaneval", "--json")
    assert counts(again) == {"toCreate": 0, "toUpdate": 0, "unchanged": 164, "remoteOnly": 0}
    assert again.json["revision"] == first.json["revision"]
    assert [(task.name, task.updated_at) async for task in client.tasks.list()] == before


async def test_one_edited_row_is_one_update(pinset: CommandLine, client: AsyncPinset, tmp_path: Path, way: str) -> None:
    rows = {f"t{index}": f"Question {index}." for index in range(60)}
    await pinset.done("sync", written(tmp_path, rows), "-t", "suite", "--description", "Sixty.", "--json")
    edited = written(tmp_path, {**rows, "t7": "Edited."})
    shown = await pinset.done("sync", edited, "-t", "suite", "--dry-run", "--json")
    assert shown.json["revision"] is None
    assert counts(shown) == {"toCreate": 0, "toUpdate": 1, "unchanged": 59, "remoteOnly": 0}
    assert (await client.tasksets.retrieve("suite")).latest.number == 1
    done = await pinset.done("sync", edited, "-t", "suite", "--json")
    assert done.json["plan"]["toUpdate"] == shown.json["plan"]["toUpdate"]
    latest = (await client.tasksets.retrieve("suite")).latest
    assert (latest.number, latest.member_count) == (2, 60)
    assert latest.content is not None
    assert latest.content["description"] == "Sixty."
    assert [task.latest.number async for task in client.tasks.list()].count(1) == 59


async def test_members_that_the_file_lacks_are_kept_or_taken_out(
    pinset: CommandLine, client: AsyncPinset, tmp_path: Path, way: str
) -> None:
    await pinset.done("sync", written(tmp_path, {"a": "1", "b": "2", "c": "3"}), "-t", "suite", "--json")
    fewer = written(tmp_path, {"c": "3", "d": "4"})
    kept = await pinset.done("sync", fewer, "-t", "suite", "--json")
    assert counts(kept) == {"toCreate": 1, "toUpdate": 0, "unchanged": 1, "remoteOnly": 2}
    assert kept.json["revision"]["memberCount"] == 4
    gone = await pinset.done("sync", fewer, "-t", "suite", "--remove-missing", "--json")
    assert [item["name"] for item in gone.json["plan"]["remoteOnly"]] == ["a", "b"]
    assert [member.name async for member in client.tasksets.members("suite")] == ["c", "d"]
    assert [task.name async for task in client.tasks.list()] == ["a", "b", "c", "d"]


async def test_a_plan_that_somebody_overtook_is_refused(
    pinset: CommandLine, client: AsyncPinset, tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = written(tmp_path, {"a": "1", "b": "2"})
    await pinset.done("sync", rows, "-t", "suite", "--json")
    edited = written(tmp_path, {"a": "1", "b": "Edited."})

    def overtake(*_: object) -> None:
        with Pinset(pinset.url) as other:
            other.tasksets.replace("suite", ["a"])

    monkeypatch.setattr("pinset.commands.sync._ask", overtake)
    ended = await pinset("sync", edited, "-t", "suite")
    assert ended.code == 1
    assert "Somebody published since the plan was made" in ended.err
    assert [member.name async for member in client.tasksets.members("suite")] == ["a"]


async def test_the_plan_is_shown_to_people(pinset: CommandLine, tmp_path: Path, way: str) -> None:
    await pinset.done("sync", written(tmp_path, {"a": "1", "b": "2"}), "-t", "suite")
    ended = await pinset.done("sync", written(tmp_path, {"a": "1", "b": "3", "c": "4"}), "-t", "suite")
    first, create, update, revision, digest = ended.out.splitlines()
    assert first == "default/suite: 1 to create, 1 to update, 1 unchanged, 0 only on the server, kept"
    assert (create.split("\t")[:2], update.split("\t")[:2]) == (["create", "c"], ["update", "b"])
    assert revision == "default/suite: revision 2, 3 tasks"
    assert digest.startswith("digest ")


async def test_the_suite_is_made_by_one_command(pinset: CommandLine, client: AsyncPinset) -> None:
    planned = await pinset.done("sync", EXAMPLES / "geography.json", "--dry-run")
    assert "Would create the metrics answer-exact-match" in planned.err
    assert [metric.name async for metric in client.metrics.list()] == []
    done = await pinset.done("sync", EXAMPLES / "geography.json", "--json")
    assert done.json["taskset"] == "default/geography-suite"
    latest = (await client.tasksets.retrieve("geography-suite")).latest
    assert latest.content is not None
    assert latest.content["description"] == "Geography questions for smoke-testing the agent."
    again = await pinset.done("sync", EXAMPLES / "geography.json", "--json")
    assert counts(again)["unchanged"] == 2


async def test_a_metric_of_another_definition_stops_the_suite(pinset: CommandLine, client: AsyncPinset) -> None:
    await client.metrics.create("answer-exact-match", {"f1": {"reference": "x"}})
    ended = await pinset("sync", EXAMPLES / "geography.json")
    assert (ended.code, "means something else" in ended.err) == (1, True)
    assert [task.name async for task in client.tasks.list()] == []


async def test_more_rows_than_a_taskset_holds_are_refused(pinset: CommandLine, tmp_path: Path) -> None:
    rows = {f"t{index}": "i" for index in range(10_001)}
    ended = await pinset("sync", written(tmp_path, rows), "-t", "suite")
    assert ended.code == 1
    assert "line 10001: A taskset has at most 10,000 members" in ended.err


async def test_rows_that_the_server_refuses_are_named_all_at_once(
    pinset: CommandLine, client: AsyncPinset, tmp_path: Path, way: str
) -> None:
    rows = written(tmp_path, {"a": "1", "b/2": "2"})
    ended = await pinset("sync", rows, "-t", "suite", "--metric", "none")
    assert ended.code == 1
    first, second = ended.err.splitlines()
    assert first.startswith("pinset: line 1 ('a'), task.spec.evaluator.metrics.0: ")
    assert second.startswith("line 2 ('b/2'), task.spec.evaluator.metrics.0: ")
    assert [task.name async for task in client.tasks.list()] == []


@pytest.mark.slow
async def test_the_largest_tasks_can_be_read_back_and_exported(
    pinset: CommandLine, client: AsyncPinset, tmp_path: Path
) -> None:
    rows = written(tmp_path, {f"t{index}": str(index) * 1_900_000 for index in range(10, 20)})
    await pinset.done("sync", rows, "-t", "large", "--json")
    bundle = tmp_path / "large.jsonl.gz"
    await pinset.done("export", "large", "-o", tmp_path / "large.jsonl")
    bundle.write_bytes(gzip.compress((tmp_path / "large.jsonl").read_bytes(), 1))
    assert (await pinset.done("import", bundle)).out.startswith("11 unchanged; every digest equal")
    ended = await pinset("sync", written(tmp_path, {"over": "x" * 4_200_000}), "-t", "large")
    assert (ended.code, "8 MiB" in ended.err) == (1, True)
