"""Preparing a database: its indexes, the version of its data, and the workspace that always exists."""

import pytest

from domain.errors import StartupFailure
from storage.driver import Database
from storage.indexes import SCHEMA_VERSION, missing_indexes
from storage.services import prepare

pytestmark = pytest.mark.anyio


async def test_a_new_database_gets_everything(database: Database) -> None:
    await prepare(database)
    assert await missing_indexes(database) == []
    assert await database["settings"].find_one({"_id": "schema"}) == {"_id": "schema", "version": SCHEMA_VERSION}
    assert [row["name"] async for row in database["workspaces"].find()] == ["default"]


async def test_an_index_that_is_missing_is_made_again(database: Database) -> None:
    await prepare(database)
    await database["tasks"].drop_index("workspace_1_name_1")
    assert await missing_indexes(database) == ["tasks.workspace_1_name_1"]
    await prepare(database)
    assert await missing_indexes(database) == []


async def test_data_of_a_newer_version_is_refused_and_left_alone(database: Database) -> None:
    await prepare(database)
    await database["tasks"].drop_index("workspace_1_name_1")
    await database["settings"].update_one({"_id": "schema"}, {"$inc": {"version": 1}})
    with pytest.raises(StartupFailure, match="newer Pinset"):
        await prepare(database)
    assert await missing_indexes(database) == ["tasks.workspace_1_name_1"]
