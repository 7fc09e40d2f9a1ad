"""What a task asks for: the three kinds of specification, as they are read from stored content."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import strawberry

from domain.content import INSTRUCTION
from schema import metrics
from schema.enums import TaskKind
from schema.loading import then
from schema.scalars import JSON
from schema.selection import Info

if TYPE_CHECKING:
    from schema.metrics import Metric


@strawberry.interface(description="What a task asks for; `kind` says which of the types it is.")
class TaskSpec:
    kind: TaskKind = strawberry.field(description="The kind of work.")


@strawberry.type(description="What an agent is given beside the prompt.")
class TaskInputs:
    instruction: str | None = strawberry.field(description="The prompt; null means the intent is the prompt.")
    extra: JSON = strawberry.field(description="Further values for templates, a JSON object without `instruction`.")


@strawberry.type(description="A metric that scores a task.")
class MetricBinding:
    ref: str = strawberry.field(description="The reference as it is hashed: `workspace/name`.")

    @strawberry.field(description="The metric itself, retired or not; null where the token may not read it.")
    def metric(self, info: Info) -> Annotated["Metric", strawberry.lazy("schema.metrics")] | None:
        return then(
            info.context.loaders.metric.load(self.ref),
            lambda record: None if record is None else metrics.present_metric(record),
        )


@strawberry.type(description="A prompt with a reference, scored by metrics.")
class EvaluatorTaskSpec(TaskSpec):
    intent: str = strawberry.field(description="What the task wants, in words.")
    prompt: str = strawberry.field(description="What an agent is asked: `inputs.instruction`, or the intent.")
    inputs: TaskInputs = strawberry.field(description="What an agent is given.")
    reference: JSON = strawberry.field(description="The truth for graders, a JSON object; never sent to an agent.")
    metrics: list[MetricBinding] = strawberry.field(description="The metrics that score it, in order.")
    views: JSON = strawberry.field(description="Named roll-ups of metric outputs, a JSON object by name.")


@strawberry.type(description="A packaged task directory.")
class HarborTaskSpec(TaskSpec):
    archive_ref: str = strawberry.field(description="Where the package is: `workspace/fileset#path`.")
    archive_digest: str = strawberry.field(description="SHA-256 of the package, 64 lowercase hex digits.")
    instruction: str | None = strawberry.field(description="What an agent is asked; null means the package says.")
    config: JSON = strawberry.field(description="Settings for the runner, a JSON object; outside the digest.")


@strawberry.type(description="One row of a HUD taskset: a template of an environment, bound to arguments.")
class TemplateTaskSpec(TaskSpec):
    env: str = strawberry.field(description="The environment.")
    template: str = strawberry.field(description="The template within the environment.")
    args: JSON = strawberry.field(description="The arguments, a JSON object.")
    agent_config: JSON | None = strawberry.field(description="Settings for the agent, a JSON object.")
    runtime_config: JSON | None = strawberry.field(description="Settings for the runtime, a JSON object.")
    validation: JSON | None = strawberry.field(description="How the outcome is validated.")


def present_spec(content: Mapping[str, Any], config: str | None) -> TaskSpec:
    """The specification in stored task content; `config` is a harbor task's configuration as canonical text."""
    spec = content["spec"]
    match TaskKind(spec["kind"]):
        case TaskKind.EVALUATOR:
            return _evaluator(spec)
        case TaskKind.HARBOR:
            return _harbor(spec, config)
        case TaskKind.TEMPLATE:
            return _template(spec)


def _evaluator(spec: Mapping[str, Any]) -> EvaluatorTaskSpec:
    extra = dict(spec["inputs"])
    instruction = extra.pop(INSTRUCTION, None)
    return EvaluatorTaskSpec(
        kind=TaskKind.EVALUATOR,
        intent=spec["intent"],
        prompt=spec["intent"] if instruction is None else instruction,
        inputs=TaskInputs(instruction=instruction, extra=JSON(extra)),
        reference=spec["reference"],
        metrics=[MetricBinding(ref=ref) for ref in spec["metrics"]],
        views=spec["views"],
    )


def _harbor(spec: Mapping[str, Any], config: str | None) -> HarborTaskSpec:
    return HarborTaskSpec(
        kind=TaskKind.HARBOR,
        archive_ref=spec["archive_ref"],
        archive_digest=spec["archive_digest"],
        instruction=spec["instruction"],
        config=JSON({} if config is None else json.loads(config)),
    )


def _template(spec: Mapping[str, Any]) -> TemplateTaskSpec:
    return TemplateTaskSpec(
        kind=TaskKind.TEMPLATE,
        env=spec["env"],
        template=spec["template"],
        args=spec["args"],
        agent_config=spec["agent_config"],
        runtime_config=spec["runtime_config"],
        validation=spec["validation"],
    )


SPEC_TYPES = (EvaluatorTaskSpec, HarborTaskSpec, TemplateTaskSpec)
