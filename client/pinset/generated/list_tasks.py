"""Typed operations, written by ariadne-codegen from the schema."""

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import PageFields, TaskListFields


class ListTasks(BaseModel):
    tasks: "ListTasksTasks"


class ListTasksTasks(BaseModel):
    nodes: list["ListTasksTasksNodes"]
    page_info: "ListTasksTasksPageInfo" = Field(alias="pageInfo")


ListTasksTasksNodes = TaskListFields
ListTasksTasksPageInfo = PageFields
