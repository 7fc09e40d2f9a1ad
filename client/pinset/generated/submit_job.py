"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import JobFields


class SubmitJob(BaseModel):
    submit_job: "SubmitJobSubmitJob" = Field(alias="submitJob")


class SubmitJobSubmitJob(BaseModel):
    job: Optional["SubmitJobSubmitJobJob"]
    errors: list[
        Annotated[
            Union[
                "SubmitJobSubmitJobErrorsUserError",
                "SubmitJobSubmitJobErrorsAlreadyExists",
                "SubmitJobSubmitJobErrorsConflict",
                "SubmitJobSubmitJobErrorsInUse",
                "SubmitJobSubmitJobErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


SubmitJobSubmitJobJob = JobFields


class SubmitJobSubmitJobErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class SubmitJobSubmitJobErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class SubmitJobSubmitJobErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class SubmitJobSubmitJobErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class SubmitJobSubmitJobErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


