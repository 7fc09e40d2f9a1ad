"""Typed operations, written by ariadne-codegen from the schema."""

from datetime import datetime
from typing import Any, Literal, Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import JobStatus, MetricType, TargetKind, TaskKind, TrialStatus


class ProgressFields(BaseModel):
    total: int
    pending: int
    running: int
    scoring: int
    completed: int
    partial: int
    failed: int
    cancelled: int
    retries: int
    fraction: float
    mean_reward: Optional[float] = Field(alias="meanReward")
    input_tokens: int = Field(alias="inputTokens")
    output_tokens: int = Field(alias="outputTokens")
    cost_usd: float = Field(alias="costUsd")
    seconds_remaining: Optional[float] = Field(alias="secondsRemaining")


class JobFields(BaseModel):
    id: str
    workspace: str
    name: str
    project: Optional[str]
    description: Optional[str]
    labels: Any
    status: JobStatus
    status_reason: Optional[str] = Field(alias="statusReason")
    is_stalled: bool = Field(alias="isStalled")
    taskset_ref: Optional[str] = Field(alias="tasksetRef")
    taskset_digest: Optional[str] = Field(alias="tasksetDigest")
    target: "JobFieldsTarget"
    repeats: int
    max_concurrency: int = Field(alias="maxConcurrency")
    timeout_seconds: float = Field(alias="timeoutSeconds")
    max_attempts: int = Field(alias="maxAttempts")
    fail_fast: bool = Field(alias="failFast")
    progress: "JobFieldsProgress"
    created_at: datetime = Field(alias="createdAt")
    started_at: Optional[datetime] = Field(alias="startedAt")
    finished_at: Optional[datetime] = Field(alias="finishedAt")
    created_by: Optional[str] = Field(alias="createdBy")


class JobFieldsTarget(BaseModel):
    kind: TargetKind
    name: str


class JobFieldsProgress(ProgressFields):
    pass


class MetricFields(BaseModel):
    id: str
    workspace: str
    name: str
    ref: str
    project: Optional[str]
    type_: MetricType = Field(alias="type")
    description: Optional[str]
    labels: Any
    config: Any
    digest: str
    is_retired: bool = Field(alias="isRetired")
    created_at: datetime = Field(alias="createdAt")
    created_by: Optional[str] = Field(alias="createdBy")
    outputs: list["MetricFieldsOutputs"]


class MetricFieldsOutputs(BaseModel):
    name: str
    description: Optional[str]
    minimum: Optional[float]
    maximum: Optional[float]


class PageFields(BaseModel):
    has_next_page: bool = Field(alias="hasNextPage")
    has_previous_page: bool = Field(alias="hasPreviousPage")
    start_cursor: Optional[str] = Field(alias="startCursor")
    end_cursor: Optional[str] = Field(alias="endCursor")


class ScoreFields(BaseModel):
    metric: str
    status: TrialStatus
    values: list["ScoreFieldsValues"]
    diagnostics: list["ScoreFieldsDiagnostics"]


class ScoreFieldsValues(BaseModel):
    name: str
    value: Optional[float]
    label: Optional[str]


class ScoreFieldsDiagnostics(BaseModel):
    severity: str
    message: str


class StatisticFields(BaseModel):
    name: str
    expected: int
    scored: int
    failed: int
    missing: int
    coverage: float
    mean: Optional[float]
    standard_deviation: Optional[float] = Field(alias="standardDeviation")
    standard_error: Optional[float] = Field(alias="standardError")
    minimum: Optional[float]
    maximum: Optional[float]
    median: Optional[float]
    confidence_95: Optional[list[float]] = Field(alias="confidence95")
    lower_bound: Optional[float] = Field(alias="lowerBound")
    upper_bound: Optional[float] = Field(alias="upperBound")


class SyncItemFields(BaseModel):
    name: str
    current_digest: Optional[str] = Field(alias="currentDigest")
    new_digest: Optional[str] = Field(alias="newDigest")


class SyncPlanFields(BaseModel):
    plan_digest: str = Field(alias="planDigest")
    summary: str
    to_create: list["SyncPlanFieldsToCreate"] = Field(alias="toCreate")
    to_update: list["SyncPlanFieldsToUpdate"] = Field(alias="toUpdate")
    unchanged: list["SyncPlanFieldsUnchanged"]
    remote_only: list["SyncPlanFieldsRemoteOnly"] = Field(alias="remoteOnly")


class SyncPlanFieldsToCreate(SyncItemFields):
    pass


class SyncPlanFieldsToUpdate(SyncItemFields):
    pass


class SyncPlanFieldsUnchanged(SyncItemFields):
    pass


class SyncPlanFieldsRemoteOnly(SyncItemFields):
    pass


class TaskRevisionFields(BaseModel):
    id: str
    number: int
    digest: str
    ref: str
    tags: list[str]
    is_latest: bool = Field(alias="isLatest")
    created_at: datetime = Field(alias="createdAt")
    created_by: Optional[str] = Field(alias="createdBy")
    content: Optional[Any]


class TaskFields(BaseModel):
    id: str
    workspace: str
    name: str
    ref: str
    project: Optional[str]
    created_at: datetime = Field(alias="createdAt")
    updated_at: datetime = Field(alias="updatedAt")
    tags: list["TaskFieldsTags"]
    latest: "TaskFieldsLatest"


class TaskFieldsTags(BaseModel):
    name: str
    number: int
    digest: str


class TaskFieldsLatest(TaskRevisionFields):
    pass


class TaskListFields(BaseModel):
    id: str
    workspace: str
    name: str
    ref: str
    project: Optional[str]
    created_at: datetime = Field(alias="createdAt")
    updated_at: datetime = Field(alias="updatedAt")
    latest: "TaskListFieldsLatest"


class TaskListFieldsLatest(BaseModel):
    number: int
    digest: str
    tags: list[str]
    spec: Optional["TaskListFieldsLatestSpec"]


class TaskListFieldsLatestSpec(BaseModel):
    typename__: Literal[
        "EvaluatorTaskSpec", "HarborTaskSpec", "TaskSpec", "TemplateTaskSpec"
    ] = Field(alias="__typename")
    kind: TaskKind


class TasksetRevisionFields(BaseModel):
    id: str
    number: int
    digest: str
    ref: str
    tags: list[str]
    is_latest: bool = Field(alias="isLatest")
    created_at: datetime = Field(alias="createdAt")
    created_by: Optional[str] = Field(alias="createdBy")
    content: Optional[Any]
    member_count: int = Field(alias="memberCount")


class TasksetFields(BaseModel):
    id: str
    workspace: str
    name: str
    ref: str
    project: Optional[str]
    created_at: datetime = Field(alias="createdAt")
    updated_at: datetime = Field(alias="updatedAt")
    tags: list["TasksetFieldsTags"]
    latest: "TasksetFieldsLatest"


class TasksetFieldsTags(BaseModel):
    name: str
    number: int
    digest: str


class TasksetFieldsLatest(TasksetRevisionFields):
    pass


class TasksetListFields(BaseModel):
    id: str
    workspace: str
    name: str
    ref: str
    project: Optional[str]
    created_at: datetime = Field(alias="createdAt")
    updated_at: datetime = Field(alias="updatedAt")
    latest: "TasksetListFieldsLatest"


class TasksetListFieldsLatest(BaseModel):
    number: int
    digest: str
    member_count: int = Field(alias="memberCount")
    tags: list[str]
    description: Optional[str]


class TrialFields(BaseModel):
    id: str
    task_name: str = Field(alias="taskName")
    task_digest: str = Field(alias="taskDigest")
    repeat: int
    status: TrialStatus
    reward: Optional[float]
    output: Optional[str]
    response: Optional[Any]
    runner: Optional[str]
    latency_ms: Optional[float] = Field(alias="latencyMs")
    started_at: Optional[datetime] = Field(alias="startedAt")
    finished_at: Optional[datetime] = Field(alias="finishedAt")
    scores: list["TrialFieldsScores"]
    error: Optional["TrialFieldsError"]
    usage: Optional["TrialFieldsUsage"]


class TrialFieldsScores(ScoreFields):
    pass


class TrialFieldsError(BaseModel):
    type_: str = Field(alias="type")
    message: str


class TrialFieldsUsage(BaseModel):
    input_tokens: Optional[int] = Field(alias="inputTokens")
    output_tokens: Optional[int] = Field(alias="outputTokens")
    cost_usd: Optional[float] = Field(alias="costUsd")


