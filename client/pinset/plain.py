"""Answers of the API as plain JSON values, names as the API writes them."""

from typing import Any

from pydantic import BaseModel


def plain(value: Any) -> Any:
    """A model, or a structure of them, as JSON values without type names."""
    if isinstance(value, BaseModel):
        return _without_types(value.model_dump(mode="json", by_alias=True))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def _without_types(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_types(item) for key, item in value.items() if key != "__typename"}
    return [_without_types(item) for item in value] if isinstance(value, list) else value
