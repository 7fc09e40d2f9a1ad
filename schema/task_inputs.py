"""Task content as a client writes it, and its translation to the domain's drafts."""

import strawberry

from domain.content import EvaluatorDraft, HarborDraft, SpecDraft, TaskDraft, TemplateDraft
from schema.revisions import MetadataItemInput, metadata_drafts
from schema.scalars import JSON


@strawberry.input(description="What an agent shall be given beside the prompt.")
class TaskInputsInput:
    instruction: str | None = strawberry.field(description="The prompt; absent means the intent is the prompt.")
    extra: JSON | None = strawberry.field(
        description="Further values for templates, a JSON object without the key `instruction`; absent means {}."
    )


@strawberry.input(description="A task to be written: a prompt with a reference, scored by metrics.")
class EvaluatorTaskSpecInput:
    intent: str = strawberry.field(description="What the task wants, in words; the prompt where there is no other.")
    inputs: TaskInputsInput | None = strawberry.field(description="What an agent is given.")
    reference: JSON | None = strawberry.field(
        description="The truth for graders, a JSON object, never sent to an agent; absent means {}."
    )
    metrics: list[str] = strawberry.field(
        default_factory=list,
        description="References of the metrics that score it, `name` or `workspace/name`; they must exist.",
    )
    views: JSON | None = strawberry.field(
        description=(
            "Named roll-ups of metric outputs: a JSON object of `{reducer, signals: [{metric, output, weight}]}` by "
            "name, reducer single, all, any, mean or weighted_mean; absent means {}."
        )
    )


@strawberry.input(description="A task to be written: a packaged task directory.")
class HarborTaskSpecInput:
    archive_ref: str = strawberry.field(description="Where the package is: `workspace/fileset#path`.")
    archive_digest: str = strawberry.field(description="SHA-256 of the package, 64 lowercase hex digits.")
    instruction: str | None = strawberry.field(description="What an agent is asked; absent means the package says.")
    config: JSON | None = strawberry.field(
        description="Settings for the runner, a JSON object outside the digest; absent means {}."
    )


@strawberry.input(description="A task to be written: a template of an environment, bound to arguments.")
class TemplateTaskSpecInput:
    env: str = strawberry.field(description="The environment, not empty.")
    template: str = strawberry.field(description="The template within the environment, not empty.")
    args: JSON | None = strawberry.field(description="The arguments, a JSON object; absent means {}.")
    agent_config: JSON | None = strawberry.field(description="Settings for the agent, a JSON object.")
    runtime_config: JSON | None = strawberry.field(description="Settings for the runtime, a JSON object.")
    validation: JSON | None = strawberry.field(description="How the outcome is validated, any JSON.")


@strawberry.input(one_of=True, description="What a task asks for: exactly one of the kinds.")
class TaskSpecInput:
    evaluator: EvaluatorTaskSpecInput | None = strawberry.field(description="A prompt scored by metrics.")
    harbor: HarborTaskSpecInput | None = strawberry.field(description="A packaged task directory.")
    template: TemplateTaskSpecInput | None = strawberry.field(description="A template of an environment.")


@strawberry.input(description="The content of a task, at most 8 MiB as canonical text.")
class TaskInput:
    spec: TaskSpecInput = strawberry.field(description="What the task asks for.")
    metadata: list[MetadataItemInput] = strawberry.field(
        default_factory=list, description="Annotations with unique keys; their order is part of the digest."
    )
    tags: list[str] = strawberry.field(
        default_factory=list,
        description="Tags to point at this revision, at most 1000 a record; they are not part of the digest.",
    )


def task_draft(input: TaskInput) -> TaskDraft:
    """The draft of a task."""
    return TaskDraft(_spec_draft(input.spec), metadata_drafts(input.metadata), input.tags)


def _spec_draft(spec: TaskSpecInput) -> SpecDraft:
    if spec.evaluator is not None:
        return _evaluator_draft(spec.evaluator)
    if spec.harbor is not None:
        harbor = spec.harbor
        return HarborDraft(harbor.archive_ref, harbor.archive_digest, harbor.instruction, harbor.config)
    template = spec.template
    assert template is not None, "GraphQL has checked that exactly one field is set"
    return TemplateDraft(
        template.env,
        template.template,
        args=template.args,
        agent_config=template.agent_config,
        runtime_config=template.runtime_config,
        validation=template.validation,
    )


def _evaluator_draft(spec: EvaluatorTaskSpecInput) -> EvaluatorDraft:
    return EvaluatorDraft(
        intent=spec.intent,
        instruction=spec.inputs.instruction if spec.inputs else None,
        extra=spec.inputs.extra if spec.inputs else None,
        reference=spec.reference,
        metrics=spec.metrics,
        views=spec.views,
    )
