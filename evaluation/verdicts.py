"""The verdict on one attempt: the scores of all its metrics, its views, and its reward."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from domain.canonical import JSON
from domain.metrics import LlmJudge, MetricType, Remote, Reward
from domain.trials import Score, TrialOutcome, TrialStatus
from evaluation.calls import Caller, OutgoingFailure
from evaluation.messages import BoundMetric
from evaluation.metrics.judge import judge
from evaluation.metrics.measurement import MetricFailure, failed_score
from evaluation.metrics.remote import remote
from evaluation.metrics.reward import reward
from evaluation.rows import Work
from evaluation.scoring import ScoringPool
from evaluation.templates import TemplateFailure
from evaluation.views import trial_reward, view_values

CALLING: Final = frozenset({MetricType.LLM_JUDGE, MetricType.REMOTE})


@dataclass(frozen=True, slots=True)
class Verdict:
    """One score a metric in the task's order, the views' values by name, and the reward."""

    scores: tuple[Score, ...]
    views: Mapping[str, float | None]
    reward: float | None


def calls_out(metrics: Sequence[BoundMetric]) -> bool:
    """Whether scoring calls somebody, so that it is a worker's business."""
    return any(metric.type in CALLING for metric in metrics)


async def verdict(
    work: Work,
    outcome: TrialOutcome,
    metrics: Sequence[BoundMetric],
    pool: ScoringPool,
    outgoing: Caller | None = None,
) -> Verdict:
    """Score an attempt by all metrics of its task. Never raises for what a metric does; `outgoing` may be left out
    where none of them calls out.
    """
    if outcome.status is TrialStatus.FAILED:
        scores = _all_failed(outcome, metrics)
    else:
        scores = await _scores(work, outcome, metrics, pool, outgoing)
    views = view_values(_views(work), metrics, scores)
    return Verdict(scores, views, trial_reward(outcome, metrics, scores, views))


def _all_failed(outcome: TrialOutcome, metrics: Sequence[BoundMetric]) -> tuple[Score, ...]:
    type = "no output" if outcome.error is None else outcome.error.type
    return tuple(failed_score(metric.ref, f"The trial failed: {type}.") for metric in metrics)


async def _scores(
    work: Work,
    outcome: TrialOutcome,
    metrics: Sequence[BoundMetric],
    pool: ScoringPool,
    outgoing: Caller | None,
) -> tuple[Score, ...]:
    rewards = [_reward_score(metric, outcome) for metric in metrics if metric.type is MetricType.REWARD]
    local = [metric for metric in metrics if metric.type not in CALLING and metric.type is not MetricType.REWARD]
    calling = [metric for metric in metrics if metric.type in CALLING]
    if calling and outgoing is None:
        raise ValueError("these metrics call out, and no client was given")
    found = await asyncio.gather(
        pool.score(work, outcome, local),
        *(_called(metric, work, outcome, pool, outgoing) for metric in calling if outgoing is not None),
    )
    by_ref = {score.metric: score for scores in (rewards, *found) for score in scores}
    return tuple(by_ref[metric.ref] for metric in metrics)


def _reward_score(metric: BoundMetric, outcome: TrialOutcome) -> Score:
    try:
        return reward(cast(Reward, metric.configuration), outcome).score(metric.ref)
    except MetricFailure as failure:
        return failed_score(metric.ref, str(failure))


async def _called(
    metric: BoundMetric, work: Work, outcome: TrialOutcome, pool: ScoringPool, outgoing: Caller
) -> tuple[Score, ...]:
    try:
        match metric.configuration:
            case LlmJudge() as configuration:
                measurement = await judge(configuration, work, outcome, pool, outgoing)
            case Remote() as configuration:
                measurement = await remote(configuration, work, outcome, pool, outgoing)
            case _:
                raise MetricFailure(f"A metric of type {metric.type} calls nobody.")
    except (MetricFailure, TemplateFailure) as failure:
        return (failed_score(metric.ref, str(failure)),)
    except OutgoingFailure as failure:
        return (failed_score(metric.ref, f"{failure.type}: {failure.message}"),)
    return (measurement.score(metric.ref),)


def _views(work: Work) -> Mapping[str, JSON]:
    if work.is_row:
        return {}
    spec = json.loads(work.content)["spec"]
    return cast("Mapping[str, JSON]", spec.get("views") or {})
