"""A job as a client submits it, and its translation to the use case."""

from enum import Enum
from typing import Any

import strawberry

from domain.canonical import JSON as Value
from domain.jobs import JobOptions
from domain.names import DEFAULT_WORKSPACE
from resolvers.submission import Dataset, InlineTask, SubmitJob, fingerprint_of
from schema.enums import TargetKind
from schema.metric_inputs import ModelInput, configuration
from schema.scalars import JSON
from schema.task_inputs import TaskInput, task_draft


@strawberry.input(description="A model behind an OpenAI-compatible chat completions API.")
class ModelTargetInput:
    model: ModelInput = strawberry.field(description="Which model, and where.")
    prompt_template: str | None = strawberry.field(
        description="A Jinja template of the prompt over the task's `item`; absent means the task's own prompt."
    )
    system_prompt: str | None = strawberry.field(description="The system prompt; absent means none.")
    temperature: float | None = strawberry.field(description="0 to 2; absent leaves it to the server.")
    max_tokens: int | None = strawberry.field(description="How much it may answer; absent leaves it to the server.")


@strawberry.input(description="An HTTP endpoint that answers one POST a trial.")
class AgentTargetInput:
    url: str = strawberry.field(description="Where to POST, http:// or https://.")
    name: str = strawberry.field(description="The name by which its jobs are found.")
    body: JSON = strawberry.field(description="The JSON to send; texts in it are Jinja templates over `item`.")
    response_path: str = strawberry.field(description="JSONPath of the answer's text.")
    trajectory_path: str | None = strawberry.field(description="JSONPath of the trajectory; absent means none.")
    api_key_secret: str | None = strawberry.field(
        description="Name of a secret on the worker, never the secret itself: `X` reads `PINSET_SECRET_X`."
    )


@strawberry.input(description="An output that exists already, for one repeat of one task.")
class OutputInput:
    task: str = strawberry.field(description="The name of the task within the job.")
    repeat: int = strawberry.field(default=0, description="Which repeat, from 0.")
    output: str | None = strawberry.field(description="The text that was produced.")
    response: JSON | None = strawberry.field(description="The whole answer, any JSON.")
    trajectory: JSON | None = strawberry.field(description="The steps that led to it, any JSON.")
    reward: float | None = strawberry.field(description="The reward, where it is known already.")
    error: str | None = strawberry.field(description="What went wrong; without any result the trial failed.")


@strawberry.input(description="Outside programs that lease trials over this API under one name, and report them.")
class RunnerTargetInput:
    name: str = strawberry.field(description="The name that runners give when they lease trials.")


@strawberry.input(one_of=True, description="Who produces the trials: exactly one of the kinds.")
class TargetInput:
    model: ModelTargetInput | None = strawberry.field(description="A model is asked by a worker.")
    agent: AgentTargetInput | None = strawberry.field(description="An HTTP endpoint is asked by a worker.")
    outputs: list[OutputInput] | None = strawberry.field(
        description="Outputs that exist already are scored, nothing is called; what is missing failed, NO_OUTPUT."
    )
    runner: RunnerTargetInput | None = strawberry.field(description="Outside programs lease and report them.")


@strawberry.input(description="A task that exists only within its job.")
class InlineTaskInput:
    name: str = strawberry.field(description="The name, unique within the job.")
    task: TaskInput = strawberry.field(description="The content; tags have no effect.")


@strawberry.input(description="Rows to evaluate, all by the same metrics; a row is what templates see as `item`.")
class DatasetInput:
    rows: list[JSON] = strawberry.field(
        description=(
            "The rows, any JSON. One with `output`, `output_text` or `response` carries its output and can be scored "
            "without a target."
        )
    )
    metrics: list[str] = strawberry.field(description="References of the metrics, `name` or `workspace/name`.")
    prompt_template: str | None = strawberry.field(
        description="A Jinja template of the prompt, rendered over each row; needed for a model target."
    )
    name_field: str | None = strawberry.field(
        description="The field that holds a row's name; absent names rows by their place: `row-1`, `row-2` and so on."
    )


@strawberry.input(description="A job to submit. Exactly one of `taskset`, `tasks` and `dataset` is its source.")
class SubmitJobInput:
    workspace: str = strawberry.field(default=DEFAULT_WORKSPACE, description="The workspace that it shall belong to.")
    name: str | None = strawberry.field(
        description="The name, unique among the workspace's jobs; absent generates `<source>-<8 characters>`."
    )
    project: str | None = strawberry.field(description="A free label to group records by.")
    description: str | None = strawberry.field(description="What it is for, at most 1000 characters.")
    labels: JSON | None = strawberry.field(description="Free annotations, a JSON object; absent means {}.")
    taskset: str | None = strawberry.field(
        description="A stored taskset: `name` or `workspace/name`, bare, with `#tag` or with `#digest`."
    )
    tasks: list[InlineTaskInput] | None = strawberry.field(description="One-off tasks, stored with the job alone.")
    dataset: DatasetInput | None = strawberry.field(description="Dataset rows, stored with the job alone.")
    only: list[str] | None = strawberry.field(description="Only the tasks of these names, in the source's order.")
    exclude: list[str] | None = strawberry.field(description="Then without the tasks of these names.")
    limit: int | None = strawberry.field(description="Then only so many of the first.")
    target: TargetInput | None = strawberry.field(
        description="Who produces the trials; may be absent for dataset rows that carry their outputs."
    )
    repeats: int = strawberry.field(default=1, description="Trials a task, 1 to 1000.")
    max_concurrency: int = strawberry.field(default=4, description="Trials that run at once, 1 to 1000.")
    timeout_seconds: float = strawberry.field(default=600, description="Seconds that one attempt may take.")
    max_attempts: int = strawberry.field(default=3, description="Attempts a trial, lost ones included, 1 to 100.")
    fail_fast: bool = strawberry.field(default=False, description="Whether the first failure ends the job.")
    idempotency_key: str | None = strawberry.field(
        description="Submitting again with the same key and input answers the same job; another input is a CONFLICT."
    )


def submission(input: SubmitJobInput) -> SubmitJob:
    """The job to submit."""
    dataset = input.dataset
    return SubmitJob(
        workspace=input.workspace,
        fingerprint="" if input.idempotency_key is None else fingerprint_of(_plain(input)),
        name=input.name,
        project=input.project,
        description=input.description,
        labels=input.labels,
        taskset=input.taskset,
        tasks=None if input.tasks is None else [InlineTask(each.name, task_draft(each.task)) for each in input.tasks],
        dataset=None
        if dataset is None
        else Dataset(dataset.rows, dataset.metrics, dataset.prompt_template, dataset.name_field),  # type: ignore[arg-type]
        only=input.only,
        exclude=input.exclude,
        limit=input.limit,
        target=None if input.target is None else _target(input.target),
        options=JobOptions(
            repeats=input.repeats,
            max_concurrency=input.max_concurrency,
            timeout_seconds=input.timeout_seconds,
            max_attempts=input.max_attempts,
            fail_fast=input.fail_fast,
        ),
        idempotency_key=input.idempotency_key,
    )


def _target(input: TargetInput) -> tuple[TargetKind, dict[str, Any]]:
    """The kind of the one field that was filled, and its snake_case fields."""
    for kind in TargetKind:
        value = getattr(input, kind.lower())
        if value is not None:
            fields = configuration(value)
            return kind, {"outputs": fields} if kind is TargetKind.OUTPUTS else fields
    raise AssertionError("GraphQL has checked that exactly one field is set")


def _plain(value: object) -> Value:
    """The whole input as JSON, an absent field as null: what an idempotency key stands for."""
    if hasattr(value, "__strawberry_definition__"):
        return {name: _plain(item) for name, item in vars(value).items()}
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return None if value is strawberry.UNSET else value  # type: ignore[return-value]
