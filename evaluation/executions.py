"""How a worker comes by the outcome of a trial: it asks the target, or reads what exists already."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from domain.targets import MISSING_OUTPUT, AgentTarget, ModelTarget
from domain.trials import FailureType, TrialError, TrialOutcome
from evaluation.calls import Caller
from evaluation.plans import CorruptContent, JobPlan, PlannedTask
from evaluation.scorer import Scorer
from evaluation.targets.execution import attempt
from storage import payloads, trials
from storage.driver import Document, ObjectId
from storage.payloads import FIELDS, error_record
from storage.services import Services
from storage.trials import TrialRecord

Brought: TypeAlias = tuple[TrialOutcome, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Execution:
    """One attempt to come: its task, and what brings its outcome together with the stored form of its contents."""

    task: PlannedTask
    attempt: Callable[[Services], Awaitable[Brought]]


def target_execution(
    target: ModelTarget | AgentTarget, plan: JobPlan, trial: TrialRecord, task: PlannedTask, outgoing: Caller
) -> Execution:
    """Ask the target within the job's time."""

    async def ask(services: Services) -> Brought:
        try:
            work = task.work(trial.repeat, trial.id)
        except CorruptContent as error:
            return _failed(FailureType.INVALID_ANSWER, str(error))
        pool = await services.shared(Scorer).pool()
        seconds = plan.job.options.timeout_seconds
        outcome = await attempt(target, work, plan.job.prompt_template, seconds, pool, outgoing)
        return outcome, await payloads.store(services.database, plan.job.workspace, outcome)

    return Execution(task, ask)


async def given_executions(
    services: Services, wanted: Sequence[tuple[TrialRecord, PlannedTask]]
) -> dict[ObjectId, Execution]:
    """Outputs that were handed in with the job, read in one query; a trial without one fails, NO_OUTPUT."""
    found = await trials.given(services.database, [trial.id for trial, _ in wanted])
    return {trial.id: Execution(task, _given(found.get(trial.id))) for trial, task in wanted}


def _given(document: Document | None) -> Callable[[Services], Awaitable[Brought]]:
    async def read(services: Services) -> Brought:
        if document is None:
            return MISSING_OUTPUT, {}
        loaded = await payloads.load(services.database, document)
        outcome = TrialOutcome(
            output=loaded.output,
            response=loaded.response,
            trajectory=loaded.trajectory,
            reward=document["reward"],
            error=error_record(document["error"]),
        )
        return outcome, _stored(document)

    return read


def scoring_execution(trial: TrialRecord, task: PlannedTask) -> Execution:
    """What a runner reported, read again in order to be scored."""

    async def read(services: Services) -> Brought:
        last = trial.last
        contents = {found: attempts async for found, attempts in trials.payloads(services.database, [trial.id])}
        loaded = None if last is None else contents.get(trial.id, {}).get(last.number)
        if last is None or loaded is None:
            return MISSING_OUTPUT, {}
        outcome = TrialOutcome(
            output=loaded.output,
            response=loaded.response,
            trajectory=loaded.trajectory,
            reward=last.reported_reward,
            rewards=last.rewards,
            error=last.error,
        )
        return outcome, {}

    return Execution(task, read)


def _stored(document: Mapping[str, Any]) -> dict[str, Any]:
    return {field: document.get(field) for field in FIELDS}


def _failed(type: FailureType, message: str) -> Brought:
    return TrialOutcome(error=TrialError(type.value, message)), {}
