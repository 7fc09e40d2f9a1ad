"""The local MongoDB: starting, sharing, moving and ending it, and what it says when it cannot."""

import pytest

from storage.driver import Database, check_server

pytestmark = pytest.mark.anyio


async def test_the_tests_run_on_a_real_replica_set(database: Database) -> None:
    await check_server(database.client)
    async with await database.client.start_session() as session, session.start_transaction():
        await database.rows.insert_one({"value": 1}, session=session)

    assert await database.rows.count_documents({"value": 1}) == 1
