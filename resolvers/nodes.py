"""Records by global id, in as few queries as there are types among them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from resolvers.audit import find_entries
from resolvers.context import Context
from resolvers.tokens import find_tokens
from storage import jobs, metrics, trials, workspaces
from storage.audit import AuditRecord
from storage.driver import ObjectId
from storage.records import TASK, TASKSET, Head, MetricRecord, Revision, TokenRecord, WorkspaceRecord
from storage.revisions import find_heads, find_revisions

Record: TypeAlias = WorkspaceRecord | MetricRecord | Head | Revision | TokenRecord | AuditRecord
Find: TypeAlias = Callable[[Context, Sequence[ObjectId]], Awaitable[Mapping[ObjectId, Any]]]


async def _workspaces(context: Context, ids: Sequence[ObjectId]) -> Mapping[ObjectId, Any]:
    found = await workspaces.find_many(context.services.database, ids)
    return {identity: record for identity, record in found.items() if context.viewer.reads(record.name)}


async def _metrics(context: Context, ids: Sequence[ObjectId]) -> Mapping[ObjectId, Any]:
    return _readable(context, await metrics.find_many(context.services.database, ids))


def _readable(context: Context, found: Mapping[ObjectId, Any]) -> Mapping[ObjectId, Any]:
    return {identity: record for identity, record in found.items() if context.viewer.reads(record.workspace)}


async def _tasks(context: Context, ids: Sequence[ObjectId]) -> Mapping[ObjectId, Any]:
    return _readable(context, await find_heads(context.services.database, TASK, ids))


async def _tasksets(context: Context, ids: Sequence[ObjectId]) -> Mapping[ObjectId, Any]:
    return _readable(context, await find_heads(context.services.database, TASKSET, ids))


async def _task_revisions(context: Context, ids: Sequence[ObjectId]) -> Mapping[ObjectId, Any]:
    return _readable(context, await find_revisions(context.services, TASK, ids))


async def _taskset_revisions(context: Context, ids: Sequence[ObjectId]) -> Mapping[ObjectId, Any]:
    return _readable(context, await find_revisions(context.services, TASKSET, ids))


async def _jobs(context: Context, ids: Sequence[ObjectId]) -> Mapping[ObjectId, Any]:
    return _readable(context, await jobs.find_many(context.services.database, ids))


async def _trials(context: Context, ids: Sequence[ObjectId]) -> Mapping[ObjectId, Any]:
    found = await trials.find_many(context.services.database, ids)
    readable = await _jobs(context, [trial.job for trial in found.values()])
    return {identity: trial for identity, trial in found.items() if trial.job in readable}


FINDERS: Final[dict[str, Find]] = {
    "Workspace": _workspaces,
    "Metric": _metrics,
    "Task": _tasks,
    "Taskset": _tasksets,
    "TaskRevision": _task_revisions,
    "TasksetRevision": _taskset_revisions,
    "Job": _jobs,
    "Trial": _trials,
    "Token": find_tokens,
    "AuditEntry": find_entries,
}


async def nodes(context: Context, wanted: Sequence[tuple[str, str]]) -> list[Any]:
    """The records of (type name, hexadecimal id) pairs, in their order; None for what the viewer cannot find."""
    found: dict[tuple[str, str], Any] = {}
    for type_name, find in FINDERS.items():
        ids = {identity for name, identity in wanted if name == type_name and ObjectId.is_valid(identity)}
        if ids:
            records = await find(context, [ObjectId(identity) for identity in ids])
            found |= {(type_name, str(identity)): record for identity, record in records.items()}
    return [found.get((name, identity.lower())) for name, identity in wanted]


async def node(context: Context, type_name: str, identity: str) -> Any:
    """The record of one type name and hexadecimal id; None where there is none for the viewer."""
    return (await nodes(context, [(type_name, identity)]))[0]
