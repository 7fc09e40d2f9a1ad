"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Any, Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel


class DiffTask(BaseModel):
    task: Optional["DiffTaskTask"]


class DiffTaskTask(BaseModel):
    diff: Optional["DiffTaskTaskDiff"]


class DiffTaskTaskDiff(BaseModel):
    from_: str = Field(alias="from")
    to: str
    is_empty: bool = Field(alias="isEmpty")
    patch: Any


