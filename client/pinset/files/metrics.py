"""A stored metric's configuration (the platform's snake_case) as the API's `MetricInput`, and its definition."""

from typing import Final

from pinset.files.problems import FileProblem
from pinset.files.values import JSON, JSONObject

_RENAMED: Final = {"left_template": "left", "right_template": "right"}
_OPERATIONS: Final = {
    "equals": "EQUALS",
    "not equals": "NOT_EQUALS",
    "contains": "CONTAINS",
    "not contains": "NOT_CONTAINS",
    "startswith": "STARTS_WITH",
    "endswith": "ENDS_WITH",
    ">": "GREATER",
    ">=": "GREATER_OR_EQUAL",
    "<": "LESS",
    "<=": "LESS_OR_EQUAL",
    "absolute difference": "ABSOLUTE_DIFFERENCE",
}


def definition(type_name: str, config: JSON, outputs: list[JSONObject]) -> JSONObject:
    """What a metric's digest covers, from the fields of the API (`EXACT_MATCH`, bounds as numbers)."""
    return {
        "type": type_name.lower().replace("_", "-"),
        "config": config,
        "outputs": [_output(output) for output in outputs],
    }


def metric_input(type_name: str, config: JSON) -> JSONObject:
    """The `MetricInput` that gives a definition of this type (`exact-match`) and configuration."""
    if not isinstance(config, dict):
        raise FileProblem("The configuration of a metric must be an object.")
    fields = {_field(type_name, key): _value(key, value) for key, value in config.items() if value is not None}
    return {_camel(type_name.replace("-", "_")): fields}


def contains(stored: JSON, given: JSON) -> bool:
    """Whether a stored definition says everything that a given one says; defaults may have been filled in."""
    if isinstance(stored, dict) and isinstance(given, dict):
        named = {key: value for key, value in given.items() if value is not None}
        return all(key in stored and contains(stored[key], value) for key, value in named.items())
    return stored == given


def _field(type_name: str, key: str) -> str:
    if type_name == "remote" and key == "scores":
        return "outputs"
    return _RENAMED.get(key, _camel(key))


def _value(key: str, value: JSON) -> JSON:
    if key == "operation":
        return _OPERATIONS[str(value)]
    if key in ("model", "scores", "rubric"):
        return _camelled(value)
    return value


def _camelled(value: JSON) -> JSON:
    if isinstance(value, dict):
        return {_camel(key): _camelled(item) for key, item in value.items() if item is not None}
    return [_camelled(item) for item in value] if isinstance(value, list) else value


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _output(output: JSONObject) -> JSONObject:
    return {"name": output["name"], "minimum": _float(output["minimum"]), "maximum": _float(output["maximum"])}


def _float(value: JSON) -> JSON:
    return float(value) if isinstance(value, int | float) else None
