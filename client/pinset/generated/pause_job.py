"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import JobFields


class PauseJob(BaseModel):
    pause_job: "PauseJobPauseJob" = Field(alias="pauseJob")


class PauseJobPauseJob(BaseModel):
    job: Optional["PauseJobPauseJobJob"]
    errors: list[
        Annotated[
            Union[
                "PauseJobPauseJobErrorsUserError",
                "PauseJobPauseJobErrorsAlreadyExists",
                "PauseJobPauseJobErrorsConflict",
                "PauseJobPauseJobErrorsInUse",
                "PauseJobPauseJobErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


PauseJobPauseJobJob = JobFields


class PauseJobPauseJobErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class PauseJobPauseJobErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class PauseJobPauseJobErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class PauseJobPauseJobErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class PauseJobPauseJobErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


