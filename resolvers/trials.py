"""Trials of a job, their attempts, and the contents that those brought back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from storage import trials as storage
from storage.driver import ObjectId
from storage.jobs import JobRecord
from storage.pages import PageRequest
from storage.payloads import Payload
from storage.records import Page
from storage.trials import TrialFilter, TrialRecord, trial_query

if TYPE_CHECKING:
    from resolvers.context import Context


async def trials(context: Context, job: JobRecord, filter: TrialFilter | None, page: PageRequest) -> Page[TrialRecord]:
    """Trials in the order of the work list. Raises BadUserInput for a bad page."""
    return await storage.page(context.services.database, trial_query(job.id, filter), page)


async def count_trials(context: Context, job: JobRecord, filter: TrialFilter | None) -> int:
    """How many trials `trials` lists in all; without a filter, or by status alone, from the job's counters."""
    if filter is None:
        return job.progress.total
    if filter.task_name is None and filter.repeat is None and filter.status:
        return sum(job.progress.counts[status] for status in set(filter.status))
    return await storage.count(context.services.database, trial_query(job.id, filter))


async def payloads(context: Context, trial: ObjectId) -> dict[int, Payload]:
    """The contents of a trial's attempts by number."""
    return (await payloads_of(context, [trial])).get(trial, {})


async def payloads_of(context: Context, trials: Sequence[ObjectId]) -> dict[ObjectId, dict[int, Payload]]:
    """The contents of many trials in one query, counted against the limit of an answer as they arrive."""
    found: dict[ObjectId, dict[int, Payload]] = {}
    async for trial, attempts in storage.payloads(context.services.database, trials):
        for payload in attempts.values():
            context.spend(payload.size)
        found[trial] = attempts
    return found
