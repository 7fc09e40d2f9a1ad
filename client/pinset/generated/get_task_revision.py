"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import TaskRevisionFields


class GetTaskRevision(BaseModel):
    task_revision: Optional["GetTaskRevisionTaskRevision"] = Field(alias="taskRevision")


class GetTaskRevisionTaskRevision(TaskRevisionFields):
    canonical: Optional[str]


