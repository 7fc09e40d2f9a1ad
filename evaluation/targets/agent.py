"""Agent targets: a POST of a rendered body, its answer read by JSONPath."""

import json

from domain.canonical import JSON
from domain.targets import AgentTarget
from domain.trials import FailureType, TrialError, TrialOutcome
from evaluation.calls import Answer, Call, Caller, OutgoingFailure
from evaluation.chat import read_usage
from evaluation.paths import PathFailure
from evaluation.rows import Work
from evaluation.scoring import ScoringPool
from evaluation.targets.model import rendered_prompt
from evaluation.templates import TemplateFailure


async def ask_agent(
    target: AgentTarget, work: Work, template: str | None, seconds: float, pool: ScoringPool, outgoing: Caller
) -> TrialOutcome:
    """Ask the agent and say what came of it. In the body, `prompt` is what a model would be asked."""
    try:
        prompt = await rendered_prompt(template, work, pool)
        body = await pool.render(target.body, work, extra={} if prompt is None else {"prompt": prompt})
        answer = await outgoing.post(Call(target.url, body, target.api_key_secret, seconds))
        return await _outcome(target, answer, pool)
    except TemplateFailure as failure:
        return TrialOutcome(error=TrialError(FailureType.TEMPLATE_ERROR.value, str(failure)))
    except OutgoingFailure as failure:
        return TrialOutcome(error=failure.error)


async def _outcome(target: AgentTarget, answer: Answer, pool: ScoringPool) -> TrialOutcome:
    try:
        found = await pool.find(target.response_path, answer.value)
    except PathFailure as failure:
        raise OutgoingFailure(FailureType.INVALID_ANSWER, str(failure)) from None
    return TrialOutcome(
        output=found if isinstance(found, str) else json.dumps(found, ensure_ascii=False),
        response=answer.value,
        trajectory=await _trajectory(target, answer, pool),
        usage=read_usage(answer.value),
        latency_ms=answer.latency_ms,
    )


async def _trajectory(target: AgentTarget, answer: Answer, pool: ScoringPool) -> JSON:
    if target.trajectory_path is None:
        return None
    try:
        return await pool.find(target.trajectory_path, answer.value)
    except PathFailure:
        return None  # an agent that tells nothing about its way has still answered
