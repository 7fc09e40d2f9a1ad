"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode


class DeleteTask(BaseModel):
    delete_task: "DeleteTaskDeleteTask" = Field(alias="deleteTask")


class DeleteTaskDeleteTask(BaseModel):
    deleted_id: Optional[str] = Field(alias="deletedId")
    errors: list[
        Annotated[
            Union[
                "DeleteTaskDeleteTaskErrorsUserError",
                "DeleteTaskDeleteTaskErrorsAlreadyExists",
                "DeleteTaskDeleteTaskErrorsConflict",
                "DeleteTaskDeleteTaskErrorsInUse",
                "DeleteTaskDeleteTaskErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


class DeleteTaskDeleteTaskErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class DeleteTaskDeleteTaskErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class DeleteTaskDeleteTaskErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class DeleteTaskDeleteTaskErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class DeleteTaskDeleteTaskErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


