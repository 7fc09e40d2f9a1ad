"""DataLoaders of one operation: single look-ups of the same kind become one query.

Lists do not go through them: their resolvers load in bulk by the functions that are batched here.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from strawberry.dataloader import DataLoader

from evaluation.summaries import TaskSummary
from resolvers import contents, members, results
from resolvers import trials as trial_contents
from storage import job_tasks, jobs, metrics, trials
from storage.driver import ObjectId
from storage.job_tasks import JobTask
from storage.jobs import JobRecord
from storage.payloads import Payload
from storage.records import TASK, TASKSET, Content, Head, MetricRecord, RecordKind, Revision
from storage.revisions import find_heads, find_heads_by_name, find_revisions
from storage.trials import TrialRecord

if TYPE_CHECKING:
    from resolvers.context import Context
    from resolvers.members import Member


Placed = TypeVar("Placed", Head, Revision)


class Loaders:
    """One set an operation; a key that finds nothing gives None."""

    def __init__(self, context: Context) -> None:
        # Each loader is made when it is first asked for: most operations need one or two of them.
        self._context = context

    @cached_property
    def head(self) -> dict[RecordKind, DataLoader[ObjectId, Head | None]]:
        """Records by id, for each kind."""
        return {kind: self._heads(kind) for kind in (TASK, TASKSET)}

    @cached_property
    def head_by_ref(self) -> dict[RecordKind, DataLoader[str, Head | None]]:
        """Records by `workspace/name`, for each kind."""
        return {kind: self._heads_by_ref(kind) for kind in (TASK, TASKSET)}

    @cached_property
    def revision(self) -> dict[RecordKind, DataLoader[ObjectId, Revision | None]]:
        """Revisions by id, for each kind."""
        return {kind: self._revisions(kind) for kind in (TASK, TASKSET)}

    @cached_property
    def content(self) -> DataLoader[str, Content]:
        """Contents by digest."""
        return DataLoader(load_fn=self._contents)

    @cached_property
    def metric(self) -> DataLoader[str, MetricRecord | None]:
        """Metrics by reference."""
        return DataLoader(load_fn=self._metrics)

    @cached_property
    def member_revision(self) -> DataLoader[Member, Revision | None]:
        """The pinned revisions of members."""
        return DataLoader(load_fn=self._member_revisions)

    @cached_property
    def job(self) -> DataLoader[ObjectId, JobRecord | None]:
        """Jobs by id."""
        return DataLoader(load_fn=self._jobs)

    @cached_property
    def trial(self) -> DataLoader[ObjectId, TrialRecord | None]:
        """Trials by id."""
        return DataLoader(load_fn=self._trials)

    @cached_property
    def payloads(self) -> DataLoader[ObjectId, dict[int, Payload]]:
        """What the attempts of a trial brought back, by the id of the trial."""
        return DataLoader(load_fn=self._payloads)

    @cached_property
    def job_task(self) -> DataLoader[tuple[ObjectId, int], JobTask | None]:
        """Entries of work lists by job and position."""
        return DataLoader(load_fn=self._job_tasks)

    @cached_property
    def task_summary(self) -> DataLoader[tuple[ObjectId, str], TaskSummary]:
        """Numbers of tasks by job and name."""
        return DataLoader(load_fn=self._task_summaries)

    def _heads(self, kind: RecordKind) -> DataLoader[ObjectId, Head | None]:
        async def load(ids: list[ObjectId]) -> list[Head | None]:
            found = await find_heads(self._context.services.database, kind, ids)
            return [self._readable(found.get(identity)) for identity in ids]

        return DataLoader(load_fn=load)

    def _heads_by_ref(self, kind: RecordKind) -> DataLoader[str, Head | None]:
        async def load(refs: list[str]) -> list[Head | None]:
            names = [(workspace, name) for workspace, _, name in (ref.partition("/") for ref in refs)]
            found = await find_heads_by_name(self._context.services.database, kind, names)
            return [self._readable(found.get(name)) for name in names]

        return DataLoader(load_fn=load)

    def _revisions(self, kind: RecordKind) -> DataLoader[ObjectId, Revision | None]:
        async def load(ids: list[ObjectId]) -> list[Revision | None]:
            found = await find_revisions(self._context.services, kind, ids)
            return [self._readable(found.get(identity)) for identity in ids]

        return DataLoader(load_fn=load)

    def _readable(self, record: Placed | None) -> Placed | None:
        """The record, where it exists for the viewer: the last door before what lies in another workspace."""
        return record if record is not None and self._context.viewer.reads(record.workspace) else None

    async def _contents(self, digests: list[str]) -> list[Any]:
        found = await contents.contents(self._context, digests)
        return [found[digest] for digest in digests]

    async def _metrics(self, refs: list[str]) -> list[MetricRecord | None]:
        readable = [ref for ref in refs if self._context.viewer.reads(ref.partition("/")[0])]
        found = await metrics.find_by_ref(self._context.services.database, readable)
        return [found.get(ref) for ref in refs]

    async def _member_revisions(self, wanted: list[Member]) -> list[Revision | None]:
        found = await members.member_revisions(self._context, wanted)
        return [found.get(member.ref) for member in wanted]

    async def _jobs(self, ids: list[ObjectId]) -> list[JobRecord | None]:
        found = await jobs.find_many(self._context.services.database, ids)
        reads = self._context.viewer.reads
        return [job if (job := found.get(identity)) is not None and reads(job.workspace) else None for identity in ids]

    async def _trials(self, ids: list[ObjectId]) -> list[TrialRecord | None]:
        found = await trials.find_many(self._context.services.database, ids)
        return [found.get(identity) for identity in ids]

    async def _payloads(self, ids: list[ObjectId]) -> list[dict[int, Payload]]:
        found = await trial_contents.payloads_of(self._context, ids)
        return [found.get(identity, {}) for identity in ids]

    async def _job_tasks(self, places: list[tuple[ObjectId, int]]) -> list[JobTask | None]:
        found = await job_tasks.find_at(self._context.services.database, places)
        return [found.get(place) for place in places]

    async def _task_summaries(self, places: list[tuple[ObjectId, str]]) -> list[TaskSummary]:
        found = await results.task_summaries(self._context, places)
        return [found[place] for place in places]
