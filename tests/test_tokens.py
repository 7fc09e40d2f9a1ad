"""Tokens: what is stored of them, who may create and end them, and how soon an end is felt."""

import contextlib
import hashlib
import hmac
from collections.abc import AsyncIterator, Awaitable
from datetime import timedelta

import pytest

from domain.errors import ErrorCode, Forbidden, InvalidInput, NotFound, Problems, Refused, Unauthenticated
from domain.grants import Grant, Scope
from resolvers import tokens as use_cases
from resolvers.access import EVERYTHING, OPEN_VIEWER, Viewer
from resolvers.context import Context
from resolvers.workspaces import create_workspace
from server.auth import ADMIN_VIEWER, TokenAuthenticator, viewer_of
from storage import tokens as storage
from storage.clock import now
from storage.driver import Database, ObjectId, connect
from storage.pages import PageRequest
from storage.services import Services, open_services
from tests.conditions import eventually

pytestmark = pytest.mark.anyio

READ = frozenset({Scope.READ})
ADMIN = frozenset({Scope.ADMIN})
ON_DEFAULT = (Grant("default", READ),)


@pytest.fixture
async def elsewhere(mongodb_url: str, database: Database) -> AsyncIterator[Services]:
    """Another server on the same database."""
    client = connect(mongodb_url)
    opened = await open_services(client, database.name)
    yield opened
    await opened.close()
    client.close()


@pytest.fixture
def admin(services: Services) -> Context:
    return Context(services, ADMIN_VIEWER)


async def is_valid(services: Services, secret: str) -> bool:
    return await storage.authenticate(services, secret) is not None


def codes(problems: Problems) -> list[str]:
    return [error.code.value for error in problems.errors]


async def test_a_new_token_opens_what_it_was_granted(admin: Context) -> None:
    secret, record = await use_cases.create_token(admin, "dashboard", ON_DEFAULT, None)
    viewer = await TokenAuthenticator(None, admin.services).authenticate(f"Bearer {secret}")
    assert viewer == viewer_of(record)
    assert viewer.reads("default")
    assert not viewer.may(Scope.WRITE, "default")
    assert not viewer.reads("other")


async def test_only_a_hash_of_the_secret_is_stored(admin: Context) -> None:
    secret, _ = await use_cases.create_token(admin, "dashboard", ON_DEFAULT, None)
    documents = [await admin.services.database[name].find().to_list(None) for name in ("tokens", "audit")]
    assert secret not in repr(documents)
    assert secret.removeprefix("pinset_") not in repr(documents)
    assert storage.hash_of(secret) in repr(documents)
    assert len(secret) == 50


async def test_scopes_include_reading_and_admin_includes_all() -> None:
    for scope in Scope:
        viewer = Viewer("someone", (Grant("default", frozenset({scope})),))
        assert viewer.reads("default")
        assert [viewer.may(other, "default") for other in Scope] == [
            other in (Scope.READ, scope) or scope is Scope.ADMIN for other in Scope
        ]


async def test_a_grant_without_scopes_opens_nothing() -> None:
    viewer = Viewer("nobody", (Grant("default", frozenset()),))
    assert not viewer.reads("default")
    assert viewer.readable_workspaces() == []


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer ", "Basic abc", "Bearer x", "pinset_x", f"Bearer pinset_{'A' * 43}", "Bearer \ud800"],
)
async def test_what_is_no_token_is_refused(services: Services, authorization: str | None) -> None:
    with pytest.raises(Unauthenticated):
        await TokenAuthenticator("x" * 16, services).authenticate(authorization)


async def test_the_admin_token_is_never_stored(services: Services) -> None:
    authenticator = TokenAuthenticator("correct-horse-battery", services)
    assert await authenticator.authenticate("bearer correct-horse-battery") is ADMIN_VIEWER
    assert await services.database["tokens"].count_documents({}) == 0
    assert "correct-horse" not in repr(vars(authenticator))


async def test_revoking_is_felt_at_once_here_and_soon_elsewhere(admin: Context, elsewhere: Services) -> None:
    secret, record = await use_cases.create_token(admin, "runner", ON_DEFAULT, None)
    assert await is_valid(admin.services, secret)
    await eventually(lambda: _is_cached(elsewhere, secret))
    await use_cases.revoke_token(admin, record.id, "id")
    assert not await is_valid(admin.services, secret)
    await eventually(lambda: _not(is_valid(elsewhere, secret)), seconds=2.0)
    await use_cases.revoke_token(admin, record.id, "id")


async def _is_cached(services: Services, secret: str) -> bool:
    return await is_valid(services, secret) and services.tokens.get(storage.hash_of(secret)) is not None


async def _not(condition: Awaitable[bool]) -> bool:
    return not await condition


async def test_a_late_read_does_not_bring_a_revoked_token_back(admin: Context) -> None:
    secret, record = await use_cases.create_token(admin, "runner", ON_DEFAULT, None)
    await use_cases.revoke_token(admin, record.id, "id")
    admin.services.tokens.put(storage.hash_of(secret), record, 60.0)
    assert admin.services.tokens.get(storage.hash_of(secret)) is None


async def test_without_a_live_feed_every_check_asks_the_database(admin: Context) -> None:
    secret, record = await use_cases.create_token(admin, "runner", ON_DEFAULT, None)
    await eventually(lambda: _is_cached(admin.services, secret))
    await admin.services.feed.stop()
    await admin.services.database["tokens"].update_one({"_id": record.id}, {"$set": {"revokedAt": now()}})
    await eventually(lambda: _not(is_valid(admin.services, secret)))


async def test_the_database_decides_when_a_token_expires(admin: Context) -> None:
    secret, record = await use_cases.create_token(admin, "brief", ON_DEFAULT, now() + timedelta(milliseconds=300))
    assert await is_valid(admin.services, secret)
    await eventually(lambda: _not(is_valid(admin.services, secret)))
    late, _ = await storage.create(admin.services, "late", ON_DEFAULT, now() - timedelta(days=1), None)
    assert not await is_valid(admin.services, late)
    assert record.expires_at is not None


async def test_a_use_is_recorded_once_a_minute(admin: Context) -> None:
    secret, record = await use_cases.create_token(admin, "runner", ON_DEFAULT, None)
    for _ in range(3):
        assert await is_valid(admin.services, secret)
    await admin.services.tokens.drain()
    first = (await storage.find_many(admin.services, [record.id]))[record.id].last_used_at
    assert first is not None
    assert not admin.services.tokens.is_use_due(record.id)
    assert await is_valid(admin.services, secret)
    await admin.services.tokens.drain()
    assert (await storage.find_many(admin.services, [record.id]))[record.id].last_used_at == first


async def test_open_mode_creates_no_tokens(services: Services) -> None:
    with pytest.raises(Refused) as refused:
        await use_cases.create_token(Context(services, OPEN_VIEWER), "x", ON_DEFAULT, None)
    assert refused.value.code is ErrorCode.INVALID_STATE


async def test_a_token_creates_only_within_its_own_grants(admin: Context) -> None:
    await create_workspace(admin, "lab", None)
    await create_workspace(admin, "vault", None)
    viewer = Viewer("lead", (Grant("default", ADMIN), Grant("lab", READ)), "t")
    context = Context(admin.services, viewer)
    _, record = await use_cases.create_token(context, "child", [Grant("default", frozenset(Scope))], None)
    assert record.created_by == "lead"
    wanted = [Grant(name, READ) for name in ("default", "lab", "vault", "nowhere", "*")]
    with pytest.raises(Problems) as refused:
        await use_cases.create_token(context, "child", wanted, None)
    assert codes(refused.value) == ["FORBIDDEN", "NOT_FOUND", "NOT_FOUND", "FORBIDDEN"]
    messages = [error.message for error in refused.value.errors[1:3]]
    assert messages[0].replace("vault", "nowhere") == messages[1]


async def test_absent_workspaces_cannot_be_granted(admin: Context) -> None:
    with pytest.raises(Problems) as refused:
        await use_cases.create_token(admin, "x", [Grant("default", READ), Grant("nowhere", READ)], None)
    assert codes(refused.value) == ["NOT_FOUND"]
    assert refused.value.errors[0].path == ("grants", 1, "workspace")


async def test_everything_wrong_with_a_new_token_is_said_at_once(admin: Context) -> None:
    with pytest.raises(Problems) as refused:
        await use_cases.create_token(admin, "a b", [Grant("default", frozenset())], now() - timedelta(seconds=1))
    assert codes(refused.value) == ["INVALID_INPUT"] * 3
    with pytest.raises(Problems):
        await use_cases.create_token(admin, "none", [], None)
    assert await admin.services.database["tokens"].count_documents({}) == 0


async def test_a_token_does_not_outlive_its_creator(services: Services) -> None:
    ends = now() + timedelta(hours=1)
    context = Context(services, Viewer("lead", EVERYTHING, "t", ends))
    for wanted in (None, ends + timedelta(seconds=1)):
        with pytest.raises(Problems) as refused:
            await use_cases.create_token(context, "child", ON_DEFAULT, wanted)
        assert codes(refused.value) == ["FORBIDDEN"]
    _, record = await use_cases.create_token(context, "child", ON_DEFAULT, ends)
    assert record.expires_at == ends


async def test_lists_show_what_the_viewer_administers(admin: Context) -> None:
    await create_workspace(admin, "lab", None)
    _, own = await use_cases.create_token(admin, "own", ON_DEFAULT, None)
    _, wide = await use_cases.create_token(admin, "wide", [*ON_DEFAULT, Grant("lab", READ)], None)
    _, all_of_them = await use_cases.create_token(admin, "all", [Grant("*", READ)], None)
    page = await use_cases.tokens(admin, PageRequest())
    assert [record.name for record in page.items] == ["all", "wide", "own"]
    lead = Context(admin.services, Viewer("lead", (Grant("default", ADMIN),)))
    assert [record.name for record in (await use_cases.tokens(lead, PageRequest())).items] == ["own"]
    assert await use_cases.count_tokens(lead) == 1
    ids = [own.id, wide.id, all_of_them.id]
    assert set(await use_cases.find_tokens(lead, ids)) == {own.id}
    reader = Context(admin.services, Viewer("reader", ON_DEFAULT))
    with pytest.raises(Forbidden):
        await use_cases.tokens(reader, PageRequest())
    assert await use_cases.find_tokens(reader, ids) == {}


async def test_tokens_of_others_cannot_be_revoked(admin: Context) -> None:
    await create_workspace(admin, "lab", None)
    secret, record = await use_cases.create_token(admin, "lab", [Grant("lab", READ)], None)
    lead = Context(admin.services, Viewer("lead", (Grant("default", ADMIN),)))
    for identity in (record.id, ObjectId(), None):
        with pytest.raises(NotFound) as missing:
            await use_cases.revoke_token(lead, identity, "same")
        assert missing.value.message.startswith("There is no token")
    assert await is_valid(admin.services, secret)


async def test_grants_of_one_workspace_become_one(admin: Context) -> None:
    grants = [Grant("default", READ), Grant("default", frozenset({Scope.RUN}))]
    _, record = await use_cases.create_token(admin, "x", grants, None)
    assert record.grants == (Grant("default", frozenset({Scope.READ, Scope.RUN})),)


async def test_a_child_with_bad_grants_is_refused_by_name(admin: Context) -> None:
    with pytest.raises(Problems) as refused:
        await use_cases.create_token(admin, "x", [Grant("default", READ)] * 101, None)
    assert isinstance(refused.value.errors[0], InvalidInput)


@pytest.mark.parametrize(
    "shown", ["correct-horse-battery", "correct-horse-batterx", "x", "pinset_" + "A" * 43, "ü" * 500]
)
async def test_whatever_is_shown_hashes_of_one_length_are_compared(
    services: Services, monkeypatch: pytest.MonkeyPatch, shown: str
) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return hmac.compare_digest(one, other)

    monkeypatch.setattr("server.auth.compare_digest", compare)
    authenticator = TokenAuthenticator("correct-horse-battery", services)
    with contextlib.suppress(Unauthenticated):
        await authenticator.authenticate(f"Bearer {shown}")
    assert [tuple(map(len, pair)) for pair in compared] == [(32, 32)]
    assert compared[0][1] == hashlib.sha256(shown.encode()).digest()
