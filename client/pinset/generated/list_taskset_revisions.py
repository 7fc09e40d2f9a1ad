"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import PageFields, TasksetRevisionFields


class ListTasksetRevisions(BaseModel):
    taskset: Optional["ListTasksetRevisionsTaskset"]


class ListTasksetRevisionsTaskset(BaseModel):
    revisions: "ListTasksetRevisionsTasksetRevisions"


class ListTasksetRevisionsTasksetRevisions(BaseModel):
    nodes: list["ListTasksetRevisionsTasksetRevisionsNodes"]
    page_info: "ListTasksetRevisionsTasksetRevisionsPageInfo" = Field(alias="pageInfo")


ListTasksetRevisionsTasksetRevisionsNodes = TasksetRevisionFields
ListTasksetRevisionsTasksetRevisionsPageInfo = PageFields
