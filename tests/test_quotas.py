"""Quotas of a workspace: what is held and what runs, refused with a code, and never half written."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from domain.errors import ErrorCode, InvalidInput
from domain.outcomes import ABSENT, Outcome
from domain.quotas import Quotas
from resolvers.context import Context
from resolvers.tasks import create_task, delete_task, replace_task
from resolvers.tasksets import create_taskset
from resolvers.workspaces import create_workspace
from storage import blobs, quotas
from storage.driver import Database
from storage.services import open_services
from tests.drafts import stored_metric, suite, task
from tests.job_fixtures import lease, report, runner_job

pytestmark = pytest.mark.anyio


@pytest.fixture
async def contexts(database: Database) -> AsyncIterator[Any]:
    """Makes contexts of servers with given quotas."""
    opened = []

    async def make(**limits: int) -> Context:
        services = await open_services(database.client, database.name, Quotas(**limits))
        opened.append(services)
        return Context(services)

    yield make
    for services in opened:
        await services.close()


def refused(error: pytest.ExceptionInfo[InvalidInput]) -> str:
    assert error.value.code is ErrorCode.LIMIT_EXCEEDED
    return error.value.message


async def test_records_of_all_kinds_count_together(contexts: Any) -> None:
    context = await contexts(records=4)
    await stored_metric(context)
    await create_task(context, "default", "a", None, task("a"))
    await create_taskset(context, "default", "s", None, suite("a"))
    await runner_job(context, 1)
    with pytest.raises(InvalidInput) as error:
        await create_task(context, "default", "b", None, task("b"))
    assert "'default' may hold 4 tasks, tasksets, metrics and jobs together" in refused(error)
    for work in (stored_metric(context, "m2"), create_taskset(context, "default", "t", None, suite())):
        with pytest.raises(InvalidInput) as error:
            await work
        assert refused(error)
    with pytest.raises(InvalidInput) as error:
        await runner_job(context, 1)
    assert refused(error)
    counts = {name: await context.services.database[name].count_documents({}) for name in ("tasks", "jobs", "trials")}
    assert counts == {"tasks": 1, "jobs": 1, "trials": 1}


async def test_a_full_workspace_still_publishes_revisions_and_deletes(contexts: Any) -> None:
    context = await contexts(records=1)
    await create_task(context, "default", "a", None, task("a"))
    published = await replace_task(context, "default", "a", ABSENT, task("b"))
    assert published.outcome is Outcome.PUBLISHED
    await delete_task(context, "default", "a", False)
    await create_task(context, "default", "c", None, task("c"))


async def test_workspaces_have_quotas_of_their_own(contexts: Any) -> None:
    context = await contexts(records=1)
    await create_workspace(context, "lab", None)
    await create_task(context, "default", "a", None, task("a"))
    await create_task(context, "lab", "a", None, task("a"))
    with pytest.raises(InvalidInput):
        await create_task(context, "lab", "b", None, task("b"))


async def test_bytes_are_those_of_every_revision_and_of_blobs(contexts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas, "MEASURED_SECONDS", 0.0)
    context = await contexts(size=2_000)
    await create_task(context, "default", "a", None, task("x" * 1_000))
    with pytest.raises(InvalidInput) as error:
        await replace_task(context, "default", "a", ABSENT, task("y" * 1_000))
    assert "2,000 bytes of content" in refused(error)
    await replace_task(context, "default", "a", ABSENT, task("y"))
    await delete_task(context, "default", "a", False)
    await blobs.keep(context.services.database, "default", _sha(b"z" * 1_900), b"z" * 1_900)
    with pytest.raises(InvalidInput):
        await create_task(context, "default", "b", None, task("x"))
    await create_workspace(context, "lab", None)
    await create_task(context, "lab", "b", None, task("x"))


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


async def test_what_another_server_wrote_is_seen_when_the_measurement_is_old(
    contexts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = await contexts(records=2), await contexts(records=2)
    await create_task(here, "default", "a", None, task("a"))
    await create_task(there, "default", "b", None, task("b"))
    monkeypatch.setattr(quotas, "MEASURED_SECONDS", 0.0)
    with pytest.raises(InvalidInput):
        await create_task(here, "default", "c", None, task("c"))


async def test_one_server_does_not_exceed_its_quota_however_many_write(contexts: Any) -> None:
    context = await contexts(records=5)
    writes = [create_task(context, "default", f"t{number}", None, task(f"t{number}")) for number in range(12)]
    answers = await asyncio.gather(*writes, return_exceptions=True)
    assert sum(isinstance(answer, InvalidInput) for answer in answers) == 7
    assert await context.services.database["tasks"].count_documents({}) == 5
    assert context.services.quotas._pending["default"].records == 0


async def test_running_trials_are_bounded(contexts: Any) -> None:
    context = await contexts(running_trials=3)
    job = await runner_job(context, 5)
    first = await lease(context, job, 2)
    second = await lease(context, job, 5)
    assert (len(first), len(second)) == (2, 1)
    with pytest.raises(InvalidInput) as error:
        await lease(context, job, 1)
    assert "'default' may run 3 trials at a time" in refused(error)
    await report(context, first[0])
    assert len(await lease(context, job, 5)) == 1


async def test_without_quotas_nothing_is_measured(contexts: Any) -> None:
    context = await contexts()
    await create_task(context, "default", "a", None, task("a"))
    assert context.services.quotas._known == {}
    assert await context.services.quotas.running_left("default") is None
