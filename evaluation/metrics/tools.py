"""Tool calling: which functions a response calls, and with which arguments; the order does not matter."""

import ast
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from domain.metrics import ToolCalling
from domain.names import shown
from domain.trials import Diagnostic, ScoreValue, TrialOutcome
from evaluation.metrics.measurement import Measurement, MetricFailure, Sample

Call: TypeAlias = tuple[str, object]

_UNREADABLE: Final = object()


def tool_calling(metric: ToolCalling, sample: Sample) -> Measurement:
    """1 or 0 for the set of names, and 1 or 0 for names with arguments; unreadable arguments leave that out."""
    expected = _expected(sample.render(metric.reference))
    called = list(_called(sample.outcome))
    same_names = {name for name, _ in expected} == {name for name, _ in called}
    names = ScoreValue("function_name_accuracy", float(same_names))
    unreadable = [name for name, arguments in called if arguments is _UNREADABLE]
    if unreadable:
        why = f"The arguments of {shown(unreadable[0])} are not JSON."
        both = ScoreValue("function_name_and_args_accuracy")
        return Measurement((names, both), (Diagnostic("warning", why),))
    both = ScoreValue("function_name_and_args_accuracy", float(same_names and _same_arguments(expected, called)))
    return Measurement((names, both))


def _expected(text: str) -> list[Call]:
    value = _literal(text)
    if not isinstance(value, list) or not all(isinstance(call, Mapping) for call in value):
        raise MetricFailure(f"The reference must render to a list of calls; it renders to {shown(text)}.")
    calls = [_call(call) for call in value]
    if any(call is None or call[1] is _UNREADABLE for call in calls):
        raise MetricFailure("Each call of the reference has the form {function: {name, arguments}}.")
    return [call for call in calls if call is not None]


def _literal(text: str) -> object:
    # A list that Jinja writes out by itself is a Python literal, one through `tojson` is JSON.
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError):
        return None


def _call(call: Mapping[str, Any]) -> Call | None:
    function = call.get("function", call)
    if not isinstance(function, Mapping):
        return None
    name = function.get("name", function.get("function_name"))
    return (name, _arguments(function.get("arguments"))) if isinstance(name, str) else None


def _arguments(value: object) -> object:
    if value is None or value == "":
        return {}
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return _UNREADABLE


def _called(outcome: TrialOutcome) -> Iterator[Call]:
    if outcome.response is None and outcome.trajectory is None:
        raise MetricFailure("Neither a response nor a trajectory was produced, so no tool calls can be read.")
    source = outcome.response if outcome.response is not None else outcome.trajectory
    calls = _calls_in(source)
    if not calls and outcome.trajectory is not None:
        calls = _calls_in(outcome.trajectory)
    for call in calls:
        read = _call(call)
        if read is not None:
            yield read


def _calls_in(value: object) -> list[Mapping[str, Any]]:
    """The calls of a chat completion, a message, a list of calls, or an ATIF trajectory."""
    if isinstance(value, list):
        return [call for call in value if isinstance(call, Mapping)]
    if not isinstance(value, Mapping):
        return []
    if isinstance(value.get("tool_calls"), list):
        return [call for call in value["tool_calls"] if isinstance(call, Mapping)]
    holders: list[object] = [value.get("message")]
    for key in ("choices", "steps"):
        parts = value.get(key)
        holders.extend(parts if isinstance(parts, list) else [])
    return [call for holder in holders if isinstance(holder, Mapping) for call in _calls_in(holder)]


def _same_arguments(expected: Sequence[Call], called: Sequence[Call]) -> bool:
    return _by_name(expected) == _by_name(called)


def _by_name(calls: Sequence[Call]) -> dict[str, list[str]]:
    arguments: dict[str, list[str]] = defaultdict(list)
    for name, value in calls:
        arguments[name].append(json.dumps(_comparable(value), sort_keys=True))
    return {name: sorted(texts) for name, texts in arguments.items()}


def _comparable(value: object) -> object:
    # 1 and 1.0 are the same number to whoever called; true is not 1.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _comparable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_comparable(item) for item in value]
    return value
