"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import TaskFields


class TagTask(BaseModel):
    tag_task: "TagTaskTagTask" = Field(alias="tagTask")


class TagTaskTagTask(BaseModel):
    task: Optional["TagTaskTagTaskTask"]
    errors: list[
        Annotated[
            Union[
                "TagTaskTagTaskErrorsUserError",
                "TagTaskTagTaskErrorsAlreadyExists",
                "TagTaskTagTaskErrorsConflict",
                "TagTaskTagTaskErrorsInUse",
                "TagTaskTagTaskErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


TagTaskTagTaskTask = TaskFields


class TagTaskTagTaskErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class TagTaskTagTaskErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class TagTaskTagTaskErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class TagTaskTagTaskErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class TagTaskTagTaskErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


