"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import PageFields, TaskRevisionFields


class ListTaskRevisions(BaseModel):
    task: Optional["ListTaskRevisionsTask"]


class ListTaskRevisionsTask(BaseModel):
    revisions: "ListTaskRevisionsTaskRevisions"


class ListTaskRevisionsTaskRevisions(BaseModel):
    nodes: list["ListTaskRevisionsTaskRevisionsNodes"]
    page_info: "ListTaskRevisionsTaskRevisionsPageInfo" = Field(alias="pageInfo")


ListTaskRevisionsTaskRevisionsNodes = TaskRevisionFields
ListTaskRevisionsTaskRevisionsPageInfo = PageFields
