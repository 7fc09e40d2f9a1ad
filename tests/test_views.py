"""Views and the reward of a trial."""

import math
from typing import Any

import pytest

from domain.metrics import MetricType, check_metric
from domain.trials import Score, ScoreValue, TrialError, TrialOutcome, TrialStatus
from evaluation.messages import BoundMetric
from evaluation.views import named_metric, trial_reward, view_values


def metric(ref: str, type: MetricType = MetricType.EXACT_MATCH) -> BoundMetric:
    config = {"references": ["x"]} if type is MetricType.BLEU else {"reference": "x"}
    return BoundMetric(ref, check_metric(type, config))


A, B = metric("default/a"), metric("other/b", MetricType.F1)
C = metric("default/c")


def score(of: BoundMetric, value: float | None, output: str | None = None) -> Score:
    name = output or of.configuration.outputs()[0].name
    return Score(of.ref, TrialStatus.COMPLETED, (ScoreValue(name, value),))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("default/a", A),
        ("a", A),
        ("b", B),
        ("other/b", B),
        ("f1", B),
        ("exact-match", None),  # the type occurs twice
        ("bleu", None),
        ("default/b", None),
    ],
)
def test_a_name_comes_before_a_type_that_occurs_once(name: str, found: BoundMetric | None) -> None:
    assert named_metric(name, [A, B, C]) is found


def test_a_metric_named_like_a_type_is_meant_by_name() -> None:
    named = metric("default/f1")
    assert named_metric("f1", [B, named]) is named
    assert named_metric("x", [metric("one/x"), metric("two/x")]) is None


def view(reducer: str, *weights: float | None) -> dict[str, Any]:
    signals = [
        {"metric": name, "output": output, "weight": weight}
        for (name, output), weight in zip((("a", "exact-match"), ("b", "f1")), weights or (None, None), strict=True)
    ]
    return {"v": {"reducer": reducer, "signals": signals}}


@pytest.mark.parametrize(
    ("reducer", "weights", "expected"),
    [
        ("single", (), 1.0),
        ("all", (), 0.5),
        ("any", (), 1.0),
        ("mean", (), 0.75),
        ("weighted_mean", (3.0, None), 0.875),
        ("weighted_mean", (0.0, 0.0), None),
        ("weighted_mean", (1.0, -1.0), None),
    ],
)
def test_reducers(reducer: str, weights: tuple[float | None, ...], expected: float | None) -> None:
    scores = [score(A, 1.0), score(B, 0.5)]
    assert view_values(view(reducer, *weights), [A, B], scores) == {"v": expected}


@pytest.mark.parametrize(
    "scores",
    [
        [score(A, 1.0)],
        [score(A, 1.0), score(B, None)],
        [score(A, 1.0), score(B, math.nan)],
        [score(A, 1.0), score(B, math.inf)],
        [score(A, 1.0), score(B, 0.5, "another")],
        [score(A, 1.0), Score(B.ref, TrialStatus.FAILED, (ScoreValue("f1", 0.5),))],
    ],
)
def test_one_missing_signal_makes_a_view_unmeasured(scores: list[Score]) -> None:
    for reducer in ("single", "all", "any", "mean", "weighted_mean"):
        assert view_values(view(reducer), [A, B], scores) == {"v": None}


DONE = TrialOutcome(output="x")


def test_the_reward_is_what_was_reported_then_the_view_then_the_mean() -> None:
    scores = [score(A, 1.0), score(B, 0.5)]
    reported = TrialOutcome(output="x", reward=0.1)
    assert trial_reward(reported, [A, B], scores, {"reward": 0.2}) == 0.1
    assert trial_reward(TrialOutcome(rewards={"reward": 0.3}), [A, B], scores, {"reward": 0.2}) == 0.3
    assert trial_reward(DONE, [A, B], scores, {"reward": 0.2}) == 0.2
    assert trial_reward(DONE, [A, B], scores, {"reward": None}) is None
    assert trial_reward(DONE, [A, B], scores, {"other": 0.2}) == 0.75
    assert trial_reward(DONE, [A, B], scores[:1], {}) is None
    assert trial_reward(DONE, [], [], {}) is None


def test_bleu_counts_as_a_fraction() -> None:
    bleu = metric("default/bleu", MetricType.BLEU)
    assert trial_reward(DONE, [bleu, A], [score(bleu, 50.0), score(A, 1.0)], {}) == 0.75


def test_a_failed_trial_has_no_reward_and_a_partial_one_has() -> None:
    error = TrialError("CRASH", "boom")
    assert trial_reward(TrialOutcome(error=error), [A], [score(A, 1.0)], {"reward": 1.0}) is None
    assert trial_reward(TrialOutcome(output="x", error=error), [A], [score(A, 1.0)], {}) == 1.0
