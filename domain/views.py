"""Views: named roll-ups of metric outputs within a task."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from domain.canonical import JSON, check_json
from domain.errors import InvalidInput, Path


class Signal(BaseModel):
    """One metric output that a view reads; `metric` is a metric's name, or a type that occurs once in the task."""

    model_config = ConfigDict(defer_build=True, frozen=True, strict=True, extra="forbid")

    metric: str = Field(min_length=1)
    output: str = Field(min_length=1)
    weight: float | None = None


class View(BaseModel):
    """How a view reduces its signals to one number."""

    model_config = ConfigDict(defer_build=True, frozen=True, strict=True, extra="forbid")

    reducer: Literal["single", "all", "any", "mean", "weighted_mean"]
    signals: list[Signal] = Field(min_length=1)


def checked_views(value: object, path: Path) -> dict[str, JSON]:
    """Views in their stored form: every weight is a float or null. None means none. Raises InvalidInput."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidInput("Must be a JSON object of views by name.", path)
    check_json(value, path)
    return {name: _view(view, (*path, name)) for name, view in value.items()}


def _view(value: object, path: Path) -> JSON:
    try:
        view: JSON = View.model_validate(value).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise InvalidInput(f"Not a legal view: {first['msg']}.", (*path, *first["loc"])) from None
    return view
