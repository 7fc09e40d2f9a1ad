"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode, TrialStatus


class ReportTrial(BaseModel):
    report_trial: "ReportTrialReportTrial" = Field(alias="reportTrial")


class ReportTrialReportTrial(BaseModel):
    trial: Optional["ReportTrialReportTrialTrial"]
    errors: list[
        Annotated[
            Union[
                "ReportTrialReportTrialErrorsUserError",
                "ReportTrialReportTrialErrorsAlreadyExists",
                "ReportTrialReportTrialErrorsConflict",
                "ReportTrialReportTrialErrorsInUse",
                "ReportTrialReportTrialErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


class ReportTrialReportTrialTrial(BaseModel):
    id: str
    task_name: str = Field(alias="taskName")
    repeat: int
    status: TrialStatus
    reward: Optional[float]


class ReportTrialReportTrialErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class ReportTrialReportTrialErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class ReportTrialReportTrialErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class ReportTrialReportTrialErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class ReportTrialReportTrialErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


