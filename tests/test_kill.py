"""A server killed at any command of a publish leaves head, tags, list and guards in agreement."""

import sys

import anyio
import pytest

from domain.errors import Conflict
from domain.outcomes import ABSENT, Outcome
from resolvers.context import Context
from resolvers.revisions import existing, revisions, tag_moves
from resolvers.tasks import create_task, delete_task, replace_task
from storage.pages import PageRequest
from storage.publications import Published
from storage.records import TASK
from storage.services import Services
from tests.drafts import stored_metric, task

pytestmark = pytest.mark.anyio

# Enough to pass the last command of a publish, so that the longest run proves that nothing was skipped.
COMMANDS = 14
# Each waits for ten seconds.
ATTEMPTS = 5


async def killed(services: Services, url: str, deadly: int) -> int:
    """Publish in a process of its own that dies before command `deadly`; the exit code, negative for a signal."""
    command = [sys.executable, "-m", "tests.killed_publisher", url, services.database.name, str(deadly)]
    return (await anyio.run_process(command, check=False)).returncode


async def agree(services: Services) -> None:
    """Every record of the database fits together."""
    context = Context(services)
    head = await existing(context, TASK, "default", "t")
    page = await revisions(context, TASK, head, PageRequest())
    assert [revision.number for revision in page.items] == list(range(head.number, 0, -1))
    assert (page.items[0].id, page.items[0].digest) == (head.revision_id, head.digest)
    moves = await tag_moves(context, head, None, PageRequest())
    assert len(moves.items) == len(head.tags)
    for tag in head.tags:
        assert page.items[head.number - tag.number].digest == tag.digest
    guards = await services.database["guards"].count_documents({"_id": {"$regex": "^task:"}})
    assert guards == await services.database["tasks"].count_documents({})


async def _published(context: Context) -> Published:
    """Publish again; MongoDB ends the transaction of a dead process by itself, after its lifetime."""
    for _ in range(ATTEMPTS):
        try:
            return await replace_task(context, "default", "t", ABSENT, task("killed", metrics=["m"], tags=["x"]))
        except Conflict:
            continue
    raise AssertionError("the record is not publishable")


async def _survives(services: Services, url: str, deadly: int, *, exists: bool) -> None:
    context = Context(services)
    await stored_metric(context, "m")
    if exists:
        await create_task(context, "default", "t", None, task("before"))
    code = await killed(services, url, deadly)
    assert code in (0, -9)
    if code == -9 and not exists and not await services.database["tasks"].count_documents({}):
        assert await services.database["task_revisions"].count_documents({}) == 0
        await _published(context)
    await agree(services)
    again = await _published(context)
    assert again.outcome in (Outcome.PUBLISHED, Outcome.UNCHANGED)
    await agree(services)
    assert code == -9 or again.outcome is Outcome.UNCHANGED
    await delete_task(context, "default", "t", False)


@pytest.mark.parametrize("deadly", [3, 4, COMMANDS])
async def test_a_server_killed_while_it_publishes(services: Services, mongodb_url: str, deadly: int) -> None:
    await _survives(services, mongodb_url, deadly, exists=True)


@pytest.mark.slow
@pytest.mark.parametrize("exists", [True, False], ids=["replace", "create"])
@pytest.mark.parametrize("deadly", range(1, COMMANDS + 1))
async def test_a_server_killed_at_any_command(services: Services, mongodb_url: str, deadly: int, exists: bool) -> None:
    await _survives(services, mongodb_url, deadly, exists=exists)
