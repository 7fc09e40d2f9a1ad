"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import JobFields


class CancelJob(BaseModel):
    cancel_job: "CancelJobCancelJob" = Field(alias="cancelJob")


class CancelJobCancelJob(BaseModel):
    job: Optional["CancelJobCancelJobJob"]
    errors: list[
        Annotated[
            Union[
                "CancelJobCancelJobErrorsUserError",
                "CancelJobCancelJobErrorsAlreadyExists",
                "CancelJobCancelJobErrorsConflict",
                "CancelJobCancelJobErrorsInUse",
                "CancelJobCancelJobErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


CancelJobCancelJobJob = JobFields


class CancelJobCancelJobErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class CancelJobCancelJobErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class CancelJobCancelJobErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class CancelJobCancelJobErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class CancelJobCancelJobErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


