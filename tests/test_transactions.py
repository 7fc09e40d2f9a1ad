"""Transactions in a thread of their own: tried again, whole or nothing, never cut off, told to the audit log."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial

import pytest

from domain.audit import AuditAction, AuditedType
from domain.errors import InvalidInput
from storage.driver import BlockingDatabase, BlockingSession, ObjectId
from storage.ledger import note, when_over
from storage.services import Services

pytestmark = pytest.mark.anyio

Work = Callable[[BlockingDatabase, BlockingSession], int]
RECORD = ObjectId("0" * 24)
DOCUMENT = {"_id": RECORD, "count": 0}
MORE = {"$inc": {"count": 1}}


async def run(services: Services, work: Work) -> int:
    """The answer of a transaction in a thread."""
    return await services.transactions.in_thread(partial(services.transactions.run_here, work))


async def count(services: Services) -> int | None:
    """The counter as it is stored."""
    found = await services.database["counters"].find_one({})
    return None if found is None else int(found["count"])


async def test_a_race_is_run_again_and_its_first_attempt_leaves_nothing(services: Services) -> None:
    await services.database["counters"].insert_one(dict(DOCUMENT))
    endings: list[bool] = []

    def work(database: BlockingDatabase, session: BlockingSession) -> int:
        when_over(endings.append)
        database["others"].insert_one({"attempt": len(endings)}, session=session)
        if not endings:
            database["counters"].update_one({}, MORE)
        return database["counters"].update_one({}, MORE, session=session).modified_count

    assert await run(services, work) == 1
    assert endings == [False, True]
    assert await count(services) == 2
    assert [found["attempt"] async for found in services.database["others"].find()] == [1]


async def test_what_is_refused_half_way_leaves_nothing(services: Services) -> None:
    endings: list[bool] = []

    def work(database: BlockingDatabase, session: BlockingSession) -> int:
        when_over(endings.append)
        database["counters"].insert_one(dict(DOCUMENT), session=session)
        raise InvalidInput("No.")

    with pytest.raises(InvalidInput):
        await run(services, work)
    assert endings == [False]
    assert await count(services) is None


async def test_the_audit_log_gets_what_was_committed(services: Services) -> None:
    def work(database: BlockingDatabase, session: BlockingSession) -> int:
        note(AuditAction.CANCEL, AuditedType.JOB, RECORD, "default/job", workspace="default")
        return 1

    await run(services, work)
    assert [entry["ref"] async for entry in services.database["audit"].find()] == ["default/job"]


async def test_a_caller_that_leaves_does_not_cut_it(services: Services) -> None:
    begun, leave = threading.Event(), threading.Event()

    def work(database: BlockingDatabase, session: BlockingSession) -> int:
        begun.set()
        leave.wait(10)
        database["counters"].insert_one(dict(DOCUMENT), session=session)
        return 1

    leaving = asyncio.create_task(run(services, work))
    await asyncio.to_thread(begun.wait, 10)
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    leave.set()
    assert services.transactions.is_busy
    await services.transactions.drain()
    assert await count(services) == 0
