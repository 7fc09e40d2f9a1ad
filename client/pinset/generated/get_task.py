"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from .base_model import BaseModel
from .fragments import TaskFields


class GetTask(BaseModel):
    task: Optional["GetTaskTask"]


GetTaskTask = TaskFields
