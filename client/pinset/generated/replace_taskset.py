"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode, PublishOutcome
from pinset.generated.fragments import TasksetFields


class ReplaceTaskset(BaseModel):
    replace_taskset: "ReplaceTasksetReplaceTaskset" = Field(alias="replaceTaskset")


class ReplaceTasksetReplaceTaskset(BaseModel):
    taskset: Optional["ReplaceTasksetReplaceTasksetTaskset"]
    revision: Optional["ReplaceTasksetReplaceTasksetRevision"]
    outcome: Optional[PublishOutcome]
    errors: list[
        Annotated[
            Union[
                "ReplaceTasksetReplaceTasksetErrorsUserError",
                "ReplaceTasksetReplaceTasksetErrorsAlreadyExists",
                "ReplaceTasksetReplaceTasksetErrorsConflict",
                "ReplaceTasksetReplaceTasksetErrorsInUse",
                "ReplaceTasksetReplaceTasksetErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


ReplaceTasksetReplaceTasksetTaskset = TasksetFields


class ReplaceTasksetReplaceTasksetRevision(BaseModel):
    number: int
    digest: str


class ReplaceTasksetReplaceTasksetErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class ReplaceTasksetReplaceTasksetErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class ReplaceTasksetReplaceTasksetErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class ReplaceTasksetReplaceTasksetErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class ReplaceTasksetReplaceTasksetErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


