"""The platform's JSON bodies (`TaskInput`, `TasksetInput`, snake_case, a `kind` in the spec) and the API's inputs.

The canonical content that digests are made of has the same shape as a body, so export and bundles use it too.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pinset.files import fields
from pinset.files.lines import json_document
from pinset.files.names import legal_name
from pinset.files.problems import FileProblem
from pinset.files.rows import TaskRow, unique
from pinset.files.values import JSON, JSONObject

_TASK: Final = ("spec", "metadata", "tags")
_TASKSET: Final = ("description", "tasks", "files_ref", "metadata", "tags")
_EVALUATOR: Final = ("kind", "intent", "inputs", "reference", "metrics", "views")
_HARBOR: Final = ("kind", "archive_ref", "archive_digest", "instruction", "config")
_TEMPLATE: Final = ("kind", "env", "template", "args", "agent_config", "runtime_config", "validation")


@dataclass(frozen=True, slots=True)
class Suite:
    """Metrics, tasks and one taskset in one document, as the API's inputs."""

    metrics: tuple[JSONObject, ...]
    tasks: tuple[TaskRow, ...]
    taskset: JSONObject


def read_suite(path: Path) -> Suite:
    """A document `{"metrics", "tasks", "taskset"}`. Raises FileProblem."""
    document = json_document(path)
    if not isinstance(document, dict):
        raise FileProblem("The document must be a JSON object.")
    fields.refuse_others(document, ("metrics", "tasks", "taskset"), "A suite")
    metrics = tuple(_objects(document, "metrics"))
    tasks = tuple(unique(read_entries(enumerate(_objects(document, "tasks"), 1))))
    return Suite(metrics, tasks, fields.optional_object(document, "taskset") or {})


def read_entries(entries: Iterable[tuple[int, JSONObject]]) -> Iterator[TaskRow]:
    """Entries `{"name", "task"}` in the API's own form, or `{"name", "spec", …}` in the platform's."""
    for line, entry in entries:
        try:
            yield _entry(entry, line)
        except FileProblem as problem:
            raise problem.at(line) from None


def looks_like_task(row: JSONObject) -> bool:
    """Whether an entry is a task in the API's own form or in the platform's."""
    return "name" in row and ("task" in row or "spec" in row)


def task_input(body: JSONObject) -> JSONObject:
    """A `TaskInput` body (or stored content) as the API's `TaskInput`. Raises FileProblem with the path."""
    fields.refuse_others(body, _TASK, "A task")
    spec = fields.optional_object(body, "spec")
    if spec is None:
        raise FileProblem("A task needs a `spec`.", path=("spec",))
    return {"spec": _spec(spec), **_annotations(body)}


def task_body(task: JSONObject) -> JSONObject:
    """The API's `TaskInput` as the platform's body, without absent fields."""
    spec = fields.optional_object(task, "spec") or {}
    kind, value = next(iter(spec.items()))
    if not isinstance(value, dict):
        raise FileProblem("The spec must be an object.", path=("spec", kind))
    body: JSONObject = {"kind": kind, **{_SNAKE.get(key, key): item for key, item in value.items() if item is not None}}
    inputs = value.get("inputs")
    if isinstance(inputs, dict):
        extra = fields.optional_object(inputs, "extra") or {}
        body["inputs"] = {**extra, **fields.without_nulls({"instruction": inputs.get("instruction")})}
    return {"spec": body, **_annotations(task)}


def taskset_input(body: JSONObject) -> JSONObject:
    """A `TasksetInput` body (or stored content) as the API's `TasksetInput`. Raises FileProblem with the path."""
    fields.refuse_others(body, _TASKSET, "A taskset")
    head: JSONObject = {
        "description": fields.optional_text(body, "description"),
        "tasks": fields.texts(body, "tasks"),
        "filesRef": fields.optional_text(body, "files_ref"),
    }
    return {**fields.without_nulls(head), **_annotations(body)}


def taskset_body(taskset: JSONObject) -> JSONObject:
    """The API's `TasksetInput` as the platform's body, without absent fields."""
    head: JSONObject = {
        "description": taskset.get("description"),
        "tasks": taskset.get("tasks") or [],
        "files_ref": taskset.get("filesRef"),
    }
    return {**fields.without_nulls(head), **_annotations(taskset)}


_SNAKE: Final = {
    "archiveRef": "archive_ref",
    "archiveDigest": "archive_digest",
    "agentConfig": "agent_config",
    "runtimeConfig": "runtime_config",
}


def _entry(entry: JSONObject, line: int) -> TaskRow:
    source = fields.text(entry, "name")
    if "task" in entry:
        fields.refuse_others(entry, ("name", "task"), "An entry")
        task = fields.optional_object(entry, "task") or {}
        return TaskRow(line, legal_name(source), task, source)
    body = {key: value for key, value in entry.items() if key in _TASK}
    fields.refuse_others(entry, ("name", *_TASK), "A task")
    return TaskRow(line, legal_name(source), task_input(body), source)


def _spec(spec: JSONObject) -> JSONObject:
    match spec.get("kind"):
        case "evaluator":
            return {"evaluator": _evaluator(spec)}
        case "harbor":
            return {"harbor": _renamed(spec, _HARBOR, "A harbor task")}
        case "template":
            return {"template": _renamed(spec, _TEMPLATE, "A template task")}
        case _:
            raise FileProblem("`kind` must be 'evaluator', 'harbor' or 'template'.", path=("spec", "kind"))


def _evaluator(spec: JSONObject) -> JSONObject:
    fields.refuse_others(spec, _EVALUATOR, "An evaluator task")
    inputs = dict(fields.optional_object(spec, "inputs") or {})
    held: JSONObject = {"instruction": inputs.pop("instruction", None), "extra": inputs or None}
    value: JSONObject = {
        "intent": spec.get("intent"),
        "inputs": fields.without_nulls(held) or None,
        "reference": spec.get("reference") or None,
        "metrics": _metrics(spec),
        "views": spec.get("views") or None,
    }
    return fields.without_nulls(value)


def _metrics(spec: JSONObject) -> list[JSON]:
    for index, metric in enumerate(fields.optional_list(spec, "metrics") or []):
        if isinstance(metric, dict):
            raise FileProblem(
                "Inline metrics are not stored in tasks; create the metric and name it here.",
                path=("spec", "metrics", index),
            )
    return fields.texts(spec, "metrics")


def _renamed(spec: JSONObject, known: tuple[str, ...], what: str) -> JSONObject:
    fields.refuse_others(spec, known, what)
    camel = {snake: name for name, snake in _SNAKE.items()}
    return {camel.get(key, key): value for key, value in spec.items() if key != "kind" and value is not None}


def _annotations(body: JSONObject) -> JSONObject:
    metadata = fields.optional_list(body, "metadata")
    tags = fields.optional_list(body, "tags")
    return {**({"metadata": metadata} if metadata else {}), **({"tags": tags} if tags else {})}


def _objects(document: JSONObject, field: str) -> Iterator[JSONObject]:
    for index, value in enumerate(fields.optional_list(document, field) or []):
        if not isinstance(value, dict):
            raise FileProblem(f"`{field}[{index}]` must be an object.", path=(field, index))
        yield value
