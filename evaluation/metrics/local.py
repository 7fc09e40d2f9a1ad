"""The metrics that call nobody, by type; they run in the scoring pool's child processes."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain.metrics import Configuration, MetricType, Reward
from domain.trials import Score
from evaluation.metrics import number, reward, text, tools
from evaluation.metrics.measurement import Measurement, MetricFailure, Sample, failed_score
from evaluation.templates import TemplateFailure


def _reward(metric: Reward, sample: Sample) -> Measurement:
    return reward.reward(metric, sample.outcome)


LOCAL: Final[Mapping[MetricType, Callable[[Any, Sample], Measurement]]] = {
    MetricType.EXACT_MATCH: text.exact_match,
    MetricType.F1: text.f1,
    MetricType.BLEU: text.bleu,
    MetricType.ROUGE: text.rouge,
    MetricType.STRING_CHECK: text.string_check,
    MetricType.NUMBER_CHECK: number.number_check,
    MetricType.TOOL_CALLING: tools.tool_calling,
    MetricType.REWARD: _reward,
}


def score(ref: str, metric: Configuration, sample: Sample) -> Score:
    """The score of one metric; whatever it raises becomes a FAILED score with a diagnostic."""
    try:
        return LOCAL[metric.type](metric, sample).score(ref)
    except (MetricFailure, TemplateFailure) as failure:
        return failed_score(ref, str(failure))
    except MemoryError:
        raise
    except Exception as error:
        return failed_score(ref, f"The metric failed: {type(error).__name__}: {error}.")


def load(type: MetricType) -> None:
    """Import what a metric needs, so that its first score is not charged for it."""
    if type is MetricType.BLEU:
        text.load_bleu()
    elif type is MetricType.ROUGE:
        text.load_rouge()
