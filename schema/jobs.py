"""Jobs and their work lists, as they are read."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import strawberry

from domain.errors import RevisionCorrupt, ServiceUnavailable
from domain.jobs import AttemptPolicy
from domain.names import DEFAULT_WORKSPACE
from resolvers import jobs as use_cases
from resolvers import results as numbers
from resolvers import trials as trial_cases
from schema import results, task_specs, tasks, tasksets, trials
from schema.arguments import WorkspaceName, given
from schema.connections import After, Before, Connection, Edge, First, Last, Offset, connect, request
from schema.enums import JobOrderField, JobStatus, TargetKind, TrialStatus
from schema.filters import DateRange, MetadataMatch, OrderDirection, date_range, metadata_matches
from schema.loading import then, warm
from schema.nodes import Node, global_id, parse_global_id, register
from schema.results import MissingAs, Policy
from schema.scalars import JSON, BigInt
from schema.selection import Info, Selection, selection
from storage.driver import ObjectId
from storage.job_tasks import JobTask as JobTaskRecord
from storage.jobs import JobRecord, Progress
from storage.pages import Order
from storage.records import TASK, TASKSET, Content, Page

if TYPE_CHECKING:
    from schema.results import JobComparison, JobSummary, TaskSummary
    from schema.task_specs import TaskSpec
    from schema.tasks import TaskRevision
    from schema.tasksets import TasksetRevision
    from schema.trials import TrialConnection, TrialFilter


@strawberry.input(description="Which jobs a list should hold; all conditions must be met.")
class JobFilter:
    status: list[JobStatus] | None = strawberry.field(description="Jobs that stand at one of these.")
    target_kind: TargetKind | None = strawberry.field(description="Jobs with a target of this kind.")
    target_name: str | None = strawberry.field(description="Jobs whose target has this name.")
    project: str | None = strawberry.field(description="The project label, whole.")
    taskset_name: str | None = strawberry.field(
        description="Jobs over any revision of this taskset: `name` (of the same workspace) or `workspace/name`."
    )
    taskset_digest: str | None = strawberry.field(description="Jobs over the taskset revision of this digest.")
    labels: list[MetadataMatch] | None = strawberry.field(
        description="Labels that the job must have; all of the conditions must hold."
    )
    created_at: DateRange | None = strawberry.field(description="When the job was submitted.")


@strawberry.input(description="The order of a list of jobs.")
class JobOrder:
    field: JobOrderField = strawberry.field(default=JobOrderField.CREATED_AT, description="What to sort by.")
    direction: OrderDirection = strawberry.field(default=OrderDirection.DESC, description="Which way to sort.")


@strawberry.type(description="Who produces the trials of a job.")
class JobTarget:
    kind: TargetKind = strawberry.field(description="The kind of target.")
    name: str = strawberry.field(description="The model, agent or runner; `outputs` for outputs that exist already.")
    config: JSON = strawberry.field(
        description="Its settings, a JSON object with snake_case names; secrets by name, addresses without secrets."
    )


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


@strawberry.type(
    description=(
        "One entry of a job's work list. Readable for ever: the content stays with the job even where its task is "
        "deleted."
    )
)
class JobTask:
    record: strawberry.Private[JobTaskRecord]

    name: str = strawberry.field(description="The name, unique within the job.")
    ref: str | None = strawberry.field(
        description="The pinned reference `workspace/name#digest`; null for one-off tasks and dataset rows."
    )
    digest: str = strawberry.field(description="The digest of the content.")
    metrics: list[str] = strawberry.field(description="References of the metrics that score it.")

    @strawberry.field(description="The stored revision; null once deleted, and for one-off tasks and dataset rows.")
    def revision(self, info: Info) -> Annotated["TaskRevision", strawberry.lazy("schema.tasks")] | None:
        if self.record.revision_id is None:
            return None
        return then(
            info.context.loaders.revision[TASK].load(self.record.revision_id),
            lambda found: (
                tasks.present_revision(found)
                if found is not None and info.context.viewer.reads(found.workspace)
                else None
            ),
        )

    @strawberry.field(description="What the task asks for; null for a dataset row.")
    def spec(self, info: Info) -> Annotated["TaskSpec", strawberry.lazy("schema.task_specs")] | None:
        if self.record.is_row:
            return None
        return then(
            info.context.loaders.content.load(self.digest),
            lambda stored: task_specs.present_spec(self.intact(stored).value, self.record.config),
        )

    @strawberry.field(description="What was hashed: the task's content, or the dataset row.")
    def content(self, info: Info) -> JSON | None:
        return then(info.context.loaders.content.load(self.digest), lambda stored: JSON(self.intact(stored).value))

    @strawberry.field(description="Its numbers within the job.")
    def summary(self, info: Info) -> Annotated["TaskSummary", strawberry.lazy("schema.results")]:
        place = (self.record.job, self.name)
        return then(info.context.loaders.task_summary.load(place), results.present_task_summary)

    def intact(self, stored: Content) -> Content:
        """The content itself. Raises RevisionCorrupt where its text does not match the digest."""
        if stored.is_corrupt:
            raise RevisionCorrupt(
                f"The stored content of task {self.name!a} no longer matches its digest; restore it from a backup.",
                ref=self.ref or self.name,
            )
        return stored


@strawberry.type(description="One entry of a page of a work list.")
class JobTaskEdge(Edge[JobTask]):
    pass


@strawberry.type(description="A page of a job's work list, in its order.")
class JobTaskConnection(Connection[JobTask, JobTaskEdge]):
    edge_type = JobTaskEdge


@strawberry.type(description="An evaluation of a work list, fixed at submission, by a target.")
class Job(Node):
    record: strawberry.Private[JobRecord]

    workspace: str = strawberry.field(description="The name of the workspace that it belongs to.")
    name: str = strawberry.field(description="The name, unique among the jobs of the workspace.")
    project: str | None = strawberry.field(description="A free label to group records by.")
    description: str | None = strawberry.field(description="What it is for, at most 1000 characters.")
    labels: JSON = strawberry.field(description="Free annotations, a JSON object.")
    status: JobStatus = strawberry.field(description="Where it stands.")
    status_reason: str | None = strawberry.field(description="Why it stands there, where there is a reason.")
    is_stalled: bool = strawberry.field(
        description="Whether it is unfinished and nobody has leased, reported or extended for two lease times."
    )
    taskset_ref: str | None = strawberry.field(description="The taskset's reference as it was submitted.")
    taskset_digest: str | None = strawberry.field(description="The digest of the taskset revision that it resolved to.")
    target: JobTarget = strawberry.field(description="Who produces its trials.")
    repeats: int = strawberry.field(description="How many trials each task has.")
    max_concurrency: int = strawberry.field(description="How many trials run at once, over all workers and runners.")
    timeout_seconds: float = strawberry.field(description="Seconds that one attempt may take.")
    max_attempts: int = strawberry.field(description="How many attempts a trial may have, lost ones included.")
    fail_fast: bool = strawberry.field(description="Whether the first failure ends it.")
    progress: JobProgress = strawberry.field(description="How far it is.")
    created_at: datetime = strawberry.field(description="When it was submitted.")
    started_at: datetime | None = strawberry.field(description="When its first trial was leased.")
    finished_at: datetime | None = strawberry.field(description="When it ended; null while it has not.")
    created_by: str | None = strawberry.field(description="The name of the token that submitted it.")

    @strawberry.field(description="The taskset revision; null for one-off tasks and rows, and once deleted.")
    def taskset_revision(self, info: Info) -> Annotated["TasksetRevision", strawberry.lazy("schema.tasksets")] | None:
        if self.record.taskset is None:
            return None
        return then(
            info.context.loaders.revision[TASKSET].load(self.record.taskset.revision_id),
            lambda found: (
                tasksets.present_revision(found)
                if found is not None and info.context.viewer.reads(found.workspace)
                else None
            ),
        )

    @strawberry.field(description="The resolved work list, in its order; it never changes.")
    async def tasks(self, info: Info, first: First = 100, after: After = strawberry.UNSET) -> JobTaskConnection:
        page = await use_cases.tasks(info.context, self.record, request(first, after))
        return await _connect_tasks(info, page, _counted(self.record.task_count))

    @strawberry.field(description="The numbers over all of its tasks.")
    async def summary(
        self, info: Info, missing_as: MissingAs = strawberry.UNSET, attempt: Policy = AttemptPolicy.LAST
    ) -> Annotated["JobSummary", strawberry.lazy("schema.results")]:
        found = await numbers.summary(info.context, self.record, attempt, given(missing_as))
        return results.present_summary(found, self.record)

    @strawberry.field(description="The numbers by the value of a metadata key (of a field, for dataset rows).")
    async def summaries(
        self,
        info: Info,
        group_by: Annotated[str, strawberry.argument(description="The key; tasks without it are the group null.")],
        missing_as: MissingAs = strawberry.UNSET,
        attempt: Policy = AttemptPolicy.LAST,
    ) -> list[Annotated["JobSummary", strawberry.lazy("schema.results")]]:
        found = await numbers.summaries(info.context, self.record, group_by, attempt, given(missing_as))
        return [results.present_summary(each, self.record) for each in found]

    @strawberry.field(description="Its trials, in the order of the work list.")
    async def trials(
        self,
        info: Info,
        filter: Annotated[
            "Annotated[TrialFilter, strawberry.lazy('schema.trials')] | None",
            strawberry.argument(description="Which trials; absent means all."),
        ] = strawberry.UNSET,
        first: First = 100,
        after: After = strawberry.UNSET,
    ) -> Annotated["TrialConnection", strawberry.lazy("schema.trials")]:
        wanted = trials.trial_filter(filter)
        page = await trial_cases.trials(info.context, self.record, wanted, request(first, after))
        count = partial(trial_cases.count_trials, info.context, self.record, wanted)
        info.context.loaders.job.prime(self.record.id, self.record)
        return await trials.connect_trials(info, page, count)

    @strawberry.field(description="This job as the base, side by side with another; null where that is unknown.")
    async def compare(
        self, info: Info, to: Annotated[strawberry.ID, strawberry.argument(description="The id of the candidate job.")]
    ) -> Annotated["JobComparison", strawberry.lazy("schema.results")] | None:
        return await results.compare(info, self.record, to)


@strawberry.type(description="One job of a page.")
class JobEdge(Edge[Job]):
    pass


@strawberry.type(description="A page of jobs.")
class JobConnection(Connection[Job, JobEdge]):
    edge_type = JobEdge


def _counted(count: int) -> Callable[[], Awaitable[int]]:
    async def total() -> int:
        return count

    return total


async def _connect_tasks(
    info: Info, page: Page[JobTaskRecord], count: Callable[[], Awaitable[int]]
) -> JobTaskConnection:
    wanted = selection(info).items()
    if wanted.has("spec", "content"):
        await warm(info.context.loaders.content, [task.digest for task in page.items])
    if wanted.has("summary"):
        await warm(info.context.loaders.task_summary, [(task.job, task.name) for task in page.items])
    if wanted.has("revision"):
        ids = [task.revision_id for task in page.items if task.revision_id is not None]
        found = await warm(info.context.loaders.revision[TASK], ids)
        readable = [each for each in found if each is not None and info.context.viewer.reads(each.workspace)]
        await tasks.warm_task_revisions(info, readable, wanted.below("revision"))
    return connect(JobTaskConnection, page, present_job_task, count)


def present_job_task(record: JobTaskRecord) -> JobTask:
    """The GraphQL object of one entry of a work list."""
    return JobTask(record=record, name=record.name, ref=record.ref, digest=record.digest, metrics=list(record.metrics))


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


def present_job(record: JobRecord) -> Job:
    """The GraphQL object of a stored job."""
    options, taskset = record.options, record.taskset
    return Job(
        record=record,
        id=global_id("Job", record.id),
        workspace=record.workspace,
        name=record.name,
        project=record.project,
        description=record.description,
        labels=JSON(record.labels),
        status=record.status,
        status_reason=record.status_reason,
        is_stalled=record.is_stalled,
        taskset_ref=None if taskset is None else taskset.ref,
        taskset_digest=None if taskset is None else taskset.digest,
        target=JobTarget(kind=record.target.kind, name=record.target.name, config=JSON(record.target_config)),
        repeats=options.repeats,
        max_concurrency=options.max_concurrency,
        timeout_seconds=options.timeout_seconds,
        max_attempts=options.max_attempts,
        fail_fast=options.fail_fast,
        progress=present_progress(record.progress),
        created_at=record.created_at,
        started_at=record.started_at,
        finished_at=record.finished_at,
        created_by=record.created_by,
    )


def present_found_job(record: JobRecord | None) -> Job:
    """The job of a trial or event, which is missing only where it was deleted meanwhile."""
    if record is None:
        raise ServiceUnavailable("The job was deleted while it was being read; repeat the request.")
    return present_job(record)


register("Job", present_job)


def job_id(text: str) -> ObjectId | None:
    """The stored id of a job; None for anything that is not the id of one."""
    key = parse_global_id(text)
    return ObjectId(key[1]) if key is not None and key[0] == "Job" else None


def job_filter(input: JobFilter | None) -> use_cases.JobFilter | None:
    """The filter that the use cases understand; None where none was given."""
    if not input:
        return None
    return use_cases.JobFilter(
        status=input.status or (),
        target_kind=input.target_kind,
        target_name=input.target_name,
        project=input.project,
        taskset_name=input.taskset_name,
        taskset_digest=input.taskset_digest,
        labels=metadata_matches(input.labels),
        created_at=date_range(input.created_at),
    )


def _order(input: JobOrder | None) -> Order:
    if not input:
        return Order(JobOrderField.CREATED_AT, descending=True)
    return Order(input.field, input.direction is OrderDirection.DESC)


async def connect_jobs(info: Info, page: Page[JobRecord], count: Callable[[], Awaitable[int]]) -> JobConnection:
    """The connection of a page of jobs, with everything loaded that is asked of them."""
    await warm_jobs(info, page.items, selection(info).items())
    return connect(JobConnection, page, present_job, count)


async def warm_jobs(info: Info, found: Sequence[JobRecord], wanted: Selection) -> None:
    """Load in bulk what the selection asks of these jobs."""
    if wanted.has("tasksetRevision"):
        ids: list[Any] = [job.taskset.revision_id for job in found if job.taskset is not None]
        await warm(info.context.loaders.revision[TASKSET], ids)


@strawberry.type
class JobQueries:
    @strawberry.field(description="A job by its id; null where it is unknown or unreadable.")
    async def job(
        self, info: Info, id: Annotated[strawberry.ID, strawberry.argument(description="The id of the job.")]
    ) -> Job | None:
        identity = job_id(id)
        found = None if identity is None else await use_cases.job(info.context, identity)
        return None if found is None else present_job(found)

    @strawberry.field(description="A job by its name; null where it is unknown or unreadable.")
    async def job_by_name(
        self,
        info: Info,
        name: Annotated[str, strawberry.argument(description="The name of the job.")],
        workspace: WorkspaceName = DEFAULT_WORKSPACE,
    ) -> Job | None:
        found = await use_cases.job_by_name(info.context, workspace, name)
        return None if found is None else present_job(found)

    @strawberry.field(description="The jobs of a workspace.")
    async def jobs(
        self,
        info: Info,
        workspace: WorkspaceName = DEFAULT_WORKSPACE,
        filter: Annotated[
            JobFilter | None, strawberry.argument(description="Which jobs; absent means all.")
        ] = strawberry.UNSET,
        order_by: Annotated[
            JobOrder | None, strawberry.argument(description="The order; absent means newest first.")
        ] = strawberry.UNSET,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        last: Last = strawberry.UNSET,
        before: Before = strawberry.UNSET,
        offset: Offset = strawberry.UNSET,
    ) -> JobConnection:
        wanted = job_filter(filter)
        asked = request(first, after, last, before, offset)
        page = await use_cases.jobs(info.context, workspace, wanted, _order(order_by), asked)
        return await connect_jobs(info, page, partial(use_cases.count_jobs, info.context, workspace, wanted))
