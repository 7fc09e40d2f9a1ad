"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode


class ExtendLeases(BaseModel):
    extend_leases: "ExtendLeasesExtendLeases" = Field(alias="extendLeases")


class ExtendLeasesExtendLeases(BaseModel):
    extended: list[str]
    lost: list[str]
    errors: list[
        Annotated[
            Union[
                "ExtendLeasesExtendLeasesErrorsUserError",
                "ExtendLeasesExtendLeasesErrorsAlreadyExists",
                "ExtendLeasesExtendLeasesErrorsConflict",
                "ExtendLeasesExtendLeasesErrorsInUse",
                "ExtendLeasesExtendLeasesErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


class ExtendLeasesExtendLeasesErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class ExtendLeasesExtendLeasesErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class ExtendLeasesExtendLeasesErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class ExtendLeasesExtendLeasesErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class ExtendLeasesExtendLeasesErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


