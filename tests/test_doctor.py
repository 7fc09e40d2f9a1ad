"""`pinset doctor`: it says what is well and what is not, and writes nothing."""

import pytest
from pydantic import SecretStr

from resolvers.context import Context
from server.diagnosis import Finding, diagnose
from server.settings import Settings
from storage.services import Services
from tests.drafts import stored_tasks

pytestmark = pytest.mark.anyio


async def findings(url: str, database: str, *, every_digest: bool = True) -> dict[str, Finding]:
    """What the doctor finds, by name."""
    settings = Settings(mongodb_url=SecretStr(url), database=database, mongodb_timeout_seconds=0.5)
    return {finding.name: finding async for finding in diagnose(settings, every_digest=every_digest)}


async def test_a_sound_database(services: Services, mongodb_url: str) -> None:
    await stored_tasks(Context(services), 3)
    found = await findings(mongodb_url, services.database.name)
    assert [finding.is_well for finding in found.values()] == [True] * 4
    assert found["digests"].detail == "3 texts examined, all have their digest"


async def test_a_corrupt_text_and_a_missing_index_are_named(services: Services, mongodb_url: str) -> None:
    await stored_tasks(Context(services), 3)
    damaged = await services.database["contents"].find_one_and_update({}, {"$set": {"text": "{}"}})
    assert damaged is not None
    await services.database["contents"].drop_index("touchedAt_1")
    try:
        for every_digest in (True, False):
            found = await findings(mongodb_url, services.database.name, every_digest=every_digest)
            assert not found["digests"].is_well
            assert damaged["_id"] in found["digests"].detail
            assert "contents.touchedAt_1" in found["indexes"].detail
        assert "touchedAt_1" not in await services.database["contents"].index_information()
    finally:
        await services.database["contents"].create_index([("touchedAt", 1)])


async def test_an_empty_database_is_well_and_stays_empty(services: Services, mongodb_url: str) -> None:
    name = f"{services.database.name}_untouched"
    found = await findings(mongodb_url, name)
    assert all(finding.is_well for finding in found.values())
    assert name not in await services.client.list_database_names()


async def test_what_cannot_be_reached_is_said(services: Services) -> None:
    found = await findings("mongodb://127.0.0.1:1/?directConnection=true", "pinset")
    assert not found["connection"].is_well
    assert "cannot be reached" in found["connection"].detail
    assert "digests" not in found
