"""What every metric works on and gives back."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from domain.trials import Diagnostic, Score, ScoreValue, TrialOutcome, TrialStatus
from evaluation.templates import render


class MetricFailure(Exception):
    """A metric that cannot judge this attempt; its score is FAILED with this message."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One attempt as a metric sees it: what was produced, and the context of its templates."""

    outcome: TrialOutcome
    context: Mapping[str, Any]

    def render(self, template: str) -> str:
        """A template over this attempt. Raises TemplateFailure."""
        return render(template, self.context)

    def candidate(self, template: str | None) -> str:
        """The text to be judged: the rendered template, or what was produced where there is none."""
        if template is not None:
            return self.render(template)
        if self.outcome.output is None:
            raise MetricFailure("No output text was produced, and the metric names no `candidate` template.")
        return self.outcome.output


@dataclass(frozen=True, slots=True)
class Measurement:
    """The values of a metric for one attempt; a value without number or label could not be measured."""

    values: tuple[ScoreValue, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    counts: tuple[int, ...] = ()

    def score(self, metric: str) -> Score:
        """The score of the metric with this reference: COMPLETED, or PARTIAL where a value is missing."""
        values = tuple(_finite(value) for value in self.values)
        is_whole = all(value.value is not None for value in values)
        status = TrialStatus.COMPLETED if is_whole else TrialStatus.PARTIAL
        return Score(metric, status, values, self.diagnostics, self.counts)


def _finite(value: ScoreValue) -> ScoreValue:
    if value.value is None or math.isfinite(value.value):
        return value
    return ScoreValue(value.name, None, value.label)


def measured(name: str, value: float | bool) -> Measurement:
    """A measurement of one number."""
    return Measurement((ScoreValue(name, float(value)),))


def unmeasured(name: str, why: str) -> Measurement:
    """A measurement without a number, and why."""
    return Measurement((ScoreValue(name),), (Diagnostic("warning", why),))


def failed_score(metric: str, why: str) -> Score:
    """The score of a metric that could not judge."""
    return Score(metric, TrialStatus.FAILED, (), (Diagnostic("error", why[:2000]),))
