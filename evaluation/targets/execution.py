"""One attempt at a trial by a target that is called: the dispatch over its kinds."""

from domain.targets import AgentTarget, ModelTarget
from domain.trials import TrialOutcome
from evaluation.calls import Caller
from evaluation.rows import Work
from evaluation.scoring import ScoringPool
from evaluation.targets.agent import ask_agent
from evaluation.targets.model import ask_model


async def attempt(
    target: ModelTarget | AgentTarget,
    work: Work,
    prompt_template: str | None,
    timeout_seconds: float,
    pool: ScoringPool,
    outgoing: Caller,
) -> TrialOutcome:
    """One attempt; never raises for what a target does. `error.is_lost` says whether a new attempt may follow.

    `prompt_template` is a dataset's; `timeout_seconds` bound the attempt, retries within it included.
    """
    match target:
        case ModelTarget():
            return await ask_model(target, work, prompt_template, timeout_seconds, pool, outgoing)
        case AgentTarget():
            return await ask_agent(target, work, prompt_template, timeout_seconds, pool, outgoing)
