"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Any, Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import PageFields


class ListJobTasks(BaseModel):
    job: Optional["ListJobTasksJob"]


class ListJobTasksJob(BaseModel):
    tasks: "ListJobTasksJobTasks"


class ListJobTasksJobTasks(BaseModel):
    nodes: list["ListJobTasksJobTasksNodes"]
    page_info: "ListJobTasksJobTasksPageInfo" = Field(alias="pageInfo")


class ListJobTasksJobTasksNodes(BaseModel):
    name: str
    ref: Optional[str]
    digest: str
    content: Optional[Any]
    metrics: list[str]


ListJobTasksJobTasksPageInfo = PageFields
