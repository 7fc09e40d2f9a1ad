"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import JobFields


class ResumeJob(BaseModel):
    resume_job: "ResumeJobResumeJob" = Field(alias="resumeJob")


class ResumeJobResumeJob(BaseModel):
    job: Optional["ResumeJobResumeJobJob"]
    errors: list[
        Annotated[
            Union[
                "ResumeJobResumeJobErrorsUserError",
                "ResumeJobResumeJobErrorsAlreadyExists",
                "ResumeJobResumeJobErrorsConflict",
                "ResumeJobResumeJobErrorsInUse",
                "ResumeJobResumeJobErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


ResumeJobResumeJobJob = JobFields


class ResumeJobResumeJobErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class ResumeJobResumeJobErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class ResumeJobResumeJobErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class ResumeJobResumeJobErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class ResumeJobResumeJobErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


