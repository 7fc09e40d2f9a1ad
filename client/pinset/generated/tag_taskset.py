"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import TasksetFields


class TagTaskset(BaseModel):
    tag_taskset: "TagTasksetTagTaskset" = Field(alias="tagTaskset")


class TagTasksetTagTaskset(BaseModel):
    taskset: Optional["TagTasksetTagTasksetTaskset"]
    errors: list[
        Annotated[
            Union[
                "TagTasksetTagTasksetErrorsUserError",
                "TagTasksetTagTasksetErrorsAlreadyExists",
                "TagTasksetTagTasksetErrorsConflict",
                "TagTasksetTagTasksetErrorsInUse",
                "TagTasksetTagTasksetErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


TagTasksetTagTasksetTaskset = TasksetFields


class TagTasksetTagTasksetErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class TagTasksetTagTasksetErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class TagTasksetTagTasksetErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class TagTasksetTagTasksetErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class TagTasksetTagTasksetErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


