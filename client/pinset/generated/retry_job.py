"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import JobFields


class RetryJob(BaseModel):
    retry_job: "RetryJobRetryJob" = Field(alias="retryJob")


class RetryJobRetryJob(BaseModel):
    job: Optional["RetryJobRetryJobJob"]
    errors: list[
        Annotated[
            Union[
                "RetryJobRetryJobErrorsUserError",
                "RetryJobRetryJobErrorsAlreadyExists",
                "RetryJobRetryJobErrorsConflict",
                "RetryJobRetryJobErrorsInUse",
                "RetryJobRetryJobErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


RetryJobRetryJobJob = JobFields


class RetryJobRetryJobErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class RetryJobRetryJobErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class RetryJobRetryJobErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class RetryJobRetryJobErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class RetryJobRetryJobErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


