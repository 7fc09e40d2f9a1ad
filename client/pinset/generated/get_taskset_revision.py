"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import TasksetRevisionFields


class GetTasksetRevision(BaseModel):
    taskset_revision: Optional["GetTasksetRevisionTasksetRevision"] = Field(
        alias="tasksetRevision"
    )


class GetTasksetRevisionTasksetRevision(TasksetRevisionFields):
    canonical: Optional[str]
    taskset: "GetTasksetRevisionTasksetRevisionTaskset"


class GetTasksetRevisionTasksetRevisionTaskset(BaseModel):
    workspace: str
    name: str


