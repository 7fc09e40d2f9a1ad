"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import TasksetFields


class UntagTaskset(BaseModel):
    untag_taskset: "UntagTasksetUntagTaskset" = Field(alias="untagTaskset")


class UntagTasksetUntagTaskset(BaseModel):
    taskset: Optional["UntagTasksetUntagTasksetTaskset"]
    errors: list[
        Annotated[
            Union[
                "UntagTasksetUntagTasksetErrorsUserError",
                "UntagTasksetUntagTasksetErrorsAlreadyExists",
                "UntagTasksetUntagTasksetErrorsConflict",
                "UntagTasksetUntagTasksetErrorsInUse",
                "UntagTasksetUntagTasksetErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


UntagTasksetUntagTasksetTaskset = TasksetFields


class UntagTasksetUntagTasksetErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class UntagTasksetUntagTasksetErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class UntagTasksetUntagTasksetErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class UntagTasksetUntagTasksetErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class UntagTasksetUntagTasksetErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


