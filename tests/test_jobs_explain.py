"""Queries over jobs are served by indexes, so that they cost what they answer and not what is stored."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from domain.jobs import JobStatus
from domain.targets import TargetKind
from domain.trials import TrialStatus
from resolvers.context import Context
from storage.driver import Database
from storage.trials import EPOCH, TrialFilter, trial_query
from tests.job_fixtures import lease, open_context, runner_job

pytestmark = pytest.mark.anyio


@pytest.fixture
async def context(database: Database) -> AsyncIterator[Context]:
    async with open_context(database) as opened:
        yield opened


async def examined(
    context: Context, collection: str, query: Mapping[str, Any], sort: list[tuple[str, int]], limit: int = 0
) -> tuple[int, int]:
    """How many documents a query looks at, and how many it answers."""
    cursor = context.services.database[collection].find(query, sort=sort or None, limit=limit)
    plan = await cursor.explain()
    assert "COLLSCAN" not in repr(plan["queryPlanner"]["winningPlan"])
    assert "'SORT'" not in repr(plan["queryPlanner"]["winningPlan"])
    statistics = plan["executionStats"]
    return statistics["totalDocsExamined"], statistics["nReturned"]


async def test_pages_and_sweeps_look_at_what_they_answer(context: Context) -> None:
    job = await runner_job(context, 200)
    await runner_job(context, 200)
    await lease(context, job, 3)
    for filter in (None, TrialFilter([TrialStatus.PENDING]), TrialFilter(task_name="task-7")):
        seen, answered = await examined(context, "trials", trial_query(job.id, filter), [("order", 1)], 10)
        assert seen == answered
    live = {"lease.expiresAt": {"$gt": EPOCH}, "$expr": {"$lte": ["$lease.expiresAt", "$$NOW"]}}
    assert await examined(context, "trials", live, []) == (0, 0)
    assert await examined(context, "job_events", {"job": job.id, "seq": {"$gt": 2}}, [("seq", 1)]) == (2, 2)
    open_jobs = {"status": {"$in": [JobStatus.PENDING, JobStatus.ACTIVE]}, "target.kind": {"$in": [TargetKind.MODEL]}}
    assert await examined(context, "jobs", open_jobs, [("createdAt", 1), ("_id", 1)]) == (0, 0)
