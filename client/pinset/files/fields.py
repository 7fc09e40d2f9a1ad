"""Taking typed values out of a row, with messages that name the field."""

from collections.abc import Collection

from pinset.files.problems import FileProblem
from pinset.files.values import JSON, JSONObject, kind_of


def text(row: JSONObject, field: str) -> str:
    """A text that must be there and not be empty."""
    value = row.get(field)
    if not isinstance(value, str) or not value:
        raise FileProblem(f"`{field}` must be a non-empty string; it is {_found(row, field)}.", path=(field,))
    return value


def optional_text(row: JSONObject, field: str) -> str | None:
    """A text, or None where the field is absent or null."""
    value = row.get(field)
    if value is not None and not isinstance(value, str):
        raise FileProblem(f"`{field}` must be a string; it is {kind_of(value)}.", path=(field,))
    return value


def optional_object(row: JSONObject, field: str) -> JSONObject | None:
    """An object, or None where the field is absent or null."""
    value = row.get(field)
    if value is not None and not isinstance(value, dict):
        raise FileProblem(f"`{field}` must be an object; it is {kind_of(value)}.", path=(field,))
    return value


def optional_list(row: JSONObject, field: str) -> list[JSON] | None:
    """A list, or None where the field is absent or null."""
    value = row.get(field)
    if value is not None and not isinstance(value, list):
        raise FileProblem(f"`{field}` must be a list; it is {kind_of(value)}.", path=(field,))
    return value


def texts(row: JSONObject, field: str) -> list[JSON]:
    """A list of strings; empty where the field is absent or null."""
    values = optional_list(row, field) or []
    for index, value in enumerate(values):
        if not isinstance(value, str):
            raise FileProblem(f"`{field}[{index}]` must be a string; it is {kind_of(value)}.", path=(field, index))
    return values


def refuse_others(row: JSONObject, known: Collection[str], what: str) -> None:
    """Refuse fields that the format does not have, since they would be lost."""
    if unknown := sorted(row.keys() - known):
        raise FileProblem(f"{what} has no field `{unknown[0]}`; it has {', '.join(known)}.", path=(unknown[0],))


def without_nulls(row: JSONObject) -> JSONObject:
    """The row without its null fields (one level deep)."""
    return {key: value for key, value in row.items() if value is not None}


def _found(row: JSONObject, field: str) -> str:
    return kind_of(row[field]) if row.get(field) != "" and field in row else "absent or empty"
