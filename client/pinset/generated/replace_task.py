"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode, PublishOutcome
from pinset.generated.fragments import TaskFields


class ReplaceTask(BaseModel):
    replace_task: "ReplaceTaskReplaceTask" = Field(alias="replaceTask")


class ReplaceTaskReplaceTask(BaseModel):
    task: Optional["ReplaceTaskReplaceTaskTask"]
    revision: Optional["ReplaceTaskReplaceTaskRevision"]
    outcome: Optional[PublishOutcome]
    errors: list[
        Annotated[
            Union[
                "ReplaceTaskReplaceTaskErrorsUserError",
                "ReplaceTaskReplaceTaskErrorsAlreadyExists",
                "ReplaceTaskReplaceTaskErrorsConflict",
                "ReplaceTaskReplaceTaskErrorsInUse",
                "ReplaceTaskReplaceTaskErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


ReplaceTaskReplaceTaskTask = TaskFields


class ReplaceTaskReplaceTaskRevision(BaseModel):
    number: int
    digest: str


class ReplaceTaskReplaceTaskErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class ReplaceTaskReplaceTaskErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class ReplaceTaskReplaceTaskErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class ReplaceTaskReplaceTaskErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class ReplaceTaskReplaceTaskErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


