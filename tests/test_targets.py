"""Targets, judges and remote scorers against a scripted server."""

import json
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest

from domain.metrics import LlmJudge, MetricType, check_metric
from domain.targets import AgentTarget, GivenOutput, ModelTarget, TargetKind, check_target
from domain.trials import TrialError, TrialOutcome, TrialStatus
from evaluation.chat import completions_url
from evaluation.messages import BoundMetric
from evaluation.metrics.judge import read_scores
from evaluation.metrics.measurement import MetricFailure
from evaluation.rows import Work
from evaluation.scoring import ScoringPool
from evaluation.targets.execution import attempt
from evaluation.targets.outputs import given_outcomes
from evaluation.verdicts import calls_out, verdict
from tests.scripted_server import Scripted, outgoing, scripted

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.test/v1", "https://a.test/v1/chat/completions"),
        ("https://a.test/v1/", "https://a.test/v1/chat/completions"),
        ("https://a.test", "https://a.test/v1/chat/completions"),
        ("https://a.test/x/chat/completions?v=1", "https://a.test/x/chat/completions?v=1"),
        ("https://a.test/x?v=1", "https://a.test/x/chat/completions?v=1"),
    ],
)
def test_where_completions_are(url: str, expected: str) -> None:
    assert completions_url(url) == expected


def completion(content: Any, **message: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {"choices": [{"message": {"role": "assistant", "content": content, **message}}], "usage": usage}


SPEC: Final = {
    "intent": "Name the capital.",
    "inputs": {"instruction": "Capital of France?"},
    "kind": "evaluator",
    "reference": {"expected": "Paris"},
    "views": {},
}
WORK: Final = Work("france", json.dumps({"metadata": [], "spec": SPEC}))
ROW: Final = Work("row", json.dumps({"question": "2+2?"}), is_row=True)


@pytest.fixture(scope="module")
async def pool() -> AsyncIterator[ScoringPool]:
    async with ScoringPool(size=1) as running:
        yield running


def model(script: Scripted, **fields: Any) -> ModelTarget:
    target = check_target(TargetKind.MODEL, {"model": {"url": script.url, "name": "m"}, **fields})
    assert isinstance(target, ModelTarget)
    return target


async def ask(
    script: Scripted, pool: ScoringPool, target: Any, work: Work = WORK, template: str | None = None
) -> TrialOutcome:
    async with outgoing() as client:
        return await attempt(target, work, template, 5.0, pool, client)


async def test_a_model_is_asked_the_tasks_prompt(pool: ScoringPool) -> None:
    async with scripted(completion("Paris")) as script:
        found = await ask(script, pool, model(script, system_prompt="Be brief.", temperature=0.5, max_tokens=9))
        assert (found.output, found.status) == ("Paris", TrialStatus.COMPLETED)
        assert found.usage is not None
        assert (found.usage.input_tokens, found.usage.output_tokens, found.usage.cost_usd) == (11, 7, None)
        assert found.response == completion("Paris")
        path, _, body = script.seen[0]
        assert path == "/v1/chat/completions"
        assert body == {
            "model": "m",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Capital of France?"},
            ],
            "temperature": 0.5,
            "max_tokens": 9,
        }


async def test_a_prompt_is_rendered_over_the_row(pool: ScoringPool) -> None:
    async with scripted(completion("4")) as script:
        assert (await ask(script, pool, model(script), ROW, "Q: {{item.question}}")).output == "4"
        assert script.seen[0][2]["messages"] == [{"role": "user", "content": "Q: 2+2?"}]
        for template in (None, "{{item.nothing}}"):
            found = await ask(script, pool, model(script), ROW, template)
            assert found.error is not None
            assert found.error.type == "TEMPLATE_ERROR"
        leak = await ask(script, pool, model(script, prompt_template="{{item.reference.expected}}"))
        assert leak.error is not None
        assert leak.error.type == "TEMPLATE_ERROR"
        assert len(script.seen) == 1


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        (completion([{"type": "text", "text": "Pa"}, {"type": "text", "text": "ris"}]), "Paris"),
        (completion(""), ""),
        (completion(None, tool_calls=[{"function": {"name": "f"}}]), None),
        (completion(None, refusal="No."), "No."),
    ],
)
async def test_completions_of_several_shapes(pool: ScoringPool, answer: Any, output: str | None) -> None:
    async with scripted(answer) as script:
        found = await ask(script, pool, model(script))
        assert (found.output, found.status) == (output, TrialStatus.COMPLETED)


@pytest.mark.parametrize("answer", [{}, [], {"choices": []}, completion(None), {"choices": [{"message": 1}]}])
async def test_what_is_no_completion_is_an_invalid_answer(pool: ScoringPool, answer: Any) -> None:
    async with scripted(answer) as script:
        found = await ask(script, pool, model(script))
        assert found.status is TrialStatus.FAILED
        assert found.error is not None
        assert (found.error.type, found.error.is_lost) == ("INVALID_ANSWER", False)
        assert len(script.seen) == 1


def agent(script: Scripted, **fields: Any) -> AgentTarget:
    given = {
        "url": f"{script.url}/run",
        "name": "a",
        "body": {"task": "{{item.instruction}}", "id": "{{item.task.id}}", "n": 1},
        "response_path": "$.result.text",
        **fields,
    }
    target = check_target(TargetKind.AGENT, given)
    assert isinstance(target, AgentTarget)
    return target


async def test_an_agent_gets_its_body_and_is_read_by_paths(pool: ScoringPool) -> None:
    answer = {"result": {"text": "Paris"}, "steps": [{"n": 1}], "usage": {"prompt_tokens": 3, "cost": 0.25}}
    async with scripted(answer) as script:
        found = await ask(script, pool, agent(script, trajectory_path="$.steps"))
        assert (found.output, found.trajectory, found.response) == ("Paris", [{"n": 1}], answer)
        assert found.usage is not None
        assert (found.usage.input_tokens, found.usage.output_tokens, found.usage.cost_usd) == (3, None, 0.25)
        assert script.seen[0][2] == {"task": "Capital of France?", "id": "france", "n": 1}
        assert (await ask(script, pool, agent(script, response_path="$.result"))).output == '{"text": "Paris"}'
        assert (await ask(script, pool, agent(script, trajectory_path="$.none"))).trajectory is None
        lost = await ask(script, pool, agent(script, response_path="$.nothing"))
        assert lost.error is not None
        assert lost.error.type == "INVALID_ANSWER"


async def test_an_agents_body_can_hold_the_datasets_prompt(pool: ScoringPool) -> None:
    async with scripted({"result": {"text": "4"}}) as script:
        target = agent(script, body=["{{prompt}}"])
        assert (await ask(script, pool, target, ROW, "Q: {{question}}")).output == "4"
        assert script.seen[0][2] == ["Q: 2+2?"]


def test_given_outputs_and_those_missing() -> None:
    outputs = [GivenOutput(task="a", repeat=1, output="x")]
    found = given_outcomes(outputs, ["a", "b"], 2)
    assert len(found) == 4
    assert found["a", 1] == TrialOutcome(output="x")
    missing = [outcome for key, outcome in found.items() if key != ("a", 1)]
    assert [outcome.status for outcome in missing] == [TrialStatus.FAILED] * 3
    assert {outcome.error for outcome in missing} == {TrialError("NO_OUTPUT", "No output was given for this trial.")}


RANGE: Final = {"name": "quality", "minimum": 1.0, "maximum": 5.0}
RUBRIC: Final = {"name": "tone", "rubric": [{"label": "Kind", "value": 1.0}, {"label": "Rude", "value": 0.0}]}


def judge_metric(url: str, *scores: dict[str, Any], **fields: Any) -> BoundMetric:
    config = {"model": {"url": url, "name": "j"}, "scores": list(scores), **fields}
    return BoundMetric("default/judge", check_metric(MetricType.LLM_JUDGE, config))


@pytest.mark.parametrize(
    ("text", "quality", "tone"),
    [
        ('{"quality": 4, "tone": "Kind"}', 4.0, 1.0),
        ('```json\n{"quality": "4.5", "tone": "rude"}\n```', 4.5, 0.0),
        ('Let me see {not json}. {"tone": "Kind", "quality": 1} Done.', 1.0, 1.0),
        ('{"quality": 6, "tone": "Kind"}', None, 1.0),
        ('{"quality": true, "tone": "Kind"}', None, 1.0),
        ('{"quality": NaN, "tone": "Kind"}', None, 1.0),
        ('{"quality": 3, "tone": "cold"}', 3.0, None),
        ('{"quality": 3}', 3.0, None),
    ],
)
def test_a_judges_answer(text: str, quality: float | None, tone: float | None) -> None:
    metric = judge_metric("http://j.test", RANGE, RUBRIC)
    assert isinstance(metric.configuration, LlmJudge)
    found = read_scores(metric.configuration, text)
    assert [(one.name, one.value) for one in found.values] == [("quality", quality), ("tone", tone)]
    assert len(found.diagnostics) == [quality, tone].count(None)
    if tone is not None:
        assert found.values[1].label in ("Kind", "Rude")


@pytest.mark.parametrize("text", ["", "I cannot judge this.", "{}", '{"quality": "high", "tone": 3}', "[4]"])
def test_a_judge_that_gives_no_score_fails(text: str) -> None:
    metric = judge_metric("http://j.test", RANGE, RUBRIC)
    assert isinstance(metric.configuration, LlmJudge)
    with pytest.raises(MetricFailure):
        read_scores(metric.configuration, text)


@pytest.mark.parametrize(("score", "text", "value"), [(RUBRIC, " kind.\n", 1.0), (RANGE, "4", 4.0)])
def test_a_single_score_may_stand_alone(score: dict[str, Any], text: str, value: float) -> None:
    metric = judge_metric("http://j.test", score)
    assert isinstance(metric.configuration, LlmJudge)
    assert read_scores(metric.configuration, text).values[0].value == value


async def judged(script: Scripted, pool: ScoringPool, metric: BoundMetric) -> Any:
    assert calls_out([metric])
    async with outgoing() as client:
        return await verdict(WORK, TrialOutcome(output="Paris!"), [metric], pool, client)


async def test_a_judge_sees_the_row_and_scores(pool: ScoringPool) -> None:
    async with scripted(completion('{"quality": 4}')) as script:
        found = await judged(script, pool, judge_metric(script.url, RANGE))
        assert (found.reward, found.scores[0].status) == (4.0, TrialStatus.COMPLETED)
        system, user = script.seen[0][2]["messages"]
        for part in ("Capital of France?", "Paris!", '"expected": "Paris"'):
            assert part in user["content"]
        assert "quality (a number from 1 to 5)" in system["content"]
        await judged(script, pool, judge_metric(script.url, RANGE, prompt_template="{{output}}", system_prompt="Hi."))
        system, user = script.seen[1][2]["messages"]
        assert user["content"] == "Paris!"
        assert system["content"].startswith("Hi.")


@pytest.mark.parametrize("answer", [(401, {}), completion("no idea"), {"choices": []}])
async def test_a_judge_that_fails_is_a_failed_score(pool: ScoringPool, answer: Any) -> None:
    async with scripted(answer) as script:
        found = await judged(script, pool, judge_metric(script.url, RANGE))
        assert (found.reward, found.scores[0].status, found.scores[0].values) == (None, TrialStatus.FAILED, ())
        assert len(found.scores[0].diagnostics) == 1


def remote_metric(url: str, **fields: Any) -> BoundMetric:
    config = {"url": url, "body": {"text": "{{item.output}}"}, "scores": ["a", "b"], "max_retries": 1, **fields}
    return BoundMetric("default/remote", check_metric(MetricType.REMOTE, config))


@pytest.mark.parametrize(
    ("answer", "values", "status"),
    [
        ({"a": 1, "b": 0.5, "c": 9}, [1.0, 0.5], TrialStatus.COMPLETED),
        ({"a": True, "b": None}, [1.0, None], TrialStatus.PARTIAL),
        ({"a": 1, "b": "high"}, [1.0, None], TrialStatus.PARTIAL),
        ({"c": 1}, [], TrialStatus.FAILED),
        ([1, 2], [], TrialStatus.FAILED),
        ((500, {}), [], TrialStatus.FAILED),
    ],
)
async def test_a_remote_scorer(pool: ScoringPool, answer: Any, values: list[float | None], status: TrialStatus) -> None:
    async with scripted(answer) as script:
        found = await judged(script, pool, remote_metric(script.url))
        (score,) = found.scores
        assert ([value.value for value in score.values], score.status) == (values, status)
        assert len(score.diagnostics) == (0 if status is TrialStatus.COMPLETED else 1)
        assert script.seen[0][2] == {"text": "Paris!"}
        assert len(script.seen) == (2 if isinstance(answer, tuple) else 1)
