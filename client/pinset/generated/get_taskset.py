"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from .base_model import BaseModel
from .fragments import TasksetFields


class GetTaskset(BaseModel):
    taskset: Optional["GetTasksetTaskset"]


GetTasksetTaskset = TasksetFields
