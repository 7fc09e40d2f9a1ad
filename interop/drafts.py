"""The API's inputs as plain JSON, as the drafts that the domain checks.

The readers of `pinset.files` give every format in this one shape, so nothing else here has to know the drafts.
"""

from collections.abc import Mapping
from typing import Any, cast

from domain.content import EvaluatorDraft, HarborDraft, MetadataItem, SpecDraft, TaskDraft, TasksetDraft, TemplateDraft
from domain.errors import InvalidInput, Path
from pinset.files.values import JSONObject

KINDS = ("evaluator", "harbor", "template")


def task_draft(task: JSONObject) -> TaskDraft:
    """A `TaskInput` (one kind under `spec`) as a draft. Raises InvalidInput with the path to what does not fit."""
    spec = _object(task.get("spec"), ("spec",))
    kinds = [kind for kind in KINDS if spec.get(kind) is not None]
    if len(kinds) != 1 or len(spec) != 1:
        raise InvalidInput(f"Give exactly one of {', '.join(KINDS)}.", ("spec",))
    kind = kinds[0]
    value = _object(spec[kind], ("spec", kind))
    return TaskDraft(_spec_draft(kind, value), _metadata(task), _texts(task, "tags", ()))


def taskset_draft(taskset: JSONObject) -> TasksetDraft:
    """A `TasksetInput` as a draft. Raises InvalidInput with the path."""
    return TasksetDraft(
        _optional_text(taskset, "description", ()),
        _texts(taskset, "tasks", ()),
        _optional_text(taskset, "filesRef", ()),
        _metadata(taskset),
        _texts(taskset, "tags", ()),
    )


def _spec_draft(kind: str, value: Mapping[str, Any]) -> SpecDraft:
    at = ("spec", kind)
    if kind == "harbor":
        return HarborDraft(
            _text(value, "archiveRef", at),
            _text(value, "archiveDigest", at),
            _optional_text(value, "instruction", at),
            value.get("config"),
        )
    if kind == "template":
        configs = (value.get(name) for name in ("args", "agentConfig", "runtimeConfig", "validation"))
        return TemplateDraft(_text(value, "env", at), _text(value, "template", at), *configs)
    inputs = _object(value.get("inputs") or {}, (*at, "inputs"))
    return EvaluatorDraft(
        _text(value, "intent", at),
        _optional_text(inputs, "instruction", (*at, "inputs")),
        inputs.get("extra"),
        value.get("reference"),
        _texts(value, "metrics", at),
        value.get("views"),
    )


def _object(value: object, path: Path) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput("Must be a JSON object.", path)
    return value


def _text(value: Mapping[str, Any], name: str, path: Path) -> str:
    if not isinstance(value.get(name), str):
        raise InvalidInput("Must be a string.", (*path, name))
    return cast(str, value[name])


def _optional_text(value: Mapping[str, Any], name: str, path: Path) -> str | None:
    return None if value.get(name) is None else _text(value, name, path)


def _texts(value: Mapping[str, Any], name: str, path: Path) -> tuple[str, ...]:
    entries = value.get(name) or ()
    if not isinstance(entries, list | tuple) or not all(isinstance(entry, str) for entry in entries):
        raise InvalidInput("Must be a list of strings.", (*path, name))
    return tuple(entries)


def _metadata(value: Mapping[str, Any]) -> tuple[MetadataItem, ...]:
    entries = value.get("metadata") or []
    if not isinstance(entries, list):
        raise InvalidInput("Must be a list of items with `key` and `value`.", ("metadata",))
    return tuple(_item(entry, index) for index, entry in enumerate(entries))


def _item(entry: object, index: int) -> MetadataItem:
    path = ("metadata", index)
    if not isinstance(entry, dict) or entry.keys() != {"key", "value"} or not isinstance(entry["key"], str):
        raise InvalidInput("A metadata item has a string `key` and a `value`.", path)
    return MetadataItem(entry["key"], entry["value"])
