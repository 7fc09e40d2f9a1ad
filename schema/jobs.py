"""Jobs, as they are read."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import strawberry

from domain.errors import ServiceUnavailable
from domain.jobs import AttemptPolicy
from domain.names import DEFAULT_WORKSPACE
from resolvers import jobs as use_cases
from resolvers import results as numbers
from resolvers import trials as trial_cases
from schema import results, tasksets, trials
from schema.arguments import WorkspaceName, given
from schema.connections import After, Before, Connection, Edge, First, Last, Offset, connect, request
from schema.enums import JobStatus, TargetKind
from schema.job_filters import JobFilter, JobOrder, job_filter, job_order
from schema.job_progress import JobProgress, present_progress
from schema.job_tasks import JobTaskConnection, connect_job_tasks
from schema.loading import then, warm
from schema.nodes import Node, global_id, parse_global_id, register
from schema.results import MissingAs, Policy
from schema.scalars import JSON
from schema.selection import Info, Selection, selection
from storage.driver import ObjectId
from storage.jobs import JobRecord
from storage.records import TASKSET, Page

if TYPE_CHECKING:
    from schema.results import JobComparison, JobSummary
    from schema.tasksets import TasksetRevision
    from schema.trials import TrialConnection, TrialFilter


@strawberry.type(description="Who produces the trials of a job.")
class JobTarget:
    kind: TargetKind = strawberry.field(description="The kind of target.")
    name: str = strawberry.field(description="The model, agent or runner; `outputs` for outputs that exist already.")
    config: JSON = strawberry.field(
        description="Its settings, a JSON object with snake_case names; secrets by name, addresses without secrets."
    )


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
        return await connect_job_tasks(info, page, _counted(self.record.task_count))

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
        page = await use_cases.jobs(info.context, workspace, wanted, job_order(order_by), asked)
        return await connect_jobs(info, page, partial(use_cases.count_jobs, info.context, workspace, wanted))
