"""What outside runners do: lease trials, hold them, report them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import strawberry

from domain import trials as domain
from domain.content import TaskKind
from domain.errors import InvalidInput, RevisionCorrupt
from domain.names import DEFAULT_WORKSPACE
from resolvers import leases as use_cases
from resolvers.leases import Handout
from schema import task_specs
from schema.errors import UserError, answer
from schema.job_mutations import known_job
from schema.scalars import JSON, BigInt
from schema.selection import Info
from schema.task_specs import EvaluatorTaskSpec, MetricBinding, TaskInputs
from schema.trials import Trial, present_trial

if TYPE_CHECKING:
    from schema.task_specs import TaskSpec

_ERRORS = "Why nothing was changed; empty on success."
_SECONDS = "How long the leases shall hold, above 0 and at most 3600 seconds."


@strawberry.type(
    description=(
        "A trial handed out to a runner, with everything needed to execute it. The reference in `spec` is for graders: "
        "do not pass it on to the agent."
    )
)
class Lease:
    handout: strawberry.Private[Handout]

    token: str = strawberry.field(description="What proves the lease; sent with its report. Valid once.")
    expires_at: datetime = strawberry.field(description="When the lease is lost unless it is extended or reported.")
    trial: Trial = strawberry.field(description="The trial.")
    prompt: str | None = strawberry.field(description="What the agent is asked; null where the runner knows.")

    @strawberry.field(description="What the task asks for; for a dataset row, the row as `inputs.extra`.")
    def spec(self) -> Annotated["TaskSpec", strawberry.lazy("schema.task_specs")]:
        task = self.handout.task
        if task.content.text is None:
            raise RevisionCorrupt(
                f"The stored content of task {task.task.name!a} no longer matches its digest.", ref=task.task.name
            )
        if task.task.is_row:
            return _row_spec(task.content.value, self.prompt, task.task.metrics)
        return task_specs.present_spec(task.content.value, task.task.config)


def _row_spec(row: Any, prompt: str | None, metrics: tuple[str, ...]) -> EvaluatorTaskSpec:
    return EvaluatorTaskSpec(
        kind=TaskKind.EVALUATOR,
        intent=prompt or "",
        prompt=prompt or "",
        inputs=TaskInputs(instruction=prompt, extra=JSON(row if isinstance(row, dict) else {"value": row})),
        reference=JSON({}),
        metrics=[MetricBinding(ref=ref) for ref in metrics],
        views=JSON({}),
    )


@strawberry.input(description="How many trials a runner wants, and of which job.")
class LeaseTrialsInput:
    job: strawberry.ID | None = strawberry.field(
        description="The job; absent means any unfinished job of the workspace whose runner target has this name."
    )
    workspace: str = strawberry.field(
        default=DEFAULT_WORKSPACE, description="Where to look for jobs when `job` is absent."
    )
    runner: str = strawberry.field(description="The name of the runner, which is shown with its trials.")
    count: int = strawberry.field(default=1, description="How many trials at most, 1 to 1000.")
    seconds: float = strawberry.field(default=60, description=_SECONDS)


@strawberry.type(description="What `leaseTrials` handed out.")
class LeaseTrialsPayload:
    leases: list[Lease] = strawberry.field(
        default_factory=list, description="The leases; none where no trial waits or the job's concurrency is used up."
    )
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.input(description="Leases that are still worked on.")
class ExtendLeasesInput:
    tokens: list[str] = strawberry.field(description="The tokens of the leases, at most 1000.")
    seconds: float = strawberry.field(default=60, description=_SECONDS)


@strawberry.type(description="What `extendLeases` found.")
class ExtendLeasesPayload:
    extended: list[str] = strawberry.field(default_factory=list, description="The tokens that still hold.")
    lost: list[str] = strawberry.field(
        default_factory=list, description="The tokens that do not: stop working on their trials."
    )
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.input(description="Why an attempt went wrong, as a runner reports it.")
class TrialErrorInput:
    type: str = strawberry.field(description="A short type to count by, 1 to 255 characters.")
    message: str = strawberry.field(description="What happened, at most 65536 characters.")


@strawberry.input(description="What an attempt consumed, as a runner reports it.")
class UsageInput:
    input_tokens: BigInt | None = strawberry.field(description="Tokens that went in.")
    output_tokens: BigInt | None = strawberry.field(description="Tokens that came out.")
    cost_usd: float | None = strawberry.field(description="US dollars.")


@strawberry.input(
    description=(
        "What an attempt brought back. A result without error is COMPLETED, with an error PARTIAL, an error alone "
        "FAILED."
    )
)
class ReportTrialInput:
    lease: str = strawberry.field(description="The token of the lease.")
    output: str | None = strawberry.field(description="The text that was produced, at most 8 MiB.")
    response: JSON | None = strawberry.field(description="The whole answer, any JSON, at most 8 MiB.")
    trajectory: JSON | None = strawberry.field(description="The steps that led to it, any JSON, at most 8 MiB.")
    output_blob: str | None = strawberry.field(description="A blob that holds the output, by its SHA-256.")
    trajectory_blob: str | None = strawberry.field(description="A blob that holds the trajectory as JSON.")
    reward: float | None = strawberry.field(description="The reward.")
    rewards: JSON | None = strawberry.field(description="Further rewards, a JSON object of numbers by name.")
    error: TrialErrorInput | None = strawberry.field(description="What went wrong.")
    usage: UsageInput | None = strawberry.field(description="What it consumed.")


@strawberry.type(description="What `reportTrial` did.")
class ReportTrialPayload:
    trial: Trial | None = strawberry.field(default=None, description="The trial as it stands now; null on errors.")
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.type
class LeaseMutations:
    @strawberry.mutation(description="Take trials to execute them. No two runners ever hold the same trial.")
    async def lease_trials(
        self, info: Info, input: Annotated[LeaseTrialsInput, strawberry.argument(description="What is wanted.")]
    ) -> LeaseTrialsPayload:
        return await answer(info.context, _lease(info, input), LeaseTrialsPayload)

    @strawberry.mutation(description="Hold leases longer, and learn which are lost.")
    async def extend_leases(
        self, info: Info, input: Annotated[ExtendLeasesInput, strawberry.argument(description="The leases.")]
    ) -> ExtendLeasesPayload:
        return await answer(info.context, _extend(info, input), ExtendLeasesPayload)

    @strawberry.mutation(
        description="End a leased trial. The same report again answers the same trial; a lost lease is LEASE_LOST."
    )
    async def report_trial(
        self, info: Info, input: Annotated[ReportTrialInput, strawberry.argument(description="The report.")]
    ) -> ReportTrialPayload:
        return await answer(info.context, _report(info, input), ReportTrialPayload)


async def _lease(info: Info, input: LeaseTrialsInput) -> LeaseTrialsPayload:
    wanted = (input.workspace, input.runner, input.count, input.seconds)
    if input.job is None:
        return _handed_out(await use_cases.lease_trials(info.context, None, *wanted))
    with known_job(input.job, "job") as job:
        return _handed_out(await use_cases.lease_trials(info.context, job, *wanted))


def _handed_out(handouts: Sequence[Handout]) -> LeaseTrialsPayload:
    return LeaseTrialsPayload(leases=[_present(handout) for handout in handouts])


def _present(handout: Handout) -> Lease:
    return Lease(
        handout=handout,
        token=handout.leased.token.text,
        expires_at=handout.leased.expires_at,
        trial=present_trial(handout.leased.trial),
        prompt=handout.prompt,
    )


async def _extend(info: Info, input: ExtendLeasesInput) -> ExtendLeasesPayload:
    extended, lost = await use_cases.extend_leases(info.context, input.tokens, input.seconds)
    return ExtendLeasesPayload(extended=extended, lost=lost)


async def _report(info: Info, input: ReportTrialInput) -> ReportTrialPayload:
    trial = await use_cases.report_trial(info.context, input.lease, _outcome(input))
    return ReportTrialPayload(trial=present_trial(trial))


def _outcome(input: ReportTrialInput) -> domain.TrialOutcome:
    error, usage = input.error, input.usage
    return domain.TrialOutcome(
        output=input.output,
        response=input.response,  # type: ignore[arg-type]
        trajectory=input.trajectory,  # type: ignore[arg-type]
        output_blob=input.output_blob,
        trajectory_blob=input.trajectory_blob,
        reward=input.reward,
        rewards=_rewards(input.rewards),
        error=None if error is None else domain.TrialError(error.type, error.message),
        usage=None if usage is None else domain.Usage(usage.input_tokens, usage.output_tokens, usage.cost_usd),
    )


def _rewards(value: object) -> Mapping[str, float] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise InvalidInput("Must be a JSON object of numbers by name.", ("rewards",))
    return value
