"""Remote: somebody else's scorer, by a POST of the rendered body; the answer holds the outputs by name."""

import math
from typing import Any

from domain.canonical import JSON
from domain.metrics import Remote
from domain.names import shown
from domain.trials import Diagnostic, ScoreValue, TrialOutcome
from evaluation.calls import Call, Caller
from evaluation.metrics.measurement import Measurement, MetricFailure
from evaluation.rows import Work
from evaluation.scoring import ScoringPool


async def remote(metric: Remote, work: Work, outcome: TrialOutcome, pool: ScoringPool, outgoing: Caller) -> Measurement:
    """Ask the scorer. Raises TemplateFailure, OutgoingFailure or MetricFailure where there is no answer."""
    body = await pool.render(metric.body, work, outcome)
    seconds = metric.timeout_seconds
    answer = await outgoing.post(
        Call(
            metric.url,
            body,
            metric.api_key_secret,
            seconds=(seconds + 30) * (metric.max_retries + 1),
            seconds_a_try=seconds,
            retries=metric.max_retries,
        )
    )
    return read_outputs(metric, answer.value)


def read_outputs(metric: Remote, answer: JSON) -> Measurement:
    """The outputs in an answer; those that are no finite number are left without value, with a diagnostic.

    Raises MetricFailure where the answer is no object, or holds none of them.
    """
    if not isinstance(answer, dict):
        raise MetricFailure(f"The scorer must answer with a JSON object; it answered {shown(str(answer))}.")
    values = tuple(ScoreValue(name, _number(answer.get(name))) for name in metric.scores)
    missing = [value.name for value in values if value.value is None]
    why = f"The scorer's answer holds no number at {', '.join(map(shown, missing))}."
    if len(missing) == len(values):
        raise MetricFailure(why)
    return Measurement(values, (Diagnostic("warning", why),) if missing else ())


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float):
        return None
    number = float(value)
    return number if math.isfinite(number) else None
