"""Reward: a number that a runner reported with its trial."""

from domain.metrics import Reward
from domain.names import shown
from domain.trials import TrialOutcome
from evaluation.metrics.measurement import Measurement, MetricFailure, measured


def reward(metric: Reward, outcome: TrialOutcome) -> Measurement:
    """The reported reward of the metric's key. A reward that was not reported fails the score; it is never 0."""
    value = outcome.reward_of(metric.key)
    if value is None:
        known = ", ".join(shown(key) for key in sorted(outcome.rewards or {})[:10]) or "none"
        raise MetricFailure(f"No reward {shown(metric.key)} was reported; those reported: {known}.")
    return measured("reward", value)
