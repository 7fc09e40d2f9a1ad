"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Any, Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel


class DiffTaskset(BaseModel):
    taskset: Optional["DiffTasksetTaskset"]


class DiffTasksetTaskset(BaseModel):
    diff: Optional["DiffTasksetTasksetDiff"]


class DiffTasksetTasksetDiff(BaseModel):
    added: list["DiffTasksetTasksetDiffAdded"]
    removed: list["DiffTasksetTasksetDiffRemoved"]
    changed: list["DiffTasksetTasksetDiffChanged"]
    unchanged_count: int = Field(alias="unchangedCount")
    patch: Any


class DiffTasksetTasksetDiffAdded(BaseModel):
    ref: str


class DiffTasksetTasksetDiffRemoved(BaseModel):
    ref: str


class DiffTasksetTasksetDiffChanged(BaseModel):
    workspace: str
    name: str
    from_digest: str = Field(alias="fromDigest")
    to_digest: str = Field(alias="toDigest")


