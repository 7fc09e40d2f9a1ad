"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode


class DeleteTaskset(BaseModel):
    delete_taskset: "DeleteTasksetDeleteTaskset" = Field(alias="deleteTaskset")


class DeleteTasksetDeleteTaskset(BaseModel):
    deleted_id: Optional[str] = Field(alias="deletedId")
    errors: list[
        Annotated[
            Union[
                "DeleteTasksetDeleteTasksetErrorsUserError",
                "DeleteTasksetDeleteTasksetErrorsAlreadyExists",
                "DeleteTasksetDeleteTasksetErrorsConflict",
                "DeleteTasksetDeleteTasksetErrorsInUse",
                "DeleteTasksetDeleteTasksetErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


class DeleteTasksetDeleteTasksetErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class DeleteTasksetDeleteTasksetErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class DeleteTasksetDeleteTasksetErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class DeleteTasksetDeleteTasksetErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class DeleteTasksetDeleteTasksetErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


