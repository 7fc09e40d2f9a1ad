"""How much a workspace may hold and run at once.

What it holds is measured, not counted along: a counter would be one document that every publish of a workspace
waits for, and would be wrong after a restore. A measurement serves for a few seconds, with what this process has
written since added to it; so several servers together may exceed a quota by what they write within that time.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from domain.errors import ErrorCode, InvalidInput, Path
from domain.quotas import Quotas
from storage import ledger
from storage.driver import Database

MEASURED_SECONDS: Final = 5.0
_RECORDS: Final = ("tasks", "tasksets", "metrics", "jobs")
_SIZED: Final[Mapping[str, tuple[str, str]]] = {
    "task_revisions": ("workspace", "size"),
    "taskset_revisions": ("workspace", "size"),
    "jobs": ("workspace", "size"),
    "blobs.files": ("metadata.workspaces", "length"),
}


@dataclass(frozen=True, slots=True)
class Usage:
    """What a workspace holds, and when that was measured (by the monotonic clock)."""

    records: int
    size: int
    at: float

    def with_more(self, records: int, size: int) -> "Usage":
        """As it will be once something more is written."""
        return replace(self, records=self.records + records, size=self.size + size)


_NOTHING: Final = Usage(0, 0, 0.0)


class QuotaKeeper:
    """Admits what is written; the one of a process."""

    def __init__(self, database: Database, quotas: Quotas) -> None:
        self._database = database
        self._quotas = quotas
        self._known: dict[str, Usage] = {}
        self._pending: dict[str, Usage] = {}
        self._meanwhile: dict[str, Usage] = {}
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def admit(self, workspace: str, *, records: int = 0, size: int = 0, path: Path = ()) -> None:
        """Let a write pass that adds records and bytes. Raises InvalidInput (LIMIT_EXCEEDED) where it does not fit.

        What is admitted within a transaction counts at once, and no more if that is not committed; outside of one
        this is only a check. What adds nothing always passes, so that a full workspace can be cleared.
        """
        if (self._quotas.records is None and self._quotas.size is None) or (records <= 0 and size <= 0):
            return
        async with self._locks[workspace]:
            began = time.monotonic()
            usage = self._known.get(workspace)
            if usage is None or began - usage.at > MEASURED_SECONDS:
                usage = await self._measured(workspace)
            if self._excess(self._with(workspace, usage, records, size)) is not None and usage.at < began:
                # Something may have been deleted since, here or elsewhere.
                usage = await self._measured(workspace)
            self._known[workspace] = usage
            excess = self._excess(self._with(workspace, usage, records, size))
            if excess is not None:
                raise InvalidInput(
                    f"The workspace '{workspace}' may hold {excess}; delete something, or ask for a larger quota.",
                    path,
                    ErrorCode.LIMIT_EXCEEDED,
                )
            self._reserve(workspace, records, size)

    def _with(self, workspace: str, usage: Usage, records: int, size: int) -> Usage:
        """The usage once everything that is under way, and something more, is written."""
        pending = self._pending.get(workspace, _NOTHING)
        return usage.with_more(pending.records + records, pending.size + size)

    def _reserve(self, workspace: str, records: int, size: int) -> None:
        if ledger.when_over(partial(self._settle, workspace, records, size)):
            self._pending[workspace] = self._pending.get(workspace, _NOTHING).with_more(records, size)

    def _settle(self, workspace: str, records: int, size: int, is_committed: bool) -> None:
        self._pending[workspace] = self._pending[workspace].with_more(-records, -size)
        for held in (self._known, self._meanwhile) if is_committed else ():
            if workspace in held:
                held[workspace] = held[workspace].with_more(records, size)

    async def check_running(self, workspace: str, path: Path = ()) -> int | None:
        """How many more trials may be started now; None is no limit.

        Raises InvalidInput (LIMIT_EXCEEDED) where it is none at all.
        """
        if self._quotas.running_trials is None:
            return None
        left = await self.running_left(workspace)
        if left == 0:
            raise InvalidInput(
                f"The workspace '{workspace}' may run {self._quotas.running_trials:,} trials at a time, and does; "
                "ask again when some have ended.",
                path,
                ErrorCode.LIMIT_EXCEEDED,
            )
        return left

    async def running_left(self, workspace: str) -> int | None:
        """How many more trials may be started now, 0 or more; None is no limit."""
        if self._quotas.running_trials is None:
            return None
        query = {"workspace": workspace, "counts.RUNNING": {"$gt": 0}}
        running = await self._sum("jobs", query, "counts.RUNNING")
        return max(self._quotas.running_trials - running, 0)

    def _excess(self, usage: Usage) -> str | None:
        """The quota that would be exceeded, in words."""
        if self._quotas.records is not None and usage.records > self._quotas.records:
            return f"{self._quotas.records:,} tasks, tasksets, metrics and jobs together"
        if self._quotas.size is not None and usage.size > self._quotas.size:
            return f"{self._quotas.size:,} bytes of content"
        return None

    async def _measured(self, workspace: str) -> Usage:
        """What is stored now, and what was committed while that was being counted: rather twice than not at all."""
        at = time.monotonic()
        self._meanwhile[workspace] = _NOTHING
        counts = [await self._database[name].count_documents({"workspace": workspace}) for name in _RECORDS]
        sizes = [await self._sum(name, {place: workspace}, size) for name, (place, size) in _SIZED.items()]
        more = self._meanwhile.pop(workspace)
        return Usage(sum(counts), sum(sizes), at).with_more(more.records, more.size)

    async def _sum(self, collection: str, query: Mapping[str, Any], field: str) -> int:
        stages: list[dict[str, Any]] = [{"$match": query}, {"$group": {"_id": None, "sum": {"$sum": f"${field}"}}}]
        found = await self._database[collection].aggregate(stages).to_list(None)
        return int(found[0]["sum"]) if found else 0
