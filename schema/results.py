"""Results as they are read: statistics, summaries, comparisons, and the history of a task."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TypeAlias

import strawberry

from evaluation import comparison, pass_rates, statistics, summaries
from evaluation.comparison import ComparisonClass
from resolvers import results as use_cases
from schema import jobs
from schema.arguments import given
from schema.connections import After, Connection, Edge, First, connect, request
from schema.enums import AttemptPolicy, describe
from schema.nodes import parse_global_id
from schema.scalars import JSON
from schema.selection import Info
from storage.driver import ObjectId
from storage.jobs import JobRecord
from storage.pages import Positions
from storage.records import Page
from storage.trials import HistoryRow

if TYPE_CHECKING:
    from schema.jobs import Job

describe(
    ComparisonClass,
    "What became of a task from the base job to the candidate.",
    IMPROVED="The same content, with a higher mean reward.",
    REGRESSED="The same content, with a lower mean reward.",
    EQUAL="The same content, with the same mean reward.",
    CHANGED_CONTENT="The task has other content in the candidate, so that its rewards do not compare.",
    ONLY_IN_BASE="Only the base job has the task.",
    ONLY_IN_CANDIDATE="Only the candidate job has the task.",
    UNSCORED="The same content, and one of the jobs has no reward for it.",
)

MissingAs: TypeAlias = Annotated[
    float | None,
    strawberry.argument(
        description="A number that stands in the statistics for every value that is not there; the counts stay."
    ),
]
Policy: TypeAlias = Annotated[AttemptPolicy, strawberry.argument(description="Which attempt speaks for a trial.")]


@strawberry.type(description="One number over many trials, with what it rests on. No value is null, never 0 or NaN.")
class Statistic:
    name: str = strawberry.field(
        description="What is measured: `reward`, `<metric>.<output>` by the metric's reference, or `view.<name>`."
    )
    expected: int = strawberry.field(description="How many values there should be: scored + failed + missing.")
    scored: int = strawberry.field(description="How many values there are.")
    failed: int = strawberry.field(description="How many are not there because the trial or its score failed.")
    missing: int = strawberry.field(description="How many are not there for another reason, such as not having run.")
    coverage: float = strawberry.field(description="Scored over expected, 0 to 1.")
    mean: float | None = strawberry.field(description="The mean of what was scored.")
    standard_deviation: float | None = strawberry.field(description="That of a sample (n - 1); null under two values.")
    standard_error: float | None = strawberry.field(description="Of the mean, clustered by task.")
    minimum: float | None = strawberry.field(description="The least value.")
    maximum: float | None = strawberry.field(description="The greatest value.")
    median: float | None = strawberry.field(description="The median.")
    confidence95: list[float] | None = strawberry.field(
        description="The 95 % interval of the mean, low and high, clustered by task; null under two tasks."
    )
    lower_bound: float | None = strawberry.field(
        description="The mean if every value that is not there were the least possible one (0 by default)."
    )
    upper_bound: float | None = strawberry.field(
        description="The mean if every value that is not there were the greatest possible one (1 by default)."
    )


@strawberry.type(description="How often k trials of a task pass; a trial passes with a reward of 1 or more.")
class PassRate:
    k: int = strawberry.field(description="How many trials are taken, 1 to `repeats`, at most 100.")
    any_pass: float | None = strawberry.field(
        description="The chance that one of k passes, the mean over tasks (pass@k); null where no task has k trials."
    )
    all_pass: float | None = strawberry.field(description="The chance that all of k pass (pass^k), likewise.")
    tasks: int = strawberry.field(description="How many tasks have k trials that can be judged.")


@strawberry.type(description="How many trials failed with one type of error.")
class FailureCount:
    type: str = strawberry.field(description="The type of the error.")
    count: int = strawberry.field(description="How many trials.")


@strawberry.type(description="The numbers of a job, or of one group of its tasks.")
class JobSummary:
    group: JSON | None = strawberry.field(description="The value that the tasks of the group share; null without one.")
    taskset_digest: str | None = strawberry.field(description="The taskset revision that the numbers are about.")
    reward: Statistic = strawberry.field(description="The trials' rewards.")
    statistics: list[Statistic] = strawberry.field(description="Every output of every metric, then every view.")
    pass_rates: list[PassRate] = strawberry.field(description="Pass rates for k = 1 to `repeats`, at most 100.")
    failures: list[FailureCount] = strawberry.field(description="Failed trials by type of error, most first.")


@strawberry.type(description="The numbers of one task within a job; the last attempt speaks for a trial.")
class TaskSummary:
    reward: Statistic = strawberry.field(description="The rewards of its trials.")
    pass_rates: list[PassRate] = strawberry.field(description="Pass rates for k = 1 to `repeats`, at most 100.")


@strawberry.type(description="A task in two jobs, or in one of them.")
class TaskComparison:
    name: str = strawberry.field(description="The name, by which tasks are aligned.")
    class_: ComparisonClass = strawberry.field(name="class", description="What became of it.")
    base_digest: str | None = strawberry.field(description="Its content in the base job.")
    candidate_digest: str | None = strawberry.field(description="Its content in the candidate.")
    base: Statistic | None = strawberry.field(description="Its reward in the base job.")
    candidate: Statistic | None = strawberry.field(description="Its reward in the candidate.")
    delta: float | None = strawberry.field(description="The candidate's mean less the base's, where both have one.")


@strawberry.type(description="One compared task of a page.")
class TaskComparisonEdge(Edge[TaskComparison]):
    pass


@strawberry.type(description="A page of compared tasks.")
class TaskComparisonConnection(Connection[TaskComparison, TaskComparisonEdge]):
    edge_type = TaskComparisonEdge


@strawberry.type(description="Two jobs side by side, their tasks aligned by name and told apart by content.")
class JobComparison:
    found: strawberry.Private[use_cases.JobComparison]

    same_content: int = strawberry.field(description="How many tasks have the same content in both.")
    changed_content: int = strawberry.field(description="How many tasks have another content in the candidate.")
    only_in_base: int = strawberry.field(description="How many tasks only the base job has.")
    only_in_candidate: int = strawberry.field(description="How many tasks only the candidate has.")
    mean_delta: float | None = strawberry.field(
        description="The mean change of reward over tasks of the same content that both jobs scored."
    )
    confidence95: list[float] | None = strawberry.field(
        description="The 95 % interval of that mean, paired by task; null under two tasks."
    )

    @strawberry.field(description="The job that is compared to the other.")
    def base(self) -> Annotated["Job", strawberry.lazy("schema.jobs")]:
        return jobs.present_job(self.found.base)

    @strawberry.field(description="The other job.")
    def candidate(self) -> Annotated["Job", strawberry.lazy("schema.jobs")]:
        return jobs.present_job(self.found.candidate)

    @strawberry.field(description="The tasks: the base job's in their order, then those that only the other has.")
    def tasks(
        self,
        classes: Annotated[
            list[ComparisonClass] | None, strawberry.argument(description="Only tasks of these classes; absent: all.")
        ] = strawberry.UNSET,
        first: First = 100,
        after: After = strawberry.UNSET,
    ) -> TaskComparisonConnection:
        wanted = given(classes)
        rows = [row for row in self.found.comparison.tasks if wanted is None or row.comparison in wanted]
        name = f"comparison:{self.found.candidate.id}:{sorted(wanted or ())}"
        chosen, cursors, has_next, has_previous = Positions(len(rows), self.found.base.id, name).page(
            request(first, after)
        )
        page = Page(tuple(rows[index] for index in chosen), tuple(cursors), has_next, has_previous)
        return connect(TaskComparisonConnection, page, present_task_comparison, _counted(len(rows)))


@strawberry.type(description="What all jobs made of one content of a task.")
class TaskHistory:
    digest: str = strawberry.field(description="The content.")
    jobs: int = strawberry.field(description="How many jobs ran it.")
    trials: int = strawberry.field(description="How many trials there are, in any state.")
    mean_reward: float | None = strawberry.field(description="The mean of their rewards; null without any.")
    standard_deviation: float | None = strawberry.field(description="The rewards' spread; null under two.")
    cost_usd: float | None = strawberry.field(description="What all attempts cost, where anybody said.")
    last_run_at: datetime | None = strawberry.field(description="When the newest of its trials ended.")


@strawberry.type(description="One content of a page.")
class TaskHistoryEdge(Edge[TaskHistory]):
    pass


@strawberry.type(description="A page of a task's history, the newest run first.")
class TaskHistoryConnection(Connection[TaskHistory, TaskHistoryEdge]):
    edge_type = TaskHistoryEdge


def _counted(count: int) -> Callable[[], Awaitable[int]]:
    async def total() -> int:
        return count

    return total


def present_statistic(found: statistics.Statistic) -> Statistic:
    """The GraphQL object of a statistic."""
    return Statistic(
        name=found.name,
        expected=found.expected,
        scored=found.scored,
        failed=found.failed,
        missing=found.missing,
        coverage=found.coverage,
        mean=found.mean,
        standard_deviation=found.standard_deviation,
        standard_error=found.standard_error,
        minimum=found.minimum,
        maximum=found.maximum,
        median=found.median,
        confidence95=None if found.confidence95 is None else list(found.confidence95),
        lower_bound=found.lower_bound,
        upper_bound=found.upper_bound,
    )


def _rates(found: Sequence[pass_rates.PassRate]) -> list[PassRate]:
    return [PassRate(k=rate.k, any_pass=rate.any_pass, all_pass=rate.all_pass, tasks=rate.tasks) for rate in found]


def present_summary(found: summaries.JobSummary, job: JobRecord) -> JobSummary:
    """The GraphQL object of a job's numbers."""
    return JobSummary(
        group=JSON(found.group),
        taskset_digest=None if job.taskset is None else job.taskset.digest,
        reward=present_statistic(found.reward),
        statistics=[present_statistic(each) for each in found.statistics],
        pass_rates=_rates(found.pass_rates),
        failures=[FailureCount(type=each.type, count=each.count) for each in found.failures],
    )


def present_task_summary(found: summaries.TaskSummary) -> TaskSummary:
    """The GraphQL object of a task's numbers."""
    return TaskSummary(reward=present_statistic(found.reward), pass_rates=_rates(found.pass_rates))


def present_task_comparison(found: comparison.TaskComparison) -> TaskComparison:
    """The GraphQL object of one compared task."""
    return TaskComparison(
        name=found.name,
        class_=found.comparison,
        base_digest=found.base_digest,
        candidate_digest=found.candidate_digest,
        base=None if found.base is None else present_statistic(found.base),
        candidate=None if found.candidate is None else present_statistic(found.candidate),
        delta=found.delta,
    )


def present_history(found: HistoryRow) -> TaskHistory:
    """The GraphQL object of one content in a task's history."""
    return TaskHistory(
        digest=found.digest,
        jobs=found.jobs,
        trials=found.trials,
        mean_reward=found.mean_reward,
        standard_deviation=found.standard_deviation,
        cost_usd=found.cost_usd,
        last_run_at=found.last_run_at,
    )


async def compare(info: Info, base: JobRecord, to: str) -> JobComparison | None:
    """The comparison of a job with another; None where that is unknown or unreadable."""
    key = parse_global_id(to)
    if key is None or key[0] != "Job":
        return None
    found = await use_cases.compare_jobs(info.context, base, ObjectId(key[1]))
    if found is None:
        return None
    numbers = found.comparison
    return JobComparison(
        found=found,
        same_content=numbers.same_content,
        changed_content=numbers.changed_content,
        only_in_base=numbers.only_in_base,
        only_in_candidate=numbers.only_in_candidate,
        mean_delta=numbers.mean_delta,
        confidence95=None if numbers.confidence95 is None else list(numbers.confidence95),
    )
