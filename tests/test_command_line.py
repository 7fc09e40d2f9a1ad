"""The commands that move tasks in and out: import, export, bundles, and what goes wrong."""

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pinset import AsyncPinset
from pinset.files.bundles import read_bundle
from storage.services import Services
from tests.command_line import EXAMPLES, CommandLine, command_line

pytestmark = pytest.mark.anyio

HUMANEVAL = (
    EXAMPLES / "HumanEval.jsonl.gz",
    *("--name", "task_id", "--instruction", "prompt", "--reference", "canonical_solution", "--reference", "test"),
)
METRIC = """mutation { createMetric(input: {name: "exact", description: "d", labels: {a: 1},
  metric: {numberCheck: {operation: ABSOLUTE_DIFFERENCE, left: "{{item.x}}", right: "1", epsilon: 0.5}}})
  { errors { message } } }"""


@pytest.fixture
async def pinset(services: Services) -> AsyncIterator[CommandLine]:
    async with command_line(services) as run:
        yield run


def rows_file(folder: Path, count: int, edit: int | None = None) -> Path:
    path = folder / "rows.jsonl"
    rows = [{"name": f"t{index}", "instruction": f"Question {index}."} for index in range(count)]
    if edit is not None:
        rows[edit]["instruction"] = "Edited."
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


async def test_rows_are_imported_once(pinset: CommandLine) -> None:
    first = await pinset.done("import", *HUMANEVAL, "--json")
    assert first.json == {"workspace": "default", "rows": 164, "outcomes": {"CREATED": 164}}
    again = await pinset.done("import", *HUMANEVAL)
    assert again.out == "164 tasks in default: 164 unchanged\n"
    rows = (await pinset.done("tasks", "list", "--contains", "HumanEval-16", "--json")).json
    assert [row["name"] for row in rows] == ["HumanEval-16", *(f"HumanEval-{number}" for number in range(160, 164))]


async def test_a_bad_row_writes_nothing(pinset: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    good = [{"name": f"t{index}", "instruction": "i"} for index in range(50)]
    path.write_text("".join(json.dumps(row) + "\n" for row in good) + '{"name": \n')
    ended = await pinset("import", path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "pinset: line 51: Not valid JSON: Expecting value at column 10.\n"
    assert (await pinset.done("tasks", "list", "--json")).json == []


async def test_a_row_that_the_server_refuses_is_named(pinset: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"name": "a", "instruction": "i"}\n\n{"name": "b/1", "instruction": "i"}\n')
    ended = await pinset("import", path, "--metric", "none")
    assert ended.code == 1
    assert "line 1 ('a')" in ended.err


async def test_tasks_are_read_tagged_and_deleted(pinset: CommandLine, tmp_path: Path) -> None:
    await pinset.done("import", rows_file(tmp_path, 2))
    await pinset.done("import", rows_file(tmp_path, 2, edit=0))
    revisions = (await pinset.done("tasks", "revisions", "t0", "--json")).json
    assert [row["number"] for row in revisions] == [2, 1]
    await pinset.done("tasks", "tag", "t0", "first", "--number", "1")
    assert (await pinset.done("tasks", "show", "t0#first")).json["digest"] == revisions[1]["digest"]
    await pinset.done("tasks", "untag", "t0", "first")
    gone = await pinset("tasks", "show", "t0#first")
    assert (gone.code, gone.err) == (1, "pinset: The task revision 't0#first' does not exist, or may not be read.\n")
    await pinset.done("tasks", "delete", "t0")
    assert [row["name"] for row in (await pinset.done("tasks", "list", "--json")).json] == ["t1"]


async def test_no_server_is_its_own_exit_code() -> None:
    ended = await CommandLine("http://127.0.0.1:9")("tasks", "list")
    assert (ended.code, "No answer from http://127.0.0.1:9" in ended.err) == (3, True)


async def suite(pinset: CommandLine, tmp_path: Path) -> None:
    """A taskset of two tasks with a metric, made through the API."""
    async with AsyncPinset(pinset.url) as client:
        assert await client.execute(METRIC) == {"createMetric": {"errors": []}}
        await pinset.done("import", rows_file(tmp_path, 2), "--metric", "exact")
        await client.tasksets.create("suite", ["t1", "t0"], description="Two.", metadata={"k": None})


async def test_a_bundle_comes_back_with_every_digest_equal(pinset: CommandLine, tmp_path: Path) -> None:
    await suite(pinset, tmp_path)
    bundle = tmp_path / "suite.jsonl"
    ended = await pinset.done("export", "suite", "-o", bundle)
    assert "root hash" in ended.err
    records = [record for _, record in read_bundle(bundle)]
    assert [record["record"] for record in records] == ["bundle", "task", "task", "metric", "taskset"]
    assert [record.get("name") for record in records] == ["suite", "t1", "t0", "exact", "suite"]
    again = await pinset.done("import", bundle)
    assert again.out.startswith("4 unchanged; every digest equal, root hash ")
    assert (await pinset.done("export", "suite")).out.encode() == bundle.read_bytes()
    for command in (("tasksets", "delete", "suite"), ("tasks", "delete", "t0"), ("tasks", "delete", "t1")):
        await pinset.done(*command)
    restored = await pinset.done("import", bundle, "--json")
    assert [row["outcome"] for row in restored.json["records"]] == ["UNCHANGED", "CREATED", "CREATED", "CREATED"]
    assert (await pinset.done("export", "suite")).out.encode() == bundle.read_bytes()


async def test_a_bundle_moves_to_another_workspace(pinset: CommandLine, tmp_path: Path) -> None:
    await suite(pinset, tmp_path)
    bundle = tmp_path / "suite.jsonl"
    await pinset.done("export", "suite", "-o", bundle)
    moved = (await pinset.done("import", bundle, "--workspace", "team", "--json")).json["records"]
    assert [row["record"] for row in moved] == ["metric", "task", "task", "taskset"]
    assert all(row["old"].startswith("default/") and row["new"].startswith("team/") for row in moved)
    shown = (await pinset.done("tasksets", "show", "suite", "-w", "team", "--json")).json
    assert [member["ref"] for member in shown["members"]] == [row["new"] for row in moved[1:3]]
    printed = (await pinset.done("import", bundle, "--workspace", "team")).out.splitlines()
    assert printed[3].split("\t") == ["taskset", moved[3]["old"], moved[3]["new"], "UNCHANGED"]


async def test_a_changed_bundle_is_refused_before_anything_is_written(pinset: CommandLine, tmp_path: Path) -> None:
    await suite(pinset, tmp_path)
    bundle = tmp_path / "suite.jsonl"
    await pinset.done("export", "suite", "-o", bundle)
    bundle.write_bytes(bundle.read_bytes().replace(b"Two.", b"Too."))
    ended = await pinset("import", bundle, "-w", "team")
    assert (ended.code, ended.err) == (1, "pinset: line 5: The taskset record was changed: its hash does not match.\n")
    bundle.write_bytes(bundle.read_bytes()[:-40])
    assert (await pinset("import", bundle, "-w", "team")).code == 1
    assert (await pinset.done("tasks", "list", "-w", "team", "--json")).json == []


async def test_a_metric_of_another_definition_is_not_taken_for_the_bundle_s(
    pinset: CommandLine, tmp_path: Path
) -> None:
    await suite(pinset, tmp_path)
    bundle = tmp_path / "suite.jsonl"
    await pinset.done("export", "suite", "-o", bundle)
    async with AsyncPinset(pinset.url) as client:
        await client.workspaces.create("team")
        await client.metrics.create("exact", {"f1": {"reference": "x"}}, workspace="team")
    ended = await pinset("import", bundle, "-w", "team")
    assert (ended.code, "another definition" in ended.err) == (1, True)


async def test_hud_rows_and_bodies_are_exported(pinset: CommandLine, tmp_path: Path) -> None:
    rows = EXAMPLES / "letter-count.hud.jsonl"
    await pinset.done("import", rows)
    names = ["count-straw", "count_letter-9add9630", "count-blue"]
    async with AsyncPinset(pinset.url) as client:
        await client.tasksets.create("letters", names)
    out = tmp_path / "letters.jsonl"
    await pinset.done("export", "letters", "--format", "hud", "-o", out)
    lines = [json.loads(line) for line in rows.read_text().splitlines() if line]
    assert [json.loads(line) for line in out.read_text().splitlines()] == lines
    array = tmp_path / "letters.json"
    await pinset.done("export", "letters", "--format", "hud", "-o", array)
    assert json.loads(array.read_text()) == lines
    bodies: list[Any] = (await pinset.done("export", "letters", "--format", "platform")).lines
    assert [body["name"] for body in bodies] == names
    again = tmp_path / "bodies.jsonl"
    again.write_text("".join(json.dumps(body) + "\n" for body in bodies))
    assert (await pinset.done("import", again)).out == "3 tasks in default: 3 unchanged\n"


async def test_an_export_that_fails_leaves_no_file(pinset: CommandLine, tmp_path: Path) -> None:
    await suite(pinset, tmp_path)
    await pinset.done("tasks", "delete", "t0", "--force")
    ended = await pinset("export", "suite", "-o", tmp_path / "suite.jsonl")
    assert (ended.code, "does not exist any more" in ended.err) == (1, True)
    assert os.listdir(tmp_path) == ["rows.jsonl"]
