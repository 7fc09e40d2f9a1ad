"""What the scoring pool and its child processes say to each other: JSON, each message with its length in front.

JSON and not pickle, in both directions: a child runs other people's templates, and what it sends is only data.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, cast

import orjson

from domain.canonical import JSON
from domain.metrics import CONFIGURATIONS, Configuration, MetricDefinition, MetricType
from domain.trials import Diagnostic, Score, ScoreValue, TrialError, TrialOutcome, TrialStatus
from evaluation.rows import Work

LENGTH: Final = struct.Struct(">I")
MAX_MESSAGE_BYTES: Final = 128 * 1024 * 1024

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class BoundMetric:
    """A metric of a task: its reference (`workspace/name`) and its definition."""

    ref: str
    definition: MetricDefinition

    @property
    def type(self) -> MetricType:
        """Which scorer this is."""
        return self.definition.type

    @property
    def configuration(self) -> Configuration:
        """The checked configuration."""
        return self.definition.configuration


def framed(message: Message) -> bytes:
    """A message as bytes, its length in front. Content was checked at the door, so it can be encoded."""
    body = orjson.dumps(message)
    return LENGTH.pack(len(body)) + body


def framed_answer(message: Message) -> bytes:
    """As `framed`, for a child: what a template makes may hold lone surrogates, which are replaced."""
    body = json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    return LENGTH.pack(len(body)) + body


def score_request(work: Work, outcome: TrialOutcome, metrics: Sequence[BoundMetric]) -> Message:
    """Ask for the scores of metrics that call nobody."""
    named = [[metric.ref, metric.definition.text] for metric in metrics]
    return {"op": "score", "work": _work(work), "outcome": _outcome(outcome), "metrics": named}


def render_request(template: JSON, work: Work, outcome: TrialOutcome | None, extra: Mapping[str, JSON]) -> Message:
    """Ask for a JSON template, over the prompt's row, or over the scoring row where there is an outcome."""
    given = None if outcome is None else _outcome(outcome)
    return {"op": "render", "template": template, "work": _work(work), "outcome": given, "extra": dict(extra)}


def find_request(path: str, value: JSON) -> Message:
    """Ask for the first value at a JSONPath."""
    return {"op": "find", "path": path, "value": value}


def read_metrics(message: Message) -> list[tuple[str, Configuration]]:
    """The references and configurations of a score request."""
    return [(ref, _configuration(text)) for ref, text in message["metrics"]]


def read_work(message: Message) -> Work:
    """The work of a request."""
    return Work(**message["work"])


def read_outcome(message: Message) -> TrialOutcome | None:
    """The outcome of a request, where it has one."""
    fields = message["outcome"]
    if fields is None:
        return None
    error = fields.pop("error")
    return TrialOutcome(**fields, error=None if error is None else TrialError(**error))


def score_fields(score: Score) -> Message:
    """A score as JSON."""
    return {
        "metric": score.metric,
        "status": score.status.value,
        "values": [[value.name, value.value, value.label] for value in score.values],
        "diagnostics": [[diagnostic.severity, diagnostic.message] for diagnostic in score.diagnostics],
        "counts": list(score.counts),
    }


def read_score(fields: Mapping[str, Any]) -> Score:
    """A score from its JSON."""
    return Score(
        metric=fields["metric"],
        status=TrialStatus(fields["status"]),
        values=tuple(ScoreValue(*value) for value in fields["values"]),
        diagnostics=tuple(Diagnostic(*diagnostic) for diagnostic in fields["diagnostics"]),
        counts=tuple(fields["counts"]),
    )


def _work(work: Work) -> Message:
    return {
        "name": work.name,
        "content": work.content,
        "is_row": work.is_row,
        "repeat": work.repeat,
        "trial_id": work.trial_id,
    }


def _outcome(outcome: TrialOutcome) -> Message:
    error = outcome.error
    return {
        "output": outcome.output,
        "response": outcome.response,
        "trajectory": outcome.trajectory,
        "reward": outcome.reward,
        "rewards": None if outcome.rewards is None else dict(outcome.rewards),
        "error": None if error is None else {"type": str(error.type), "message": error.message},
    }


@lru_cache(maxsize=1024)
def _configuration(text: str) -> Configuration:
    value = cast("dict[str, Any]", json.loads(text))
    return CONFIGURATIONS[MetricType(value["type"])].model_validate(value["config"])
