"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import TaskFields


class CreateTask(BaseModel):
    create_task: "CreateTaskCreateTask" = Field(alias="createTask")


class CreateTaskCreateTask(BaseModel):
    task: Optional["CreateTaskCreateTaskTask"]
    errors: list[
        Annotated[
            Union[
                "CreateTaskCreateTaskErrorsUserError",
                "CreateTaskCreateTaskErrorsAlreadyExists",
                "CreateTaskCreateTaskErrorsConflict",
                "CreateTaskCreateTaskErrorsInUse",
                "CreateTaskCreateTaskErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


CreateTaskCreateTaskTask = TaskFields


class CreateTaskCreateTaskErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class CreateTaskCreateTaskErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class CreateTaskCreateTaskErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class CreateTaskCreateTaskErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class CreateTaskCreateTaskErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


