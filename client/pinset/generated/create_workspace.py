"""Typed operations, written by ariadne-codegen from the schema."""

from datetime import datetime
from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode


class CreateWorkspace(BaseModel):
    create_workspace: "CreateWorkspaceCreateWorkspace" = Field(alias="createWorkspace")


class CreateWorkspaceCreateWorkspace(BaseModel):
    workspace: Optional["CreateWorkspaceCreateWorkspaceWorkspace"]
    errors: list[
        Annotated[
            Union[
                "CreateWorkspaceCreateWorkspaceErrorsUserError",
                "CreateWorkspaceCreateWorkspaceErrorsAlreadyExists",
                "CreateWorkspaceCreateWorkspaceErrorsConflict",
                "CreateWorkspaceCreateWorkspaceErrorsInUse",
                "CreateWorkspaceCreateWorkspaceErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


class CreateWorkspaceCreateWorkspaceWorkspace(BaseModel):
    id: str
    name: str
    description: Optional[str]
    created_at: datetime = Field(alias="createdAt")


class CreateWorkspaceCreateWorkspaceErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class CreateWorkspaceCreateWorkspaceErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class CreateWorkspaceCreateWorkspaceErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class CreateWorkspaceCreateWorkspaceErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class CreateWorkspaceCreateWorkspaceErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


