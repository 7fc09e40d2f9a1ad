"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import TaskFields


class GetTask(BaseModel):
    task: Optional["GetTaskTask"]


GetTaskTask = TaskFields
