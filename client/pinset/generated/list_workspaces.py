"""Typed operations, written by ariadne-codegen from the schema."""

from datetime import datetime
from typing import Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import PageFields


class ListWorkspaces(BaseModel):
    workspaces: "ListWorkspacesWorkspaces"


class ListWorkspacesWorkspaces(BaseModel):
    nodes: list["ListWorkspacesWorkspacesNodes"]
    page_info: "ListWorkspacesWorkspacesPageInfo" = Field(alias="pageInfo")


class ListWorkspacesWorkspacesNodes(BaseModel):
    id: str
    name: str
    description: Optional[str]
    created_at: datetime = Field(alias="createdAt")


ListWorkspacesWorkspacesPageInfo = PageFields
