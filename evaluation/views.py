"""Views over a trial's scores, and the one number that is the trial's reward."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from domain.canonical import JSON
from domain.metrics import MetricType
from domain.trials import Score, TrialOutcome, TrialStatus
from domain.views import Signal, View
from evaluation.messages import BoundMetric

REWARD: Final = "reward"
_SCALES: Final[Mapping[MetricType, float]] = {MetricType.BLEU: 100.0}


def named_metric(name: str, metrics: Sequence[BoundMetric]) -> BoundMetric | None:
    """The metric that a view means: by reference or name first, then by a type that occurs once; else None."""
    by_name = [metric for metric in metrics if name in (metric.ref, metric.ref.rpartition("/")[2])]
    found = by_name or [metric for metric in metrics if metric.type == name]
    return found[0] if len(found) == 1 else None


def view_values(
    views: Mapping[str, JSON], metrics: Sequence[BoundMetric], scores: Sequence[Score]
) -> dict[str, float | None]:
    """Every view of a task (as stored in its content) over one attempt's scores; None where it is unmeasured."""
    by_ref = {score.metric: score for score in scores}
    return {name: _reduced(View.model_validate(view), metrics, by_ref) for name, view in views.items()}


def trial_reward(
    outcome: TrialOutcome,
    metrics: Sequence[BoundMetric],
    scores: Sequence[Score],
    views: Mapping[str, float | None],
) -> float | None:
    """What was reported, else the view `reward`, else the mean of the metrics' first outputs (BLEU as a fraction).

    None for a failed trial, where one of the values is missing, and where there is nothing to go by.
    """
    if outcome.status is TrialStatus.FAILED:
        return None
    reported = outcome.reward if outcome.reward is not None else outcome.reward_of(REWARD)
    if reported is not None:
        return float(reported)
    if REWARD in views:
        return views[REWARD]
    return _mean([_headline(metric, scores) for metric in metrics])


def _headline(metric: BoundMetric, scores: Sequence[Score]) -> float | None:
    score = next((score for score in scores if score.metric == metric.ref), None)
    value = None if score is None else _value(score, metric.configuration.outputs()[0].name)
    return None if value is None else value / _SCALES.get(metric.type, 1.0)


def _reduced(view: View, metrics: Sequence[BoundMetric], scores: Mapping[str, Score]) -> float | None:
    values = [_signal(signal, metrics, scores) for signal in view.signals]
    measured = [value for value in values if value is not None]
    if len(measured) < len(values):
        return None
    match view.reducer:
        case "single":
            return measured[0]
        case "all":
            return min(measured)
        case "any":
            return max(measured)
        case "mean":
            return _mean(values)
        case "weighted_mean":
            return _weighted([1.0 if signal.weight is None else signal.weight for signal in view.signals], measured)


def _signal(signal: Signal, metrics: Sequence[BoundMetric], scores: Mapping[str, Score]) -> float | None:
    metric = named_metric(signal.metric, metrics)
    score = None if metric is None else scores.get(metric.ref)
    return None if score is None else _value(score, signal.output)


def _value(score: Score, output: str) -> float | None:
    if score.status is TrialStatus.FAILED:
        return None
    value = score.value(output)
    return None if value is None or not math.isfinite(value) else float(value)


def _mean(values: Sequence[float | None]) -> float | None:
    measured = [value for value in values if value is not None]
    if not measured or len(measured) < len(values):
        return None
    return _finite_quotient(measured, len(measured))


def _weighted(weights: Sequence[float], values: Sequence[float]) -> float | None:
    total = math.fsum(weights)
    products = [weight * value for weight, value in zip(weights, values, strict=True)]
    return None if total == 0 else _finite_quotient(products, total)


def _finite_quotient(parts: Sequence[float], divisor: float) -> float | None:
    try:
        quotient = math.fsum(parts) / divisor
    except (OverflowError, ValueError):
        return None
    return quotient if math.isfinite(quotient) else None
