"""The Python client against a real server: both surfaces, paging, errors, and the HumanEval example."""

import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from pinset import AsyncPinset, Pinset
from pinset.errors import AlreadyExists, Conflict, InUse, InvalidInput, NotFound, RequestError, Unreachable
from pinset.files import FileProblem
from pinset.files.metrics import contains, definition, metric_input
from pinset.files.values import canonical_text, digest_of
from schema.build import build_schema
from server.app import create_app
from server.settings import Settings
from storage.services import Services
from tests.graphql_client import serving

pytestmark = pytest.mark.anyio

EXAMPLES = Path(__file__).parent.parent / "examples"
FRANCE: Any = {
    "evaluator": {
        "intent": "Answer the user's geography question with the capital city.",
        "inputs": {"instruction": "What is the capital of France?"},
    }
}
JAPAN: Any = {"kind": "evaluator", "intent": "i", "inputs": {"instruction": "What is the capital of Japan?"}}


@pytest.fixture
async def url(services: Services) -> AsyncIterator[str]:
    application = create_app(Settings(introspection=False), services, build_schema())
    async with serving(application.asgi) as address:
        yield f"http://{address}"


@pytest.fixture
async def client(url: str) -> AsyncIterator[AsyncPinset]:
    async with AsyncPinset(url) as connected:
        yield connected


async def test_tasks_are_created_replaced_tagged_and_read(client: AsyncPinset) -> None:
    task = await client.tasks.create("france", FRANCE, metadata={"suite": "geography", "n": None}, tags=["blessed"])
    assert (task.ref, task.latest.number, task.latest.tags) == ("default/france", 1, ["blessed", "latest"])
    published = await client.tasks.replace("france", JAPAN, expected_digest=task.latest.digest)
    assert published.outcome is not None
    assert published.outcome.value == "PUBLISHED"
    again = await client.tasks.replace("france", JAPAN, metadata=[])
    assert again.outcome is not None
    assert again.outcome.value == "UNCHANGED"
    with pytest.raises(Conflict) as conflict:
        await client.tasks.replace("france", FRANCE, expected_digest="0" * 64)
    assert conflict.value.problems[0].details["current_digest"] == again.revision.digest  # type: ignore[union-attr]
    assert [revision.number async for revision in client.tasks.list_revisions("france", page_size=1)] == [2, 1]
    blessed = await client.tasks.retrieve_revision("france", tag="blessed")
    assert blessed.digest == task.latest.digest
    assert blessed.content is not None
    assert blessed.content["metadata"] == [{"key": "suite", "value": "geography"}, {"key": "n", "value": None}]
    moved = await client.tasks.tag("france", "blessed", number=2)
    assert {tag.name: tag.number for tag in moved.tags} == {"blessed": 2, "latest": 2}
    assert [tag.name for tag in (await client.tasks.untag("france", "blessed")).tags] == ["latest"]


async def test_tasksets_pin_their_members(client: AsyncPinset) -> None:
    for index in range(5):
        await client.tasks.create(f"t{index}", {"evaluator": {"intent": str(index)}})
    taskset = await client.tasksets.create("suite", [f"t{index}" for index in range(5)], description="Five.")
    assert taskset.latest.member_count == 5
    members = [member async for member in client.tasksets.members("suite", page_size=2)]
    assert [member.name for member in members] == ["t0", "t1", "t2", "t3", "t4"]
    assert [row.name async for row in client.tasks.list(name_prefix="t", page_size=2)] == [m.name for m in members]
    with pytest.raises(InUse) as used:
        await client.tasks.delete("t0")
    assert used.value.problems[0].details == {
        "users": [f"default/suite#{taskset.latest.digest}"],
        "hidden_users": 0,
    }
    await client.tasks.delete("t0", force=True)
    replaced = await client.tasksets.replace("suite", ["t1"], metadata={"k": 1})
    assert replaced.revision is not None
    assert replaced.revision.number == 2
    await client.tasksets.delete("suite")
    with pytest.raises(NotFound):
        await client.tasksets.retrieve("suite")


async def test_problems_say_what_is_wrong(client: AsyncPinset) -> None:
    with pytest.raises(InvalidInput) as invalid:
        await client.tasks.create("a b", {"evaluator": {"intent": "i", "metrics": ["x#y"]}})
    assert {problem.path[1] for problem in invalid.value.problems} <= {"name", "task"}
    await client.tasks.create("a", FRANCE)
    with pytest.raises(AlreadyExists):
        await client.tasks.create("a", FRANCE)
    with pytest.raises(NotFound, match="The task 'none' does not exist"):
        await client.tasks.retrieve("none")
    with pytest.raises(ValueError, match="not both"):
        await client.tasks.retrieve_revision("a", revision="0" * 64, tag="x")
    with pytest.raises(FileProblem, match="no field `intention`"):
        await client.tasks.create("b", {"kind": "evaluator", "intention": "i"})
    with pytest.raises(RequestError) as refused:
        await client.execute("{ nothing }")
    assert refused.value.code == "GRAPHQL_VALIDATION_FAILED"
    async with AsyncPinset("http://127.0.0.1:9") as nobody:
        with pytest.raises(Unreachable, match="pinset serve"):
            await nobody.tasks.retrieve("a")


async def test_workspaces_and_metrics(client: AsyncPinset) -> None:
    await client.workspaces.create("team", "Ours.")
    assert [row.name async for row in client.workspaces.list()] == ["default", "team"]
    metric = await client.metrics.create("exact", {"exactMatch": {"reference": "{{item.expected}}"}}, workspace="team")
    assert (metric.ref, metric.type_.value) == ("team/exact", "EXACT_MATCH")
    assert [row.name async for row in client.metrics.list(workspace="team")] == ["exact"]
    assert (await client.workspaces.retrieve("team")).metric_count == 1
    await client.metrics.delete("exact", workspace="team")
    with pytest.raises(NotFound):
        await client.metrics.retrieve("exact", workspace="team")


MODEL = {"url": "http://judge.example/v1", "name": "judge", "apiKeySecret": "JUDGE"}
RANGE = {"name": "style", "description": "How it reads.", "minimum": 1, "maximum": 5}
RUBRIC = {"name": "truth", "rubric": [{"label": "no", "value": 0}, {"label": "yes", "description": "d", "value": 1}]}
METRICS: dict[str, Any] = {
    "exactMatch": {"reference": "{{item.expected}}", "candidate": "{{item.output}}"},
    "f1": {"reference": "r"},
    "bleu": {"references": ["a", "b"]},
    "rouge": {"reference": "r"},
    "stringCheck": {"operation": "NOT_CONTAINS", "left": "a", "right": "b"},
    "numberCheck": {"operation": "ABSOLUTE_DIFFERENCE", "left": "1", "right": "2", "epsilon": 0.5},
    "toolCalling": {"reference": "[]"},
    "llmJudge": {"model": MODEL, "promptTemplate": "p", "systemPrompt": "s", "scores": [RANGE, RUBRIC]},
    "remote": {"url": "http://score.example", "body": {"snake_case": ["{{item}}"]}, "outputs": ["x"], "maxRetries": 1},
    "reward": {"key": "other"},
}


async def test_any_metric_can_be_made_again_from_what_is_stored(client: AsyncPinset) -> None:
    for kind, given in METRICS.items():
        stored = await client.metrics.create(kind, {kind: given})
        outputs = [output.model_dump() for output in stored.outputs]
        content = definition(stored.type_.value, stored.config, outputs)
        assert digest_of(canonical_text(content)) == stored.digest, canonical_text(content)
        again = metric_input(str(content["type"]), stored.config)
        assert contains(again, {kind: given})
        assert (await client.metrics.create(f"{kind}-again", again)).digest == stored.digest


async def test_the_synchronous_client_has_the_same_calls(url: str) -> None:
    def use() -> None:
        with Pinset(url) as client:
            client.tasks.create("france", FRANCE)
            client.tasksets.create("suite", ["france"])
            assert [member.name for member in client.tasksets.members("suite")] == ["france"]
            assert [task.ref for task in client.tasks.list()] == ["default/france"]
            assert client.execute("{ viewer { name } }")["viewer"]["name"]

    await anyio.to_thread.run_sync(use)


async def test_the_readme_s_example_runs_as_it_stands(
    url: str, client: AsyncPinset, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (Path(__file__).parent.parent / "client" / "README.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    monkeypatch.setenv("PINSET_URL", url)
    await anyio.to_thread.run_sync(exec, example, {})
    taskset = await client.tasksets.retrieve("geography")
    first, second = capsys.readouterr().out.splitlines()[-2:]
    assert first == taskset.latest.ref
    assert second.endswith(" 1")


def test_the_synchronous_client_is_written_from_the_asynchronous_one() -> None:
    public = {name for name in dir(AsyncPinset) if not name.startswith("_")}
    assert public == {name for name in dir(Pinset) if not name.startswith("_")}


@pytest.mark.slow
async def test_the_humaneval_example_reads_back_byte_for_byte(url: str, client: AsyncPinset) -> None:
    command = [sys.executable, str(EXAMPLES / "humaneval.py"), url]
    for outcome in ("CREATED", "UNCHANGED"):
        process = await anyio.run_process(command, stderr=subprocess.STDOUT, check=False)
        assert process.returncode == 0, process.stdout.decode()
        assert f"{outcome}: revision 1 of humaneval, 164 tasks" in process.stdout.decode()
    assert (await client.workspaces.retrieve()).task_count == 164
