"""Jobs: find, list, pause, resume, cancel, retry, delete."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.errors import NotFound, Path
from domain.jobs import JobStatus
from domain.targets import TargetKind
from evaluation.committer import Committers
from evaluation.job_moves import Cancel, Delete, Pause, Resume, Retry
from evaluation.plans import Plans
from resolvers.access import Scope, require
from resolvers.context import Context
from storage import job_tasks
from storage import jobs as storage
from storage.driver import ObjectId
from storage.filters import DateRange, MetadataMatch, date_range, facet
from storage.job_tasks import JobTask
from storage.jobs import JobRecord
from storage.pages import Order, PageRequest
from storage.records import Head, Page
from storage.submission import drop_rows


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Which jobs a list wants; every field given must hold. `taskset_name` is `name` or `workspace/name`."""

    status: Sequence[JobStatus] = ()
    target_kind: TargetKind | None = None
    target_name: str | None = None
    project: str | None = None
    taskset_name: str | None = None
    taskset_digest: str | None = None
    labels: Sequence[MetadataMatch] = ()
    created_at: DateRange | None = None


async def job(context: Context, identity: ObjectId) -> JobRecord | None:
    """The job of this id; None where it does not exist for the viewer."""
    found = await storage.find(context.services.database, identity)
    return found if found is not None and context.viewer.reads(found.workspace) else None


async def job_by_name(context: Context, workspace: str, name: str) -> JobRecord | None:
    """The job of this name; None where it does not exist for the viewer."""
    if not context.viewer.reads(workspace):
        return None
    return await storage.find_by_name(context.services.database, workspace, name)


async def jobs(
    context: Context, workspace: str, filter: JobFilter | None, order: Order, page: PageRequest
) -> Page[JobRecord]:
    """The jobs of a workspace. Raises BadUserInput for a bad page."""
    if not context.viewer.reads(workspace):
        page.check()
        return Page((), (), False, False)
    return await storage.page(context.services.database, _query(workspace, filter), order, page)


async def count_jobs(context: Context, workspace: str, filter: JobFilter | None) -> int:
    """How many jobs `jobs` lists in all."""
    if not context.viewer.reads(workspace):
        return 0
    return await storage.count(context.services.database, _query(workspace, filter))


async def jobs_of_taskset(context: Context, head: Head, page: PageRequest) -> Page[JobRecord]:
    """The readable jobs over any revision of a taskset, newest first. Raises BadUserInput for a bad page."""
    order = Order("createdAt", descending=True)
    return await storage.page(context.services.database, _of_taskset(context, head), order, page)


async def count_jobs_of_taskset(context: Context, head: Head) -> int:
    """How many jobs `jobs_of_taskset` lists in all."""
    return await storage.count(context.services.database, _of_taskset(context, head))


async def tasks(context: Context, record: JobRecord, page: PageRequest) -> Page[JobTask]:
    """The work list of a job in its order. Raises BadUserInput for a bad page."""
    return await job_tasks.page(context.services.database, record.id, page)


async def pause_job(context: Context, identity: ObjectId) -> JobRecord:
    """Stop new leases; a paused job stays so. Raises NotFound, Refused."""
    return await _committed(context, identity, Pause())


async def resume_job(context: Context, identity: ObjectId) -> JobRecord:
    """Let trials be leased again; a job that runs stays so. Raises NotFound, Refused."""
    return await _committed(context, identity, Resume())


async def cancel_job(context: Context, identity: ObjectId) -> JobRecord:
    """Settle what is open and revoke the leases; a finished job is answered unchanged. Raises NotFound, Refused."""
    return await _committed(context, identity, Cancel(context.actor))


async def retry_job(context: Context, identity: ObjectId, trials: Sequence[ObjectId] | None) -> JobRecord:
    """Open an ended job for new attempts at what failed or was cancelled. Raises NotFound, Refused, InvalidInput."""
    return await _committed(context, identity, Retry(trials))


async def delete_job(context: Context, identity: ObjectId) -> ObjectId:
    """Remove a finished job with everything in it. Raises NotFound, Refused."""
    await runnable(context, identity)
    await context.services.shared(Committers).commit(identity, Delete())
    context.services.shared(Plans).forget(identity)
    await drop_rows(context.services.database, identity)
    return identity


async def runnable(context: Context, identity: ObjectId, path: Path = ("id",)) -> JobRecord:
    """The job, where the viewer may change it. Raises NotFound, Refused."""
    found = await job(context, identity)
    if found is None:
        raise missing_job(identity, path)
    require(context.viewer, Scope.RUN, found.workspace, path)
    return found


def missing_job(identity: ObjectId, path: Path = ("id",)) -> NotFound:
    """The error for a job that is absent, and, to the letter, for one that may not be read."""
    return NotFound("There is no such job.", path, ref=str(identity))


async def _committed(context: Context, identity: ObjectId, move: Pause | Resume | Cancel | Retry) -> JobRecord:
    await runnable(context, identity)
    return await context.services.shared(Committers).commit(identity, move)


def _query(workspace: str, filter: JobFilter | None) -> dict[str, Any]:
    if filter is None:
        return {"workspace": workspace}
    facets = [facet(match.key, match.value) for match in filter.labels]
    conditions: Mapping[str, Any] = {
        "status": {"$in": sorted(set(filter.status))} if filter.status else None,
        "target.kind": filter.target_kind,
        "target.name": filter.target_name,
        "project": filter.project,
        "taskset.record": None if filter.taskset_name is None else _record(filter.taskset_name, workspace),
        "taskset.digest": filter.taskset_digest,
        "facets": {"$all": facets} if facets else None,
        "createdAt": date_range(filter.created_at),
    }
    return {"workspace": workspace, **{name: value for name, value in conditions.items() if value is not None}}


def _record(name: str, workspace: str) -> str:
    # What is no reference names no taskset, so the list is empty rather than an error.
    return name if "/" in name else f"{workspace}/{name}"


def _of_taskset(context: Context, head: Head) -> dict[str, Any]:
    workspaces = context.viewer.readable_workspaces()
    readable = {} if workspaces is None else {"workspace": {"$in": list(workspaces)}}
    return {"taskset.record": head.ref, "createdAt": {"$gte": head.created_at}, **readable}
