"""Typed operations, written by ariadne-codegen from the schema."""

from datetime import datetime
from typing import Any, Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import TrialStatus
from pinset.generated.fragments import (  # noqa: F401
    PageFields,
    TrialFields,
    TrialFieldsError,
    TrialFieldsScores,
    TrialFieldsUsage,
)


class ListWholeTrials(BaseModel):
    job: Optional["ListWholeTrialsJob"]


class ListWholeTrialsJob(BaseModel):
    trials: "ListWholeTrialsJobTrials"


class ListWholeTrialsJobTrials(BaseModel):
    nodes: list["ListWholeTrialsJobTrialsNodes"]
    page_info: "ListWholeTrialsJobTrialsPageInfo" = Field(alias="pageInfo")


class ListWholeTrialsJobTrialsNodes(TrialFields):
    trajectory: Optional[Any]
    attempts: list["ListWholeTrialsJobTrialsNodesAttempts"]


class ListWholeTrialsJobTrialsNodesAttempts(BaseModel):
    number: int
    status: TrialStatus
    reward: Optional[float]
    runner: Optional[str]
    started_at: Optional[datetime] = Field(alias="startedAt")
    finished_at: Optional[datetime] = Field(alias="finishedAt")
    error: Optional["ListWholeTrialsJobTrialsNodesAttemptsError"]


class ListWholeTrialsJobTrialsNodesAttemptsError(BaseModel):
    type_: str = Field(alias="type")
    message: str


ListWholeTrialsJobTrialsPageInfo = PageFields
