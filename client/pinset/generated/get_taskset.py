"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import TasksetFields


class GetTaskset(BaseModel):
    taskset: Optional["GetTasksetTaskset"]


GetTasksetTaskset = TasksetFields
