"""Typed operations, written by ariadne-codegen from the schema."""

from datetime import datetime
from typing import Any, Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import (
    AuditAction,
    AuditedType,
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


class AgentTargetInput(BaseModel):
    """An HTTP endpoint that answers one POST a trial."""

    api_key_secret: Optional[str] = Field(alias="apiKeySecret", default=None)
    "Name of a secret on the worker, never the secret itself: `X` reads `PINSET_SECRET_X`."
    body: Any
    "The JSON to send; texts in it are Jinja templates over `item`."
    name: str
    "The name by which its jobs are found."
    response_path: str = Field(alias="responsePath")
    "JSONPath of the answer's text."
    trajectory_path: Optional[str] = Field(alias="trajectoryPath", default=None)
    "JSONPath of the trajectory; absent means none."
    url: str
    "Where to POST, http:// or https://."


class AuditFilter(BaseModel):
    """Which entries of the audit log a list should hold; all conditions must be met."""

    action: Optional[list[AuditAction]] = None
    "What was done: one of these."
    actor: Optional[str] = None
    "The name of the token that did it."
    at: Optional["DateRange"] = None
    "When it was done."
    ref: Optional[str] = None
    "What the record was called, whole."
    type_: Optional[AuditedType] = Field(alias="type", default=None)
    "The kind of the record."
    workspace: Optional[str] = None
    "The workspace of the record."


class BleuInput(BaseModel):
    """BLEU against one or more reference texts, from 0 to 100."""

    candidate: Optional[str] = None
    "What is scored: a Jinja template; `item` is the task's content (`item.reference.expected`, or `item.expected`), `sample` is the answer (`sample.output_text`). Absent means the answer's text."
    references: list[str]
    "The reference translations, at least one, each a template."


class CreateMetricInput(BaseModel):
    """A metric to create."""

    description: Optional[str] = None
    "What it is for, at most 1000 characters."
    labels: Optional[Any] = None
    "Free annotations, a JSON object; absent means none."
    metric: "MetricInput"
    "What it does."
    name: str
    "1 to 255 letters, digits, `_`, `-` or `.`; it means this definition for ever."
    project: Optional[str] = None
    "A free label to group records by."
    workspace: str = "default"
    "The workspace that it shall belong to."


class CreateTaskInput(BaseModel):
    """A task to create."""

    name: str
    "1 to 255 letters, digits, `_`, `-` or `.`, and not `.` or `..`."
    project: Optional[str] = None
    "A free label to group records by."
    task: "TaskInput"
    "The content of its first revision."
    workspace: str = "default"
    "The workspace that it belongs to."


class CreateTasksetInput(BaseModel):
    """A taskset to create."""

    name: str
    "1 to 255 letters, digits, `_`, `-` or `.`, and not `.` or `..`."
    project: Optional[str] = None
    "A free label to group records by."
    taskset: "TasksetInput"
    "The content of its first revision."
    workspace: str = "default"
    "The workspace that it belongs to."


class CreateTokenInput(BaseModel):
    """A token to create."""

    expires_at: Optional[datetime] = Field(alias="expiresAt", default=None)
    "When it shall end; null or absent means never. It may not outlive the token that creates it."
    grants: list["GrantInput"]
    "1 to 100 grants, none beyond those of the caller."
    name: str
    "1 to 255 letters, digits, `_`, `-` or `.`; need not be unique."


class CreateWorkspaceInput(BaseModel):
    """A workspace to create."""

    description: Optional[str] = None
    "What the workspace is for, at most 1000 characters."
    name: str
    "1 to 255 letters, digits, `_`, `-` or `.`, and not `.` or `..`; it cannot be changed later."


class DatasetInput(BaseModel):
    """Rows to evaluate, all by the same metrics; a row is what templates see as `item`."""

    metrics: list[str]
    "References of the metrics, `name` or `workspace/name`."
    name_field: Optional[str] = Field(alias="nameField", default=None)
    "The field that holds a row's name; absent names rows by their place: `row-1`, `row-2` and so on."
    prompt_template: Optional[str] = Field(alias="promptTemplate", default=None)
    "A Jinja template of the prompt, rendered over each row; needed for a model target."
    rows: list[Any]
    "The rows, any JSON. One with `output`, `output_text` or `response` carries its output and can be scored without a target."


class DateRange(BaseModel):
    """A range of times, both ends included; an absent end is open."""

    gte: Optional[datetime] = None
    "This time or later."
    lte: Optional[datetime] = None
    "This time or earlier."


class DefinitionOrder(BaseModel):
    """The order of a list of metrics, tasks or tasksets."""

    direction: OrderDirection = OrderDirection.ASC
    "Which way to sort."
    field: DefinitionOrderField = DefinitionOrderField.CREATED_AT
    "What to sort by."


class DeleteMetricInput(BaseModel):
    """A metric to delete."""

    name: str
    "The name of the metric."
    workspace: str = "default"
    "The workspace that it belongs to."


class DeleteTaskInput(BaseModel):
    """A task to delete."""

    force: bool = False
    "Delete it although tasksets pin it; their members dangle then, visibly."
    name: str
    "The name of the task."
    workspace: str = "default"
    "The workspace that it belongs to."


class DeleteTasksetInput(BaseModel):
    """A taskset to delete."""

    name: str
    "The name of the taskset."
    workspace: str = "default"
    "The workspace that it belongs to."


class DigestInput(BaseModel):
    """Content to hash: exactly one of the fields."""

    task: Optional["TaskInput"] = None
    "The content of a task."
    taskset: Optional["TasksetInput"] = None
    "The content of a taskset; its members must exist."


class EvaluatorTaskSpecInput(BaseModel):
    """A task to be written: a prompt with a reference, scored by metrics."""

    inputs: Optional["TaskInputsInput"] = None
    "What an agent is given."
    intent: str
    "What the task wants, in words; the prompt where there is no other."
    metrics: list[str] = Field(default_factory=lambda: [])
    "References of the metrics that score it, `name` or `workspace/name`; they must exist."
    reference: Optional[Any] = None
    "The truth for graders, a JSON object, never sent to an agent; absent means {}."
    views: Optional[Any] = None
    "Named roll-ups of metric outputs: a JSON object of `{reducer, signals: [{metric, output, weight}]}` by name, reducer single, all, any, mean or weighted_mean; absent means {}."


class ExtendLeasesInput(BaseModel):
    """Leases that are still worked on."""

    seconds: float = 60
    "How long the leases shall hold, above 0 and at most 3600 seconds."
    tokens: list[str]
    "The tokens of the leases, at most 1000."


class GrantInput(BaseModel):
    """What a new token shall allow in one workspace, or in all of them."""

    scopes: list[Scope]
    "At least one; each includes READ, and ADMIN includes all."
    workspace: str
    "An existing workspace; `*` means all, future ones included."


class HarborTaskSpecInput(BaseModel):
    """A task to be written: a packaged task directory."""

    archive_digest: str = Field(alias="archiveDigest")
    "SHA-256 of the package, 64 lowercase hex digits."
    archive_ref: str = Field(alias="archiveRef")
    "Where the package is: `workspace/fileset#path`."
    config: Optional[Any] = None
    "Settings for the runner, a JSON object outside the digest; absent means {}."
    instruction: Optional[str] = None
    "What an agent is asked; absent means the package says."


class InlineTaskInput(BaseModel):
    """A task that exists only within its job."""

    name: str
    "The name, unique within the job."
    task: "TaskInput"
    "The content; tags have no effect."


class JobFilter(BaseModel):
    """Which jobs a list should hold; all conditions must be met."""

    created_at: Optional["DateRange"] = Field(alias="createdAt", default=None)
    "When the job was submitted."
    labels: Optional[list["MetadataMatch"]] = None
    "Labels that the job must have; all of the conditions must hold."
    project: Optional[str] = None
    "The project label, whole."
    status: Optional[list[JobStatus]] = None
    "Jobs that stand at one of these."
    target_kind: Optional[TargetKind] = Field(alias="targetKind", default=None)
    "Jobs with a target of this kind."
    target_name: Optional[str] = Field(alias="targetName", default=None)
    "Jobs whose target has this name."
    taskset_digest: Optional[str] = Field(alias="tasksetDigest", default=None)
    "Jobs over the taskset revision of this digest."
    taskset_name: Optional[str] = Field(alias="tasksetName", default=None)
    "Jobs over any revision of this taskset: `name` (of the same workspace) or `workspace/name`."


class JobInput(BaseModel):
    """Names a job."""

    id: str
    "The id of the job."


class JobOrder(BaseModel):
    """The order of a list of jobs."""

    direction: OrderDirection = OrderDirection.DESC
    "Which way to sort."
    field: JobOrderField = JobOrderField.CREATED_AT
    "What to sort by."


class JudgeScoreInput(BaseModel):
    """One score that a judge gives: either a range, or a rubric of labels."""

    description: Optional[str] = None
    "What the judge should look at."
    maximum: Optional[float] = None
    "The greatest score; must exceed `minimum`."
    minimum: Optional[float] = None
    "The least score; goes with `maximum`, excludes `rubric`."
    name: str
    "Lowercase letters, digits and `_`, at most 255; unique within the metric."
    rubric: Optional[list["RubricLevelInput"]] = None
    "At least two labels, instead of a range."


class LeaseTrialsInput(BaseModel):
    """How many trials a runner wants, and of which job."""

    count: int = 1
    "How many trials at most, 1 to 1000."
    job: Optional[str] = None
    "The job; absent means any unfinished job of the workspace whose runner target has this name."
    runner: str
    "The name of the runner, which is shown with its trials."
    seconds: float = 60
    "How long the leases shall hold, above 0 and at most 3600 seconds."
    workspace: str = "default"
    "Where to look for jobs when `job` is absent."


class LlmJudgeInput(BaseModel):
    """A model reads the task and the answer, and gives one or more scores."""

    model: "ModelInput"
    "The judging model."
    prompt_template: Optional[str] = Field(alias="promptTemplate", default=None)
    "What the judge is shown, a Jinja template over `item` and `sample`; absent means a general one."
    scores: list["JudgeScoreInput"]
    "The scores to ask for, 1 to 100."
    system_prompt: Optional[str] = Field(alias="systemPrompt", default=None)
    "The judge's system prompt; absent means none."


class MetadataItemInput(BaseModel):
    """One annotation to store."""

    key: str
    "The key, unique within its revision."
    value: Optional[Any] = None
    "The value, any JSON. Required: send null to store null."


class MetadataMatch(BaseModel):
    """A condition on the metadata of a record."""

    key: str
    "A key that must be present."
    value: Optional[Any] = None
    "The value that it must have, compared exactly (`1` is not `1.0`); absent means any."


class MetricFilter(BaseModel):
    """Which metrics a list should hold; all conditions must be met."""

    name_contains: Optional[str] = Field(alias="nameContains", default=None)
    "Part of the name, case-sensitive."
    name_prefix: Optional[str] = Field(alias="namePrefix", default=None)
    "Beginning of the name, case-sensitive."
    project: Optional[str] = None
    "The project label, whole."
    type_: Optional[MetricType] = Field(alias="type", default=None)
    "What the metric does."


class MetricInput(BaseModel):
    """What a metric does: exactly one of the fields."""

    bleu: Optional["BleuInput"] = None
    "BLEU, by sacrebleu."
    exact_match: Optional["TextMatchInput"] = Field(alias="exactMatch", default=None)
    "1 where reference and answer are equal after normalising, else 0."
    f_1: Optional["TextMatchInput"] = Field(alias="f1", default=None)
    "F1 over the normalised tokens of reference and answer."
    llm_judge: Optional["LlmJudgeInput"] = Field(alias="llmJudge", default=None)
    "Scores by a judging model."
    number_check: Optional["NumberCheckInput"] = Field(
        alias="numberCheck", default=None
    )
    "A relation between two numbers."
    remote: Optional["RemoteMetricInput"] = None
    "Scores by an HTTP service of your own."
    reward: Optional["RewardInput"] = None
    "A reward that the runner reports."
    rouge: Optional["TextMatchInput"] = None
    "ROUGE-1, -2, -3 and -L, with stemming."
    string_check: Optional["StringCheckInput"] = Field(
        alias="stringCheck", default=None
    )
    "A relation between two texts."
    tool_calling: Optional["ToolCallingInput"] = Field(
        alias="toolCalling", default=None
    )
    "A comparison of tool calls."


class ModelInput(BaseModel):
    """A model behind an OpenAI-compatible chat completions endpoint."""

    api_key_secret: Optional[str] = Field(alias="apiKeySecret", default=None)
    "Name of a secret on the worker (letters, digits and `_`), never the secret itself: `X` reads `PINSET_SECRET_X`."
    name: str
    "The model's name, as the endpoint knows it."
    url: str
    "The endpoint's address, http:// or https://."


class ModelTargetInput(BaseModel):
    """A model behind an OpenAI-compatible chat completions API."""

    max_tokens: Optional[int] = Field(alias="maxTokens", default=None)
    "How much it may answer; absent leaves it to the server."
    model: "ModelInput"
    "Which model, and where."
    prompt_template: Optional[str] = Field(alias="promptTemplate", default=None)
    "A Jinja template of the prompt over the task's `item`; absent means the task's own prompt."
    system_prompt: Optional[str] = Field(alias="systemPrompt", default=None)
    "The system prompt; absent means none."
    temperature: Optional[float] = None
    "0 to 2; absent leaves it to the server."


class NamedTaskInput(BaseModel):
    """A task of a file, by its name."""

    name: str
    "The name of the task, unique within the file."
    task: "TaskInput"
    "The content that the task shall have, whole; nothing is merged."
    workspace: Optional[str] = None
    "The workspace of the task; absent means that of the taskset."


class NumberCheckInput(BaseModel):
    """1 where the last numbers of two rendered texts stand in a relation, else 0."""

    epsilon: Optional[float] = None
    "The greatest difference allowed, 0 or more; required by ABSOLUTE_DIFFERENCE, and only there."
    left: str
    "The text with the left number: a Jinja template; `item` is the task's content (`item.reference.expected`, or `item.expected`), `sample` is the answer (`sample.output_text`)."
    operation: NumberOperation
    "The relation."
    right: str
    "The text with the right number, a template over the same values."


class OutputInput(BaseModel):
    """An output that exists already, for one repeat of one task."""

    error: Optional[str] = None
    "What went wrong; without any result the trial failed."
    output: Optional[str] = None
    "The text that was produced."
    repeat: int = 0
    "Which repeat, from 0."
    response: Optional[Any] = None
    "The whole answer, any JSON."
    reward: Optional[float] = None
    "The reward, where it is known already."
    task: str
    "The name of the task within the job."
    trajectory: Optional[Any] = None
    "The steps that led to it, any JSON."


class RemoteMetricInput(BaseModel):
    """A scorer of your own: a POST of JSON whose answer holds the outputs by name."""

    api_key_secret: Optional[str] = Field(alias="apiKeySecret", default=None)
    "Name of a secret on the worker (letters, digits and `_`), never the secret itself: `X` reads `PINSET_SECRET_X`."
    body: Any
    "The JSON to send; texts in it are Jinja templates."
    max_retries: int = Field(alias="maxRetries", default=3)
    "How often a failed call is repeated, 0 to 10; answers are never repeated."
    outputs: list[str]
    "The names of the numbers in the answer, 1 to 100, unique."
    timeout_seconds: float = Field(alias="timeoutSeconds", default=30)
    "Seconds to wait for one answer, at most 600."
    url: str
    "Where to POST, http:// or https://."


class ReplaceTaskInput(BaseModel):
    """The content of a task to publish under a name, which need not exist."""

    expected_digest: Optional[str] = Field(alias="expectedDigest", default=None)
    "Go on only if this is the digest of the latest revision; else CONFLICT with the digest found."
    name: str
    "1 to 255 letters, digits, `_`, `-` or `.`, and not `.` or `..`."
    project: Optional[str] = None
    "A free label to group records by; absent keeps it, null clears it."
    task: "TaskInput"
    "The content to publish, whole; nothing is merged."
    workspace: str = "default"
    "The workspace that it belongs to."


class ReplaceTasksetInput(BaseModel):
    """The content of a taskset to publish under a name, which need not exist."""

    expected_digest: Optional[str] = Field(alias="expectedDigest", default=None)
    "Go on only if this is the digest of the latest revision; else CONFLICT with the digest found."
    name: str
    "1 to 255 letters, digits, `_`, `-` or `.`, and not `.` or `..`."
    project: Optional[str] = None
    "A free label to group records by; absent keeps it, null clears it."
    taskset: "TasksetInput"
    "The content to publish, whole; nothing is merged."
    workspace: str = "default"
    "The workspace that it belongs to."


class ReportTrialInput(BaseModel):
    """What an attempt brought back. A result without error is COMPLETED, with an error PARTIAL, an error alone FAILED."""

    error: Optional["TrialErrorInput"] = None
    "What went wrong."
    lease: str
    "The token of the lease."
    output: Optional[str] = None
    "The text that was produced, at most 8 MiB."
    output_blob: Optional[str] = Field(alias="outputBlob", default=None)
    "A blob that holds the output, by its SHA-256."
    response: Optional[Any] = None
    "The whole answer, any JSON, at most 8 MiB."
    reward: Optional[float] = None
    "The reward."
    rewards: Optional[Any] = None
    "Further rewards, a JSON object of numbers by name."
    trajectory: Optional[Any] = None
    "The steps that led to it, any JSON, at most 8 MiB."
    trajectory_blob: Optional[str] = Field(alias="trajectoryBlob", default=None)
    "A blob that holds the trajectory as JSON."
    usage: Optional["UsageInput"] = None
    "What it consumed."


class RetryJobInput(BaseModel):
    """Names a job, and what of it shall run again."""

    id: str
    "The id of the job, which must have ended."
    trials: Optional[list[str]] = None
    "Which of its failed and cancelled trials; absent means all of them."


class RevisionSelector(BaseModel):
    """Names one revision of a record, by exactly one of the fields."""

    digest: Optional[str] = None
    "64 lowercase hex digits; the newest revision that carries this content."
    number: Optional[int] = None
    "The ordinal, from 1."
    tag: Optional[str] = None
    "The revision that the tag points at now."


class RevokeTokenInput(BaseModel):
    """A token to end."""

    id: str
    "The id of the token."


class RewardInput(BaseModel):
    """Reads one of the rewards that a runner reported with its trial."""

    key: str = "reward"
    "Which of the reported rewards, at most 255 characters."


class RubricLevelInput(BaseModel):
    """One label that a judge may choose, and what it is worth."""

    description: Optional[str] = None
    "When the judge should choose it."
    label: str
    "The label, unique within its rubric."
    value: float
    "The score that the label stands for."


class RunnerTargetInput(BaseModel):
    """Outside programs that lease trials over this API under one name, and report them."""

    name: str
    "The name that runners give when they lease trials."


class StringCheckInput(BaseModel):
    """1 where two rendered texts stand in a relation, else 0."""

    left: str
    "The left text: a Jinja template; `item` is the task's content (`item.reference.expected`, or `item.expected`), `sample` is the answer (`sample.output_text`)."
    operation: StringOperation
    "The relation."
    right: str
    "The right text, a template over the same values."


class SubmitJobInput(BaseModel):
    """A job to submit. Exactly one of `taskset`, `tasks` and `dataset` is its source."""

    dataset: Optional["DatasetInput"] = None
    "Dataset rows, stored with the job alone."
    description: Optional[str] = None
    "What it is for, at most 1000 characters."
    exclude: Optional[list[str]] = None
    "Then without the tasks of these names."
    fail_fast: bool = Field(alias="failFast", default=False)
    "Whether the first failure ends the job."
    idempotency_key: Optional[str] = Field(alias="idempotencyKey", default=None)
    "Submitting again with the same key and input answers the same job; another input is a CONFLICT."
    labels: Optional[Any] = None
    "Free annotations, a JSON object; absent means {}."
    limit: Optional[int] = None
    "Then only so many of the first."
    max_attempts: int = Field(alias="maxAttempts", default=3)
    "Attempts a trial, lost ones included, 1 to 100."
    max_concurrency: int = Field(alias="maxConcurrency", default=4)
    "Trials that run at once, 1 to 1000."
    name: Optional[str] = None
    "The name, unique among the workspace's jobs; absent generates `<source>-<8 characters>`."
    only: Optional[list[str]] = None
    "Only the tasks of these names, in the source's order."
    project: Optional[str] = None
    "A free label to group records by."
    repeats: int = 1
    "Trials a task, 1 to 1000."
    target: Optional["TargetInput"] = None
    "Who produces the trials; may be absent for dataset rows that carry their outputs."
    tasks: Optional[list["InlineTaskInput"]] = None
    "One-off tasks, stored with the job alone."
    taskset: Optional[str] = None
    "A stored taskset: `name` or `workspace/name`, bare, with `#tag` or with `#digest`."
    timeout_seconds: float = Field(alias="timeoutSeconds", default=600)
    "Seconds that one attempt may take."
    workspace: str = "default"
    "The workspace that it shall belong to."


class SyncTasksetInput(BaseModel):
    """A file of tasks, and the taskset that shall be equal to it."""

    description: Optional[str] = None
    "What the taskset is for; absent keeps it, null clears it."
    dry_run: bool = Field(alias="dryRun", default=False)
    "Answer the plan, and write nothing."
    files_ref: Optional[str] = Field(alias="filesRef", default=None)
    "Files of the taskset, `workspace/fileset#path`; absent keeps them, null clears them."
    metadata: Optional[list["MetadataItemInput"]] = None
    "Annotations of the taskset; absent keeps them, null clears them."
    name: str
    "The name of the taskset, which need not exist."
    plan_digest: Optional[str] = Field(alias="planDigest", default=None)
    "Apply exactly the plan that was shown under this digest: CONFLICT if anything that it rests on has moved since, with the new plan in the payload."
    project: Optional[str] = None
    "The label of the taskset; absent keeps it, null clears it."
    remove_missing: bool = Field(alias="removeMissing", default=False)
    "Take members that the file does not name out of the taskset; no task is deleted. Else they stay, pinned as they are."
    tasks: list["NamedTaskInput"]
    "The tasks in the order wanted, at most 10,000; each is pinned at this content."
    tasks_blob: Optional[str] = Field(alias="tasksBlob", default=None)
    "The tasks as a blob, for files over 16 MiB; `tasks` is empty then. The SHA-256 of a text that was uploaded to `/blobs/{sha256}` in this workspace, on each line a JSON object of the form NamedTaskInput."
    workspace: str = "default"
    "The workspace of the taskset."


class TagTaskInput(BaseModel):
    """A tag of a task to point at a revision."""

    expected_digest: Optional[str] = Field(alias="expectedDigest", default=None)
    "Go on only if the tag points at this digest (null: does not exist); absent means go on anyway."
    name: str
    "The name of the task."
    revision: "RevisionSelector"
    "The revision that it shall point at."
    tag: str
    "1 to 255 letters, digits, `_`, `-` or `.`; not `latest`, and not of the form of a digest."
    workspace: str = "default"
    "The workspace that it belongs to."


class TagTasksetInput(BaseModel):
    """A tag of a taskset to point at a revision."""

    expected_digest: Optional[str] = Field(alias="expectedDigest", default=None)
    "Go on only if the tag points at this digest (null: does not exist); absent means go on anyway."
    name: str
    "The name of the taskset."
    revision: "RevisionSelector"
    "The revision that it shall point at."
    tag: str
    "1 to 255 letters, digits, `_`, `-` or `.`; not `latest`, and not of the form of a digest."
    workspace: str = "default"
    "The workspace that it belongs to."


class TargetInput(BaseModel):
    """Who produces the trials: exactly one of the kinds."""

    agent: Optional["AgentTargetInput"] = None
    "An HTTP endpoint is asked by a worker."
    model: Optional["ModelTargetInput"] = None
    "A model is asked by a worker."
    outputs: Optional[list["OutputInput"]] = None
    "Outputs that exist already are scored, nothing is called; what is missing failed, NO_OUTPUT."
    runner: Optional["RunnerTargetInput"] = None
    "Outside programs lease and report them."


class TaskFilter(BaseModel):
    """Which tasks a list should hold; all conditions must be met."""

    created_at: Optional["DateRange"] = Field(alias="createdAt", default=None)
    "When the record was created."
    kind: Optional[TaskKind] = None
    "The kind of the latest revision."
    metadata: Optional[list["MetadataMatch"]] = None
    "Metadata that the latest revision must have; all of the conditions must hold."
    metric: Optional[str] = None
    "A metric that the latest revision names: `name` (of the same workspace) or `workspace/name`."
    name_contains: Optional[str] = Field(alias="nameContains", default=None)
    "Part of the name, case-sensitive."
    name_prefix: Optional[str] = Field(alias="namePrefix", default=None)
    "Beginning of the name, case-sensitive."
    project: Optional[str] = None
    "The project label, whole."
    tag: Optional[str] = None
    "A tag that the record must have."
    updated_at: Optional["DateRange"] = Field(alias="updatedAt", default=None)
    "When the record was last published or tagged."


class TaskInput(BaseModel):
    """The content of a task, at most 8 MiB as canonical text."""

    metadata: list["MetadataItemInput"] = Field(default_factory=lambda: [])
    "Annotations with unique keys; their order is part of the digest."
    spec: "TaskSpecInput"
    "What the task asks for."
    tags: list[str] = Field(default_factory=lambda: [])
    "Tags to point at this revision, at most 1000 a record; they are not part of the digest."


class TaskInputsInput(BaseModel):
    """What an agent shall be given beside the prompt."""

    extra: Optional[Any] = None
    "Further values for templates, a JSON object without the key `instruction`; absent means {}."
    instruction: Optional[str] = None
    "The prompt; absent means the intent is the prompt."


class TaskSpecInput(BaseModel):
    """What a task asks for: exactly one of the kinds."""

    evaluator: Optional["EvaluatorTaskSpecInput"] = None
    "A prompt scored by metrics."
    harbor: Optional["HarborTaskSpecInput"] = None
    "A packaged task directory."
    template: Optional["TemplateTaskSpecInput"] = None
    "A template of an environment."


class TasksetFilter(BaseModel):
    """Which tasksets a list should hold; all conditions must be met."""

    created_at: Optional["DateRange"] = Field(alias="createdAt", default=None)
    "When the record was created."
    metadata: Optional[list["MetadataMatch"]] = None
    "Metadata that the latest revision must have; all of the conditions must hold."
    name_contains: Optional[str] = Field(alias="nameContains", default=None)
    "Part of the name, case-sensitive."
    name_prefix: Optional[str] = Field(alias="namePrefix", default=None)
    "Beginning of the name, case-sensitive."
    project: Optional[str] = None
    "The project label, whole."
    tag: Optional[str] = None
    "A tag that the record must have."
    updated_at: Optional["DateRange"] = Field(alias="updatedAt", default=None)
    "When the record was last published or tagged."


class TasksetInput(BaseModel):
    """The content of a taskset."""

    description: Optional[str] = None
    "What it is for, at most 1000 characters."
    files_ref: Optional[str] = Field(alias="filesRef", default=None)
    "Files that belong to it: `workspace/fileset#path`."
    metadata: list["MetadataItemInput"] = Field(default_factory=lambda: [])
    "Annotations with unique keys; their order is part of the digest."
    tags: list[str] = Field(default_factory=lambda: [])
    "Tags to point at this revision, at most 1000 a record; they are not part of the digest."
    tasks: list[str] = Field(default_factory=lambda: [])
    "References of its members in order, at most 10,000, each task once: `name`, `workspace/name`, either with `#tag` or `#digest`. What they name now is pinned."


class TemplateTaskSpecInput(BaseModel):
    """A task to be written: a template of an environment, bound to arguments."""

    agent_config: Optional[Any] = Field(alias="agentConfig", default=None)
    "Settings for the agent, a JSON object."
    args: Optional[Any] = None
    "The arguments, a JSON object; absent means {}."
    env: str
    "The environment, not empty."
    runtime_config: Optional[Any] = Field(alias="runtimeConfig", default=None)
    "Settings for the runtime, a JSON object."
    template: str
    "The template within the environment, not empty."
    validation: Optional[Any] = None
    "How the outcome is validated, any JSON."


class TextMatchInput(BaseModel):
    """A comparison of one reference text with the answer."""

    candidate: Optional[str] = None
    "What is scored: a Jinja template; `item` is the task's content (`item.reference.expected`, or `item.expected`), `sample` is the answer (`sample.output_text`). Absent means the answer's text."
    reference: str
    "The expected text: a Jinja template; `item` is the task's content (`item.reference.expected`, or `item.expected`), `sample` is the answer (`sample.output_text`)."


class ToolCallingInput(BaseModel):
    """Compares the tool calls of an answer with the expected ones, in any order."""

    reference: str
    "The expected tool calls: a template that renders to a JSON list."


class TrialErrorInput(BaseModel):
    """Why an attempt went wrong, as a runner reports it."""

    message: str
    "What happened, at most 65536 characters."
    type_: str = Field(alias="type")
    "A short type to count by, 1 to 255 characters."


class TrialFilter(BaseModel):
    """Which trials a list should hold; all conditions must be met."""

    repeat: Optional[int] = None
    "Trials of this repeat, from 0."
    status: Optional[list[TrialStatus]] = None
    "Trials that stand at one of these."
    task_name: Optional[str] = Field(alias="taskName", default=None)
    "Trials of the task of this name."


class UntagTaskInput(BaseModel):
    """A tag of a task to remove."""

    expected_digest: Optional[str] = Field(alias="expectedDigest", default=None)
    "Go on only if the tag points at this digest (null: does not exist); absent means go on anyway."
    name: str
    "The name of the task."
    tag: str
    "The tag; not `latest`, which cannot be removed."
    workspace: str = "default"
    "The workspace that it belongs to."


class UntagTasksetInput(BaseModel):
    """A tag of a taskset to remove."""

    expected_digest: Optional[str] = Field(alias="expectedDigest", default=None)
    "Go on only if the tag points at this digest (null: does not exist); absent means go on anyway."
    name: str
    "The name of the taskset."
    tag: str
    "The tag; not `latest`, which cannot be removed."
    workspace: str = "default"
    "The workspace that it belongs to."


class UsageInput(BaseModel):
    """What an attempt consumed, as a runner reports it."""

    cost_usd: Optional[float] = Field(alias="costUsd", default=None)
    "US dollars."
    input_tokens: Optional[int] = Field(alias="inputTokens", default=None)
    "Tokens that went in."
    output_tokens: Optional[int] = Field(alias="outputTokens", default=None)
    "Tokens that came out."


