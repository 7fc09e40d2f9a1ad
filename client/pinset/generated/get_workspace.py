"""Typed operations, written by ariadne-codegen from the schema."""

from datetime import datetime
from typing import Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel


class GetWorkspace(BaseModel):
    workspace: Optional["GetWorkspaceWorkspace"]


class GetWorkspaceWorkspace(BaseModel):
    id: str
    name: str
    description: Optional[str]
    created_at: datetime = Field(alias="createdAt")
    task_count: int = Field(alias="taskCount")
    taskset_count: int = Field(alias="tasksetCount")
    metric_count: int = Field(alias="metricCount")
    job_count: int = Field(alias="jobCount")


