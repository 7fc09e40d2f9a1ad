"""The counters of a job."""

from datetime import datetime

import strawberry

from domain.trials import TrialStatus
from schema.scalars import BigInt
from storage.jobs import Progress


@strawberry.type(description="How far a job is: counters that are kept with each of its events.")
class JobProgress:
    total: int = strawberry.field(description="How many trials the job has.")
    pending: int = strawberry.field(description="Trials that wait to be leased.")
    running: int = strawberry.field(description="Trials that somebody executes.")
    scoring: int = strawberry.field(description="Trials that are reported and wait for their scores.")
    completed: int = strawberry.field(description="Trials with a result.")
    partial: int = strawberry.field(description="Trials with a result and an error.")
    failed: int = strawberry.field(description="Trials without a result.")
    cancelled: int = strawberry.field(description="Trials that were not executed because their job ended.")
    retries: int = strawberry.field(description="Attempts that were lost and followed by another.")
    fraction: float = strawberry.field(description="The share of trials that have ended, 0 to 1.")
    mean_reward: float | None = strawberry.field(description="The mean of the rewards so far; null without any.")
    input_tokens: BigInt = strawberry.field(description="Tokens that went in, over every attempt.")
    output_tokens: BigInt = strawberry.field(description="Tokens that came out, over every attempt.")
    cost_usd: float = strawberry.field(description="US dollars, over every attempt.")
    last_heartbeat_at: datetime | None = strawberry.field(
        description="When anybody last leased, extended or reported a trial."
    )
    seconds_remaining: float | None = strawberry.field(
        description="An estimate by the pace so far; null while there is none, and unless the job is ACTIVE."
    )


def present_progress(found: Progress) -> JobProgress:
    """The GraphQL object of a job's counters."""
    counts = found.counts
    return JobProgress(
        total=found.total,
        pending=counts[TrialStatus.PENDING],
        running=counts[TrialStatus.RUNNING],
        scoring=counts[TrialStatus.SCORING],
        completed=counts[TrialStatus.COMPLETED],
        partial=counts[TrialStatus.PARTIAL],
        failed=counts[TrialStatus.FAILED],
        cancelled=counts[TrialStatus.CANCELLED],
        retries=found.retries,
        fraction=found.fraction,
        mean_reward=found.mean_reward,
        input_tokens=BigInt(found.input_tokens),
        output_tokens=BigInt(found.output_tokens),
        cost_usd=found.cost_usd,
        last_heartbeat_at=found.last_heartbeat_at,
        seconds_remaining=found.seconds_remaining,
    )
