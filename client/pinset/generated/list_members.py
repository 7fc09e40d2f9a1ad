"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Any, Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import PageFields


class ListMembers(BaseModel):
    taskset_revision: Optional["ListMembersTasksetRevision"] = Field(
        alias="tasksetRevision"
    )


class ListMembersTasksetRevision(BaseModel):
    members: "ListMembersTasksetRevisionMembers"


class ListMembersTasksetRevisionMembers(BaseModel):
    nodes: list["ListMembersTasksetRevisionMembersNodes"]
    page_info: "ListMembersTasksetRevisionMembersPageInfo" = Field(alias="pageInfo")


class ListMembersTasksetRevisionMembersNodes(BaseModel):
    position: int
    ref: str
    workspace: str
    name: str
    digest: str
    is_dangling: bool = Field(alias="isDangling")
    is_hidden: bool = Field(alias="isHidden")
    is_outdated: bool = Field(alias="isOutdated")
    revision: Optional["ListMembersTasksetRevisionMembersNodesRevision"]


class ListMembersTasksetRevisionMembersNodesRevision(BaseModel):
    canonical: Optional[str]
    metadata: Optional[list["ListMembersTasksetRevisionMembersNodesRevisionMetadata"]]


class ListMembersTasksetRevisionMembersNodesRevisionMetadata(BaseModel):
    key: str
    value: Optional[Any]


ListMembersTasksetRevisionMembersPageInfo = PageFields
