"""Typed operations, written by ariadne-codegen from the schema."""

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import PageFields, TasksetListFields


class ListTasksets(BaseModel):
    tasksets: "ListTasksetsTasksets"


class ListTasksetsTasksets(BaseModel):
    nodes: list["ListTasksetsTasksetsNodes"]
    page_info: "ListTasksetsTasksetsPageInfo" = Field(alias="pageInfo")


ListTasksetsTasksetsNodes = TasksetListFields
ListTasksetsTasksetsPageInfo = PageFields
