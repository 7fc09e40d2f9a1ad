"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import TasksetFields


class CreateTaskset(BaseModel):
    create_taskset: "CreateTasksetCreateTaskset" = Field(alias="createTaskset")


class CreateTasksetCreateTaskset(BaseModel):
    taskset: Optional["CreateTasksetCreateTasksetTaskset"]
    errors: list[
        Annotated[
            Union[
                "CreateTasksetCreateTasksetErrorsUserError",
                "CreateTasksetCreateTasksetErrorsAlreadyExists",
                "CreateTasksetCreateTasksetErrorsConflict",
                "CreateTasksetCreateTasksetErrorsInUse",
                "CreateTasksetCreateTasksetErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


CreateTasksetCreateTasksetTaskset = TasksetFields


class CreateTasksetCreateTasksetErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class CreateTasksetCreateTasksetErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class CreateTasksetCreateTasksetErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class CreateTasksetCreateTasksetErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class CreateTasksetCreateTasksetErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


