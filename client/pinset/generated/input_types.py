"""Typed operations, written by ariadne-codegen from the schema."""

from datetime import datetime
from typing import Any, Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import (
    DefinitionOrderField,
    JobOrderField,
    JobStatus,
    MetricType,
    NumberOperation,
    OrderDirection,
    Scope,
    StringOperation,
    TargetKind,
    TaskKind,
    TrialStatus,
)


class RevisionSelector(BaseModel):
    digest: Optional[str] = None
    tag: Optional[str] = None
    number: Optional[int] = None


class DateRange(BaseModel):
    gte: Optional[datetime] = None
    lte: Optional[datetime] = None


class MetadataMatch(BaseModel):
    key: str
    value: Optional[Any] = None


class DefinitionOrder(BaseModel):
    field: DefinitionOrderField = DefinitionOrderField.CREATED_AT
    direction: OrderDirection = OrderDirection.ASC


class TaskFilter(BaseModel):
    name_contains: Optional[str] = Field(alias="nameContains", default=None)
    name_prefix: Optional[str] = Field(alias="namePrefix", default=None)
    kind: Optional[TaskKind] = None
    project: Optional[str] = None
    metadata: Optional[list["MetadataMatch"]] = None
    metric: Optional[str] = None
    tag: Optional[str] = None
    created_at: Optional["DateRange"] = Field(alias="createdAt", default=None)
    updated_at: Optional["DateRange"] = Field(alias="updatedAt", default=None)


class TasksetFilter(BaseModel):
    name_contains: Optional[str] = Field(alias="nameContains", default=None)
    name_prefix: Optional[str] = Field(alias="namePrefix", default=None)
    project: Optional[str] = None
    metadata: Optional[list["MetadataMatch"]] = None
    tag: Optional[str] = None
    created_at: Optional["DateRange"] = Field(alias="createdAt", default=None)
    updated_at: Optional["DateRange"] = Field(alias="updatedAt", default=None)


class MetricFilter(BaseModel):
    name_contains: Optional[str] = Field(alias="nameContains", default=None)
    name_prefix: Optional[str] = Field(alias="namePrefix", default=None)
    project: Optional[str] = None
    type_: Optional[MetricType] = Field(alias="type", default=None)


class JobFilter(BaseModel):
    status: Optional[list[JobStatus]] = None
    target_kind: Optional[TargetKind] = Field(alias="targetKind", default=None)
    target_name: Optional[str] = Field(alias="targetName", default=None)
    project: Optional[str] = None
    taskset_name: Optional[str] = Field(alias="tasksetName", default=None)
    taskset_digest: Optional[str] = Field(alias="tasksetDigest", default=None)
    labels: Optional[list["MetadataMatch"]] = None
    created_at: Optional["DateRange"] = Field(alias="createdAt", default=None)


class TrialFilter(BaseModel):
    status: Optional[list[TrialStatus]] = None
    task_name: Optional[str] = Field(alias="taskName", default=None)
    repeat: Optional[int] = None


class JobOrder(BaseModel):
    field: JobOrderField = JobOrderField.CREATED_AT
    direction: OrderDirection = OrderDirection.DESC


class DigestInput(BaseModel):
    task: Optional["TaskInput"] = None
    taskset: Optional["TasksetInput"] = None


class GrantInput(BaseModel):
    workspace: str
    scopes: list[Scope]


class MetadataItemInput(BaseModel):
    key: str
    value: Optional[Any] = None


class TaskInput(BaseModel):
    spec: "TaskSpecInput"
    metadata: list["MetadataItemInput"] = Field(default_factory=lambda: [])
    tags: list[str] = Field(default_factory=lambda: [])


class TaskSpecInput(BaseModel):
    evaluator: Optional["EvaluatorTaskSpecInput"] = None
    harbor: Optional["HarborTaskSpecInput"] = None
    template: Optional["TemplateTaskSpecInput"] = None


class EvaluatorTaskSpecInput(BaseModel):
    intent: str
    inputs: Optional["TaskInputsInput"] = None
    reference: Optional[Any] = None
    metrics: list[str] = Field(default_factory=lambda: [])
    views: Optional[Any] = None


class TaskInputsInput(BaseModel):
    instruction: Optional[str] = None
    extra: Optional[Any] = None


class HarborTaskSpecInput(BaseModel):
    archive_ref: str = Field(alias="archiveRef")
    archive_digest: str = Field(alias="archiveDigest")
    instruction: Optional[str] = None
    config: Optional[Any] = None


class TemplateTaskSpecInput(BaseModel):
    env: str
    template: str
    args: Optional[Any] = None
    agent_config: Optional[Any] = Field(alias="agentConfig", default=None)
    runtime_config: Optional[Any] = Field(alias="runtimeConfig", default=None)
    validation: Optional[Any] = None


class TasksetInput(BaseModel):
    description: Optional[str] = None
    tasks: list[str] = Field(default_factory=lambda: [])
    files_ref: Optional[str] = Field(alias="filesRef", default=None)
    metadata: list["MetadataItemInput"] = Field(default_factory=lambda: [])
    tags: list[str] = Field(default_factory=lambda: [])


class MetricInput(BaseModel):
    exact_match: Optional["TextMatchInput"] = Field(alias="exactMatch", default=None)
    f_1: Optional["TextMatchInput"] = Field(alias="f1", default=None)
    bleu: Optional["BleuInput"] = None
    rouge: Optional["TextMatchInput"] = None
    string_check: Optional["StringCheckInput"] = Field(
        alias="stringCheck", default=None
    )
    number_check: Optional["NumberCheckInput"] = Field(
        alias="numberCheck", default=None
    )
    tool_calling: Optional["ToolCallingInput"] = Field(
        alias="toolCalling", default=None
    )
    llm_judge: Optional["LlmJudgeInput"] = Field(alias="llmJudge", default=None)
    remote: Optional["RemoteMetricInput"] = None
    reward: Optional["RewardInput"] = None


class TextMatchInput(BaseModel):
    reference: str
    candidate: Optional[str] = None


class BleuInput(BaseModel):
    references: list[str]
    candidate: Optional[str] = None


class StringCheckInput(BaseModel):
    operation: StringOperation
    left: str
    right: str


class NumberCheckInput(BaseModel):
    operation: NumberOperation
    left: str
    right: str
    epsilon: Optional[float] = None


class ToolCallingInput(BaseModel):
    reference: str


class LlmJudgeInput(BaseModel):
    model: "ModelInput"
    prompt_template: Optional[str] = Field(alias="promptTemplate", default=None)
    system_prompt: Optional[str] = Field(alias="systemPrompt", default=None)
    scores: list["JudgeScoreInput"]


class JudgeScoreInput(BaseModel):
    name: str
    description: Optional[str] = None
    minimum: Optional[float] = None
    maximum: Optional[float] = None
    rubric: Optional[list["RubricLevelInput"]] = None


class RubricLevelInput(BaseModel):
    label: str
    description: Optional[str] = None
    value: float


class RemoteMetricInput(BaseModel):
    url: str
    body: Any
    outputs: list[str]
    api_key_secret: Optional[str] = Field(alias="apiKeySecret", default=None)
    timeout_seconds: float = Field(alias="timeoutSeconds", default=30)
    max_retries: int = Field(alias="maxRetries", default=3)


class RewardInput(BaseModel):
    key: str = "reward"


class ModelInput(BaseModel):
    url: str
    name: str
    api_key_secret: Optional[str] = Field(alias="apiKeySecret", default=None)


class TargetInput(BaseModel):
    model: Optional["ModelTargetInput"] = None
    agent: Optional["AgentTargetInput"] = None
    outputs: Optional[list["OutputInput"]] = None
    runner: Optional["RunnerTargetInput"] = None


class ModelTargetInput(BaseModel):
    model: "ModelInput"
    prompt_template: Optional[str] = Field(alias="promptTemplate", default=None)
    system_prompt: Optional[str] = Field(alias="systemPrompt", default=None)
    temperature: Optional[float] = None
    max_tokens: Optional[int] = Field(alias="maxTokens", default=None)


class AgentTargetInput(BaseModel):
    url: str
    name: str
    body: Any
    response_path: str = Field(alias="responsePath")
    trajectory_path: Optional[str] = Field(alias="trajectoryPath", default=None)
    api_key_secret: Optional[str] = Field(alias="apiKeySecret", default=None)


class OutputInput(BaseModel):
    task: str
    repeat: int = 0
    output: Optional[str] = None
    response: Optional[Any] = None
    trajectory: Optional[Any] = None
    reward: Optional[float] = None
    error: Optional[str] = None


class RunnerTargetInput(BaseModel):
    name: str


class SubmitJobInput(BaseModel):
    workspace: str = "default"
    name: Optional[str] = None
    project: Optional[str] = None
    description: Optional[str] = None
    labels: Optional[Any] = None
    taskset: Optional[str] = None
    tasks: Optional[list["InlineTaskInput"]] = None
    dataset: Optional["DatasetInput"] = None
    only: Optional[list[str]] = None
    exclude: Optional[list[str]] = None
    limit: Optional[int] = None
    target: Optional["TargetInput"] = None
    repeats: int = 1
    max_concurrency: int = Field(alias="maxConcurrency", default=4)
    timeout_seconds: float = Field(alias="timeoutSeconds", default=600)
    max_attempts: int = Field(alias="maxAttempts", default=3)
    fail_fast: bool = Field(alias="failFast", default=False)
    idempotency_key: Optional[str] = Field(alias="idempotencyKey", default=None)


class InlineTaskInput(BaseModel):
    name: str
    task: "TaskInput"


class DatasetInput(BaseModel):
    rows: list[Any]
    metrics: list[str]
    prompt_template: Optional[str] = Field(alias="promptTemplate", default=None)
    name_field: Optional[str] = Field(alias="nameField", default=None)


class CreateWorkspaceInput(BaseModel):
    name: str
    description: Optional[str] = None


class CreateMetricInput(BaseModel):
    workspace: str = "default"
    name: str
    project: Optional[str] = None
    description: Optional[str] = None
    labels: Optional[Any] = None
    metric: "MetricInput"


class DeleteMetricInput(BaseModel):
    workspace: str = "default"
    name: str


class CreateTaskInput(BaseModel):
    workspace: str = "default"
    name: str
    project: Optional[str] = None
    task: "TaskInput"


class ReplaceTaskInput(BaseModel):
    workspace: str = "default"
    name: str
    project: Optional[str] = None
    task: "TaskInput"
    expected_digest: Optional[str] = Field(alias="expectedDigest", default=None)


class TagTaskInput(BaseModel):
    workspace: str = "default"
    name: str
    tag: str
    revision: "RevisionSelector"
    expected_digest: Optional[str] = Field(alias="expectedDigest", default=None)


class UntagTaskInput(BaseModel):
    workspace: str = "default"
    name: str
    tag: str
    expected_digest: Optional[str] = Field(alias="expectedDigest", default=None)


class DeleteTaskInput(BaseModel):
    workspace: str = "default"
    name: str
    force: bool = False


class CreateTasksetInput(BaseModel):
    workspace: str = "default"
    name: str
    project: Optional[str] = None
    taskset: "TasksetInput"


class ReplaceTasksetInput(BaseModel):
    workspace: str = "default"
    name: str
    project: Optional[str] = None
    taskset: "TasksetInput"
    expected_digest: Optional[str] = Field(alias="expectedDigest", default=None)


class TagTasksetInput(BaseModel):
    workspace: str = "default"
    name: str
    tag: str
    revision: "RevisionSelector"
    expected_digest: Optional[str] = Field(alias="expectedDigest", default=None)


class UntagTasksetInput(BaseModel):
    workspace: str = "default"
    name: str
    tag: str
    expected_digest: Optional[str] = Field(alias="expectedDigest", default=None)


class DeleteTasksetInput(BaseModel):
    workspace: str = "default"
    name: str


class SyncTasksetInput(BaseModel):
    workspace: str = "default"
    name: str
    tasks: list["NamedTaskInput"]
    tasks_blob: Optional[str] = Field(alias="tasksBlob", default=None)
    files_ref: Optional[str] = Field(alias="filesRef", default=None)
    project: Optional[str] = None
    description: Optional[str] = None
    metadata: Optional[list["MetadataItemInput"]] = None
    remove_missing: bool = Field(alias="removeMissing", default=False)
    dry_run: bool = Field(alias="dryRun", default=False)
    plan_digest: Optional[str] = Field(alias="planDigest", default=None)


class NamedTaskInput(BaseModel):
    name: str
    workspace: Optional[str] = None
    task: "TaskInput"


class JobInput(BaseModel):
    id: str


class RetryJobInput(BaseModel):
    id: str
    trials: Optional[list[str]] = None


class LeaseTrialsInput(BaseModel):
    job: Optional[str] = None
    workspace: str = "default"
    runner: str
    count: int = 1
    seconds: float = 60


class ExtendLeasesInput(BaseModel):
    tokens: list[str]
    seconds: float = 60


class ReportTrialInput(BaseModel):
    lease: str
    output: Optional[str] = None
    response: Optional[Any] = None
    trajectory: Optional[Any] = None
    output_blob: Optional[str] = Field(alias="outputBlob", default=None)
    trajectory_blob: Optional[str] = Field(alias="trajectoryBlob", default=None)
    reward: Optional[float] = None
    rewards: Optional[Any] = None
    error: Optional["TrialErrorInput"] = None
    usage: Optional["UsageInput"] = None


class TrialErrorInput(BaseModel):
    type_: str = Field(alias="type")
    message: str


class UsageInput(BaseModel):
    input_tokens: Optional[int] = Field(alias="inputTokens", default=None)
    output_tokens: Optional[int] = Field(alias="outputTokens", default=None)
    cost_usd: Optional[float] = Field(alias="costUsd", default=None)


class CreateTokenInput(BaseModel):
    name: str
    grants: list["GrantInput"]
    expires_at: Optional[datetime] = Field(alias="expiresAt", default=None)


class RevokeTokenInput(BaseModel):
    id: str


