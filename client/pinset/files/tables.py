"""Rows of any shape, from JSONL, a JSON array, CSV or TSV, made into evaluator tasks by a mapping of fields.

The rule: the mapped fields go where the mapping says; every other field becomes a metadata item under its own name,
in the row's order (an empty cell of a CSV file is left out). A field is named plainly or with dots (`meta.id`); a
plain match wins. A reference that is an object is merged into the task's reference, any other value stands there
under the field's name, or under KEY where it is written `KEY=FIELD`. Without an intent the instruction is the intent.
Where a name had to be made legal, the text it had is kept as a metadata item under the field's name.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pinset.files.lines import MAX_LINE_BYTES, json_entries, suffix_of, text_lines
from pinset.files.names import legal_name, shown
from pinset.files.problems import FileProblem
from pinset.files.rows import TaskRow, unique
from pinset.files.values import JSON, JSONObject, kind_of

DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}
_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Fields:
    """Which field holds what; `reference` and `extra` entries are `FIELD` or `KEY=FIELD`.

    `metrics` are references that every task gets; `metrics_field` names a field that lists a row's own after them.
    """

    name: str = "name"
    instruction: str | None = "instruction"
    intent: str | None = None
    reference: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    metrics_field: str | None = None


def read_table(path: Path, mapping: Fields) -> Iterator[TaskRow]:
    """The rows of a file as tasks, in order. Raises FileProblem with the line."""
    return unique(_rows(_entries(path), mapping))


def task_row(row: JSONObject, line: int, mapping: Fields) -> TaskRow:
    """One row as a task. Raises FileProblem with the line."""
    try:
        left = dict(row)
        source = _name(left, mapping, row)
        name = legal_name(source)
        evaluator = _evaluator(left, mapping)
        for field in mapping.ignored:
            _take(left, field)
        if name != source:
            left = {mapping.name: source, **left}
        metadata: list[JSON] = [{"key": key, "value": value} for key, value in left.items()]
        return TaskRow(line, name, {"spec": {"evaluator": evaluator}, "metadata": metadata}, source)
    except FileProblem as problem:
        raise problem.at(line) from None


def _entries(path: Path) -> Iterator[tuple[int, JSONObject]]:
    delimiter = DELIMITERS.get(suffix_of(path))
    return json_entries(path) if delimiter is None else _cells(path, delimiter)


def _rows(entries: Iterable[tuple[int, JSONObject]], mapping: Fields) -> Iterator[TaskRow]:
    for line, entry in entries:
        yield task_row(entry, line, mapping)


def _cells(path: Path, delimiter: str) -> Iterator[tuple[int, JSONObject]]:
    csv.field_size_limit(MAX_LINE_BYTES)
    reader = csv.reader((text for _, text in text_lines(path)), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    start = 1
    try:
        for cells in reader:
            line, start = start, reader.line_num + 1
            if not cells:
                continue
            if header is None:
                header = _header(cells, line)
                continue
            if len(cells) != len(header):
                raise FileProblem(f"The row has {len(cells)} cells; the header has {len(header)}.", line)
            yield line, {key: cell for key, cell in zip(header, cells, strict=True) if cell}
    except csv.Error as error:
        raise FileProblem(f"Not valid CSV: {error}.", start) from None


def _header(cells: list[str], line: int) -> list[str]:
    for cell in cells:
        if not cell or cells.count(cell) > 1:
            raise FileProblem(f"The header names the column {shown(cell)} twice, or not at all.", line)
    return cells


def _name(left: JSONObject, mapping: Fields, row: JSONObject) -> str:
    value = _take(left, mapping.name)
    if value is _ABSENT:
        known = ", ".join(sorted(row)[:20])
        raise FileProblem(f"The row has no field {shown(mapping.name)} to name the task by; it has {known}.")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise FileProblem(f"The name in {shown(mapping.name)} must be a non-empty string or an integer.")
    return value


def _evaluator(left: JSONObject, mapping: Fields) -> JSONObject:
    instruction = _text(left, mapping.instruction)
    intent = _text(left, mapping.intent)
    if instruction is None and intent is None:
        raise FileProblem(f"The row has neither an instruction ({mapping.instruction}) nor an intent to give the task.")
    inputs: JSONObject = {} if instruction is None else {"instruction": instruction}
    if extra := _gathered(left, mapping.extra):
        inputs["extra"] = extra
    spec: JSONObject = {"intent": intent if intent is not None else instruction, "inputs": inputs}
    if reference := _gathered(left, mapping.reference, merge=True):
        spec["reference"] = reference
    if metrics := [*mapping.metrics, *_own_metrics(left, mapping)]:
        spec["metrics"] = list(metrics)
    return spec


def _gathered(left: JSONObject, entries: Iterable[str], merge: bool = False) -> JSONObject:
    gathered: JSONObject = {}
    for entry in entries:
        key, mark, field = entry.partition("=")
        value = _take(left, field if mark else key)
        if value is _ABSENT:
            continue
        if merge and not mark and isinstance(value, dict):
            gathered.update(value)
        else:
            gathered[key] = value  # type: ignore[assignment]
    return gathered


def _own_metrics(left: JSONObject, mapping: Fields) -> list[str]:
    value = _ABSENT if mapping.metrics_field is None else _take(left, mapping.metrics_field)
    if value is _ABSENT or value is None:
        return []
    metrics = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    if not isinstance(metrics, list) or not all(isinstance(metric, str) and metric for metric in metrics):
        raise FileProblem(f"The metrics in {shown(str(mapping.metrics_field))} must be a list of references.")
    return metrics


def _text(left: JSONObject, field: str | None) -> str | None:
    value = _ABSENT if field is None else _take(left, field)
    if value is _ABSENT or value is None:
        return None
    if not isinstance(value, str):
        raise FileProblem(f"The field {shown(str(field))} must be a string; it is {kind_of(value)}.")  # type: ignore[arg-type]
    return value


def _take(left: JSONObject, field: str) -> object:
    """Take a field out of the row; what remains of an object that it stood in stays."""
    if field in left:
        return left.pop(field)
    head, mark, rest = field.partition(".")
    inner = left.get(head)
    if not mark or not isinstance(inner, dict):
        return _ABSENT
    copy = dict(inner)
    value = _take(copy, rest)
    if value is not _ABSENT:
        if copy:
            left[head] = copy
        else:
            del left[head]
    return value
