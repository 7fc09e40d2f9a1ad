"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import TaskFields


class UntagTask(BaseModel):
    untag_task: "UntagTaskUntagTask" = Field(alias="untagTask")


class UntagTaskUntagTask(BaseModel):
    task: Optional["UntagTaskUntagTaskTask"]
    errors: list[
        Annotated[
            Union[
                "UntagTaskUntagTaskErrorsUserError",
                "UntagTaskUntagTaskErrorsAlreadyExists",
                "UntagTaskUntagTaskErrorsConflict",
                "UntagTaskUntagTaskErrorsInUse",
                "UntagTaskUntagTaskErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


UntagTaskUntagTaskTask = TaskFields


class UntagTaskUntagTaskErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class UntagTaskUntagTaskErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class UntagTaskUntagTaskErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class UntagTaskUntagTaskErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class UntagTaskUntagTaskErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


