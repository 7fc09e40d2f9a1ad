"""What outside runners do: lease trials, hold them, report them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from domain.canonical import JSON, canonical_text, digest_of
from domain.errors import Collector, InvalidInput, NotFound, PinsetError
from domain.names import check_name, is_digest
from domain.trials import TrialOutcome, check_outcome
from evaluation.committer import Committers
from evaluation.leases import MAX_LEASES, LeaseToken, check_count, check_seconds, lost, parse_token
from evaluation.plans import CorruptContent, JobPlan, PlannedTask, Plans
from evaluation.scorer import Scorer
from evaluation.targets.model import rendered_prompt
from evaluation.templates import TemplateFailure
from evaluation.transitions import Claim, Extend, Leased, Report
from evaluation.verdicts import Verdict, calls_out
from resolvers.access import Scope, require
from resolvers.context import Context
from resolvers.jobs import missing_job
from resolvers.workspaces import writable
from storage import blobs, jobs, payloads
from storage.driver import ObjectId
from storage.trials import TrialRecord, find_many

_NO_SCORES: Final[Verdict] = Verdict((), {}, None)


@dataclass(frozen=True, slots=True)
class Handout:
    """A lease as a runner receives it: the trial, its task, and what the agent may be asked."""

    leased: Leased
    task: PlannedTask
    prompt: str | None


async def lease_trials(
    context: Context, job: ObjectId | None, workspace: str, runner: str, count: int, seconds: float
) -> list[Handout]:
    """Take waiting trials of one job, or of all jobs of a workspace that wait for this runner.

    Raises Problems, NotFound, Refused, InvalidInput (LIMIT_EXCEEDED) where the workspace runs all that it may. No
    waiting trial is an empty answer.
    """
    problems = Collector()
    problems.attempt(check_name, runner, ("runner",), "runner name")
    problems.attempt(check_count, count)
    problems.attempt(check_seconds, seconds)
    problems.finish()
    workspace, candidates = await _candidates(context, job, workspace, runner)
    left = await context.services.quotas.check_running(workspace, ("count",)) if candidates else None
    count = count if left is None else min(count, left)
    handouts: list[Handout] = []
    for identity in candidates:
        claim = Claim(runner, count - len(handouts), seconds)
        try:
            leased = await context.services.shared(Committers).commit(identity, claim)
        except NotFound:
            if identity == job:
                raise _no_job(context, identity) from None
            continue
        handouts += await _handouts(context, identity, leased)
        if len(handouts) >= count:
            break
    return handouts


async def _candidates(
    context: Context, job: ObjectId | None, workspace: str, runner: str
) -> tuple[str, list[ObjectId]]:
    """The jobs that may have trials for the runner, and their workspace."""
    if job is None:
        await writable(context, workspace, Scope.RUN)
        return workspace, await jobs.for_runner(context.services.database, workspace, runner)
    # The plan is remembered where the job itself would be read again; whether it still exists, the claim finds out.
    plan = await context.services.shared(Plans).find(job)
    if plan is None or not context.viewer.reads(plan.job.workspace):
        raise _no_job(context, job)
    require(context.viewer, Scope.RUN, plan.job.workspace, ("job",))
    return plan.job.workspace, [job]


def _no_job(context: Context, job: ObjectId) -> NotFound:
    context.services.shared(Plans).forget(job)
    return missing_job(job, ("job",))


async def _handouts(context: Context, job: ObjectId, leased: Sequence[Leased]) -> list[Handout]:
    plans = context.services.shared(Plans)
    plan = await plans.find(job)
    if plan is None or not leased:
        return []
    tasks = await plans.tasks(plan, [each.trial.position for each in leased])
    return [
        Handout(each, tasks[each.trial.position], await _prompt(context, plan, tasks[each.trial.position], each))
        for each in leased
        if each.trial.position in tasks
    ]


async def _prompt(context: Context, plan: JobPlan, task: PlannedTask, leased: Leased) -> str | None:
    template = getattr(plan.job.target, "prompt_template", None) or plan.job.prompt_template
    if template is None:
        return task.prompt
    try:
        work = task.work(leased.trial.repeat, leased.trial.id)
        return await rendered_prompt(template, work, await context.services.shared(Scorer).pool())
    except (TemplateFailure, CorruptContent):
        return None


async def extend_leases(context: Context, tokens: Sequence[str], seconds: float) -> tuple[list[str], list[str]]:
    """Hold trials for `seconds` from now: the tokens that still hold, and those that are lost. Raises Problems."""
    problems = Collector()
    problems.attempt(check_seconds, seconds)
    if len(tokens) > MAX_LEASES:
        problems.add(InvalidInput(f"At most {MAX_LEASES:,} leases are extended at once.", ("tokens",)))
    problems.finish()
    extended: set[str] = set()
    for job, held in (await _readable_tokens(context, tokens)).items():
        try:
            extended.update(await context.services.shared(Committers).commit(job, Extend(held, seconds)))
        except NotFound:
            continue
    wanted = list(dict.fromkeys(tokens))
    return [token for token in wanted if token in extended], [token for token in wanted if token not in extended]


async def _readable_tokens(context: Context, tokens: Sequence[str]) -> dict[ObjectId, list[LeaseToken]]:
    """The well-formed tokens by job; those of jobs that the viewer may not run are as lost as any other."""
    grouped: dict[ObjectId, list[LeaseToken]] = {}
    for text in dict.fromkeys(tokens):
        try:
            token = parse_token(text)
        except PinsetError:
            continue
        grouped.setdefault(token.job, []).append(token)
    plans = context.services.shared(Plans)
    found = {job: await plans.find(job) for job in grouped}
    return {
        job: held
        for job, held in grouped.items()
        if (plan := found[job]) is not None and context.viewer.may(Scope.RUN, plan.job.workspace)
    }


async def report_trial(context: Context, lease: str, outcome: TrialOutcome) -> TrialRecord:
    """End an attempt with what it brought back; the same report again answers the same trial.

    Raises Problems for a malformed report, Refused (LEASE_LOST, FORBIDDEN); then nothing was changed.
    """
    token = parse_token(lease)
    plan = await context.services.shared(Plans).find(token.job)
    if plan is None or not context.viewer.reads(plan.job.workspace):
        raise lost()
    require(context.viewer, Scope.RUN, plan.job.workspace, ("lease",))
    check_outcome(outcome)
    await _check_blobs(context, plan, outcome)
    payload = await payloads.store(context.services.database, plan.job.workspace, outcome)
    verdict = await _verdict(context, plan, token, outcome)
    report = Report(token, outcome, payload, fingerprint_of(outcome, payload), verdict)
    try:
        return await context.services.shared(Committers).commit(token.job, report)
    except NotFound:
        raise lost() from None


async def _check_blobs(context: Context, plan: JobPlan, outcome: TrialOutcome) -> None:
    if outcome.output_blob is None and outcome.trajectory_blob is None:
        return
    problems = Collector()
    named = {"outputBlob": outcome.output_blob, "trajectoryBlob": outcome.trajectory_blob}
    for field, inline in (("outputBlob", outcome.output), ("trajectoryBlob", outcome.trajectory)):
        if named[field] is not None and inline is not None:
            message = "Give the content inline or as a blob, not both."
            problems.add(InvalidInput(message, (field,)))
    wanted = {field: blob for field, blob in named.items() if blob is not None}
    for field, blob in wanted.items():
        if not is_digest(blob):
            problems.add(InvalidInput("A blob is named by its SHA-256, 64 lowercase hex digits.", (field,)))
    problems.finish()
    if not wanted:
        return
    missing = await blobs.missing(context.services.database, plan.job.workspace, set(wanted.values()))
    for field, blob in wanted.items():
        if blob in missing:
            message = f"There is no blob {blob} in workspace '{plan.job.workspace}'; upload it first."
            problems.add(NotFound(message, (field,), ref=blob))
        else:
            await blobs.claim(context.services.database, plan.job.workspace, blob)
    problems.finish()


async def _verdict(context: Context, plan: JobPlan, token: LeaseToken, outcome: TrialOutcome) -> Verdict | None:
    """Scores of metrics that call nobody are made here; None leaves the trial to a worker."""
    if not plan.needs_tasks:
        return replace(_NO_SCORES, reward=_reported(outcome))
    trial = (await find_many(context.services.database, [token.trial])).get(token.trial)
    if trial is None or trial.lease is None or trial.lease.token != token.text:
        # Nothing will be written: the transition finds a repetition, or a lease that is lost.
        return _NO_SCORES
    task = await context.services.shared(Plans).task(plan, trial.position)
    if task is None:
        raise lost()
    is_large = outcome.output_blob is not None or outcome.trajectory_blob is not None
    if outcome.has_result and (calls_out(task.metrics) or is_large):
        return None
    return await context.services.shared(Scorer).score(task, trial.repeat, trial.id, outcome)


def _reported(outcome: TrialOutcome) -> float | None:
    reward = outcome.reward_of("reward") if outcome.reward is None else outcome.reward
    return None if reward is None or not outcome.has_result else float(reward)


def fingerprint_of(outcome: TrialOutcome, payload: Mapping[str, Any]) -> str:
    """What tells a report from another one: everything in it but how long it took."""
    error: JSON = None if outcome.error is None else [str(outcome.error.type), outcome.error.message]
    usage = outcome.usage
    spent: JSON = None if usage is None else [usage.input_tokens, usage.output_tokens, usage.cost_usd]
    value: JSON = {
        "payload": dict(payload),
        "reward": outcome.reward,
        "rewards": dict(outcome.rewards or {}),
        "error": error,
        "usage": spent,
    }
    return digest_of(canonical_text(value))
