"""Tool calling, by names and by arguments; and the reported reward."""

import json
from typing import Any

import pytest

from domain.canonical import JSON
from domain.metrics import MetricType, check_metric
from domain.trials import Score, TrialOutcome, TrialStatus
from evaluation.metrics import local
from evaluation.metrics.measurement import Sample
from evaluation.rows import Work, scoring_context

WEATHER: dict[str, Any] = {"function": {"name": "weather", "arguments": {"city": "Oslo", "days": 2}}}
CLOCK: dict[str, Any] = {"function": {"name": "clock", "arguments": {}}}


def called(*calls: dict[str, Any]) -> JSON:
    return {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": list(calls)}}]}


def score(outcome: TrialOutcome, expected: object, template: str = "{{ item.calls | tojson }}") -> Score:
    spec = {"intent": "x", "inputs": {}, "kind": "evaluator", "reference": {"calls": expected}}
    work = Work("task", json.dumps({"metadata": [], "spec": spec}))
    configuration = check_metric(MetricType.TOOL_CALLING, {"reference": template}).configuration
    return local.score("default/tools", configuration, Sample(outcome, scoring_context(work, outcome)))


def text_arguments(call: dict[str, Any], arguments: str) -> dict[str, Any]:
    return {"function": {**call["function"], "arguments": arguments}}


@pytest.mark.parametrize(
    ("response", "expected", "values"),
    [
        (called(WEATHER, CLOCK), [WEATHER, CLOCK], [1, 1]),
        (called(CLOCK, WEATHER), [WEATHER, CLOCK], [1, 1]),
        (called(text_arguments(WEATHER, '{"days": 2.0, "city": "Oslo"}'), CLOCK), [WEATHER, CLOCK], [1, 1]),
        (called(text_arguments(WEATHER, '{"city": "Rome"}')), [WEATHER], [1, 0]),
        (called(text_arguments(WEATHER, '{"city": "Oslo", "days": true}')), [WEATHER], [1, 0]),
        (called(WEATHER), [WEATHER, CLOCK], [0, 0]),
        (called(WEATHER, WEATHER), [WEATHER], [1, 0]),
        (called(), [WEATHER], [0, 0]),
        (called(), [], [1, 1]),
        ({"choices": [{"message": {"content": "hi"}}]}, [], [1, 1]),
        (called(text_arguments(CLOCK, "")), [CLOCK], [1, 1]),
        (called(text_arguments(WEATHER, "{oops")), [WEATHER], [1, None]),
        ({"tool_calls": [WEATHER]}, [WEATHER], [1, 1]),
        ([WEATHER], [WEATHER], [1, 1]),
        (called({"function": {"name": "wetter", "arguments": "{}"}}), [WEATHER], [0, 0]),
    ],
)
def test_calls(response: JSON, expected: list[Any], values: list[float | None]) -> None:
    for template in ("{{ item.calls | tojson }}", "{{ item.calls }}"):
        found = score(TrialOutcome(response=response), expected, template)
        assert [one.name for one in found.values] == ["function_name_accuracy", "function_name_and_args_accuracy"]
        assert [one.value for one in found.values] == values
        status = TrialStatus.PARTIAL if None in values else TrialStatus.COMPLETED
        assert (found.status, len(found.diagnostics)) == (status, int(None in values))


def test_calls_are_found_in_a_trajectory() -> None:
    step: JSON = {"step_id": 2, "source": "agent", "tool_calls": [{"function_name": "clock", "arguments": {}}]}
    trajectory: JSON = {"schema_version": "ATIF-v1.0", "steps": [{"step_id": 1, "source": "user"}, step]}
    found = score(TrialOutcome(output="done", trajectory=trajectory), [CLOCK])
    assert [one.value for one in found.values] == [1, 1]


@pytest.mark.parametrize("expected", [{"function": {}}, "text", [1], [{"function": {"name": 3}}]])
def test_a_reference_that_is_no_list_of_calls_fails(expected: object) -> None:
    found = score(TrialOutcome(response=called(WEATHER)), expected)
    assert found.status is TrialStatus.FAILED
    assert len(found.diagnostics) == 1


def test_without_response_nothing_can_be_read() -> None:
    assert score(TrialOutcome(output="text"), [WEATHER]).status is TrialStatus.FAILED


def reward(outcome: TrialOutcome, key: str = "reward") -> Score:
    configuration = check_metric(MetricType.REWARD, {"key": key}).configuration
    return local.score("default/reward", configuration, Sample(outcome, {}))


def test_a_reported_reward_is_the_score() -> None:
    assert reward(TrialOutcome(reward=0.25)).values[0].value == 0.25
    assert reward(TrialOutcome(reward=0.25, rewards={"speed": -3.0}), "speed").values[0].value == -3.0


def test_a_missing_reward_fails_and_is_not_0() -> None:
    found = reward(TrialOutcome(output="x", rewards={"style": 1.0}), "speed")
    assert (found.status, found.values) == (TrialStatus.FAILED, ())
    assert "'style'" in found.diagnostics[0].message
