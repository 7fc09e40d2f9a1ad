"""Model targets: one prompt, one chat completion."""

from typing import cast

from domain.canonical import JSON
from domain.targets import ModelTarget
from domain.trials import FailureType, TrialError, TrialOutcome
from evaluation.calls import Call, Caller, OutgoingFailure
from evaluation.chat import completions_url, messages, read_completion
from evaluation.rows import Work, prompt_of
from evaluation.scoring import ScoringPool
from evaluation.templates import TemplateFailure


async def rendered_prompt(template: str | None, work: Work, pool: ScoringPool) -> str | None:
    """What to ask: the template over the row where there is one, else the task's own prompt.

    Raises TemplateFailure.
    """
    if template is None:
        return prompt_of(work)
    return cast(str, await pool.render(template, work))


async def ask_model(
    target: ModelTarget, work: Work, template: str | None, seconds: float, pool: ScoringPool, outgoing: Caller
) -> TrialOutcome:
    """Ask the model and say what came of it; `template` is the dataset's, which the target's own goes before."""
    try:
        prompt = await rendered_prompt(target.prompt_template or template, work, pool)
        if prompt is None:
            raise TemplateFailure("There is no prompt: give the target a `promptTemplate`")
        answer = await outgoing.post(
            Call(completions_url(target.model.url), _body(target, prompt), target.model.api_key_secret, seconds)
        )
        completion = read_completion(answer.value)
    except TemplateFailure as failure:
        return TrialOutcome(error=TrialError(FailureType.TEMPLATE_ERROR.value, str(failure)))
    except OutgoingFailure as failure:
        return TrialOutcome(error=failure.error)
    return TrialOutcome(
        output=completion.text, response=answer.value, usage=completion.usage, latency_ms=answer.latency_ms
    )


def _body(target: ModelTarget, prompt: str) -> JSON:
    body: dict[str, JSON] = {"model": target.model.name, "messages": messages(prompt, target.system_prompt)}
    if target.temperature is not None:
        body["temperature"] = target.temperature
    if target.max_tokens is not None:
        body["max_tokens"] = target.max_tokens
    return body
