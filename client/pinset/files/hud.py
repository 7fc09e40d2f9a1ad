"""HUD task rows: one row is one template of an environment, bound to arguments.

A row's slug is the task's name, its columns are the task's metadata, in order. A slug that is no legal name is stored
by the rule of `names`, and the slug itself is kept in the metadata item `hud.slug`, which export turns back. Export
leaves out nulls, and the slug where it is the default one.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final

from pinset.files import fields
from pinset.files.lines import json_entries
from pinset.files.names import legal_name, shown
from pinset.files.problems import FileProblem
from pinset.files.rows import TaskRow, unique
from pinset.files.values import JSON, JSONObject, kind_of

SLUG_KEY: Final = "hud.slug"
FIELDS: Final = ("env", "id", "args", "slug", "columns", "validation", "agent_config", "runtime_config")
_OLDER: Final = ("prompt", "mcp_config", "setup_tool", "evaluate_tool", "integration_test_tool", "scenario")


def read_hud(path: Path) -> Iterator[TaskRow]:
    """The rows of a `.json` file (an object or an array) or a `.jsonl` file, in order. Raises FileProblem."""
    return unique(_rows(json_entries(path)))


def looks_like_hud(row: JSONObject) -> bool:
    """Whether an entry is a HUD row, of this shape or of the older one."""
    return ("env" in row and "id" in row) or any(field in row for field in ("mcp_config", "scenario"))


def default_slug(template: str, args: JSONObject) -> str:
    """HUD's slug for a row that carries none: the id, and 8 hex of SHA-1 over the arguments where there are any."""
    if not args:
        return template
    text = json.dumps(args, sort_keys=True)
    return f"{template}-{hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:8]}"


def task_row(row: JSONObject, line: int) -> TaskRow:
    """One row as a task. Raises FileProblem with the line."""
    try:
        _refuse_older(row)
        fields.refuse_others(row, FIELDS, "A HUD row")
        slug = _slug(row)
        name = legal_name(slug)
        return TaskRow(line, name, _task(row, slug if name != slug else None), slug)
    except FileProblem as problem:
        raise problem.at(line) from None


def hud_row(name: str, content: JSONObject) -> JSONObject:
    """A stored task's content (`{"metadata", "spec"}`) as a HUD row. Raises FileProblem for other kinds of task."""
    spec = fields.optional_object(content, "spec") or {}
    if spec.get("kind") != "template":
        raise FileProblem(f"{shown(name)} is no template task; only those can be written as HUD rows.")
    columns = {str(item["key"]): item["value"] for item in _items(content)}
    template, args = fields.text(spec, "template"), fields.optional_object(spec, "args") or {}
    slug = columns.pop(SLUG_KEY, name)
    row: JSONObject = {
        "env": spec["env"],
        "id": template,
        "args": args,
        "slug": None if slug == default_slug(template, args) else slug,
        "columns": columns or None,
        "validation": spec.get("validation"),
        "agent_config": spec.get("agent_config"),
        "runtime_config": spec.get("runtime_config"),
    }
    return fields.without_nulls(row)


def write_hud(rows: Iterable[JSONObject], stream: IO[str], as_array: bool) -> int:
    """Write rows as an indented array or one a line; the number of rows written."""
    count = 0
    for count, row in enumerate(rows, 1):
        if as_array:
            stream.write("[\n" if count == 1 else ",\n")
            stream.write("\n".join(f"  {line}" for line in json.dumps(row, indent=2).split("\n")))
        else:
            stream.write(json.dumps(row) + "\n")
    if as_array:
        stream.write("\n]\n" if count else "[]\n")
    return count


def _rows(entries: Iterable[tuple[int, JSONObject]]) -> Iterator[TaskRow]:
    for line, entry in entries:
        yield task_row(entry, line)


def _refuse_older(row: JSONObject) -> None:
    older: list[str] = [field for field in _OLDER if field in row]
    if isinstance(row.get("env"), dict):
        older.append("env as an object")
    if older:
        raise FileProblem(
            f"The row has the shape of HUD's version 5 ({', '.join(older)}). Write it as version 6 does: `env` is "
            "the environment's name, `id` the template's, `args` its arguments.",
            path=(older[0].split()[0],),
        )
    if row.get("verifier") is not None:
        raise FileProblem("A row with a `verifier` names a second task, which cannot be stored.", path=("verifier",))
    row.pop("verifier", None)


def _slug(row: JSONObject) -> str:
    slug = fields.optional_text(row, "slug")
    if slug is None:
        return default_slug(fields.text(row, "id"), fields.optional_object(row, "args") or {})
    if not slug:
        raise FileProblem("`slug` may not be empty; leave it out for the default one.", path=("slug",))
    return slug


def _task(row: JSONObject, slug: str | None) -> JSONObject:
    spec: JSONObject = {
        "env": fields.text(row, "env"),
        "template": fields.text(row, "id"),
        "args": fields.optional_object(row, "args") or {},
        "agentConfig": fields.optional_object(row, "agent_config"),
        "runtimeConfig": fields.optional_object(row, "runtime_config"),
        "validation": _validation(row),
    }
    return {"spec": {"template": fields.without_nulls(spec)}, "metadata": _metadata(row, slug)}


def _validation(row: JSONObject) -> list[JSON] | None:
    entries = fields.optional_list(row, "validation")
    for index, entry in enumerate(entries or []):
        if not isinstance(entry, dict):
            raise FileProblem(
                f"`validation[{index}]` must be an object; it is {kind_of(entry)}.", path=("validation", index)
            )
    return entries


def _metadata(row: JSONObject, slug: str | None) -> list[JSON]:
    columns = fields.optional_object(row, "columns") or {}
    if SLUG_KEY in columns:
        raise FileProblem(f"The column `{SLUG_KEY}` is reserved for slugs that are no legal names.", path=("columns",))
    items: list[JSON] = [{"key": key, "value": value} for key, value in columns.items()]
    if slug is not None:
        items.append({"key": SLUG_KEY, "value": slug})
    return items


def _items(content: JSONObject) -> Iterator[JSONObject]:
    for item in fields.optional_list(content, "metadata") or []:
        if isinstance(item, dict):
            yield item
