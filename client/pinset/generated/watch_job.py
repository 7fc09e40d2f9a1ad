"""Typed operations, written by ariadne-codegen from the schema."""

from datetime import datetime
from typing import Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import JobStatus, TrialStatus
from pinset.generated.fragments import ProgressFields


class WatchJob(BaseModel):
    job_progress: Union[
        "WatchJobJobProgressJobEvent",
        "WatchJobJobProgressJobEnded",
        "WatchJobJobProgressJobStatusChanged",
        "WatchJobJobProgressTrialFinished",
        "WatchJobJobProgressTrialRequeued",
    ] = Field(alias="jobProgress", discriminator="typename__")


class WatchJobJobProgressJobEvent(BaseModel):
    typename__: Literal["JobEvent", "JobSnapshot", "TrialStarted", "TrialsSettled"] = (
        Field(alias="__typename")
    )
    seq: int
    at: datetime
    progress: "WatchJobJobProgressJobEventProgress"
    job: "WatchJobJobProgressJobEventJob"


WatchJobJobProgressJobEventProgress = ProgressFields


class WatchJobJobProgressJobEventJob(BaseModel):
    id: str
    name: str
    status: JobStatus


class WatchJobJobProgressJobEnded(BaseModel):
    typename__: Literal["JobEnded"] = Field(alias="__typename")
    seq: int
    at: datetime
    progress: "WatchJobJobProgressJobEndedProgress"
    job: "WatchJobJobProgressJobEndedJob"
    status: JobStatus


WatchJobJobProgressJobEndedProgress = ProgressFields


class WatchJobJobProgressJobEndedJob(BaseModel):
    id: str
    name: str
    status: JobStatus


class WatchJobJobProgressJobStatusChanged(BaseModel):
    typename__: Literal["JobStatusChanged"] = Field(alias="__typename")
    seq: int
    at: datetime
    progress: "WatchJobJobProgressJobStatusChangedProgress"
    job: "WatchJobJobProgressJobStatusChangedJob"
    from_: JobStatus = Field(alias="from")
    to: JobStatus
    reason: Optional[str]


WatchJobJobProgressJobStatusChangedProgress = ProgressFields


class WatchJobJobProgressJobStatusChangedJob(BaseModel):
    id: str
    name: str
    status: JobStatus


class WatchJobJobProgressTrialFinished(BaseModel):
    typename__: Literal["TrialFinished"] = Field(alias="__typename")
    seq: int
    at: datetime
    progress: "WatchJobJobProgressTrialFinishedProgress"
    job: "WatchJobJobProgressTrialFinishedJob"
    trial: "WatchJobJobProgressTrialFinishedTrial"


WatchJobJobProgressTrialFinishedProgress = ProgressFields


class WatchJobJobProgressTrialFinishedJob(BaseModel):
    id: str
    name: str
    status: JobStatus


class WatchJobJobProgressTrialFinishedTrial(BaseModel):
    task_name: str = Field(alias="taskName")
    repeat: int
    status: TrialStatus
    reward: Optional[float]
    error: Optional["WatchJobJobProgressTrialFinishedTrialError"]


class WatchJobJobProgressTrialFinishedTrialError(BaseModel):
    type_: str = Field(alias="type")
    message: str


class WatchJobJobProgressTrialRequeued(BaseModel):
    typename__: Literal["TrialRequeued"] = Field(alias="__typename")
    seq: int
    at: datetime
    progress: "WatchJobJobProgressTrialRequeuedProgress"
    job: "WatchJobJobProgressTrialRequeuedJob"
    trial: "WatchJobJobProgressTrialRequeuedTrial"
    requeue_reason: Optional[str] = Field(alias="requeueReason")


WatchJobJobProgressTrialRequeuedProgress = ProgressFields


class WatchJobJobProgressTrialRequeuedJob(BaseModel):
    id: str
    name: str
    status: JobStatus


class WatchJobJobProgressTrialRequeuedTrial(BaseModel):
    task_name: str = Field(alias="taskName")
    repeat: int


