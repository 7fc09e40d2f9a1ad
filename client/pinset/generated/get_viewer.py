"""Typed operations, written by ariadne-codegen from the schema."""

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import Scope


class GetViewer(BaseModel):
    viewer: "GetViewerViewer"


class GetViewerViewer(BaseModel):
    name: str
    grants: list["GetViewerViewerGrants"]


class GetViewerViewerGrants(BaseModel):
    workspace: str
    scopes: list[Scope]


