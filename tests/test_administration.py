"""`pinset token` and `pinset audit`, at a running server and straight at its database."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from pinset.command import build
from schema.build import build_schema
from server.app import create_app
from server.settings import Settings
from storage.driver import Database
from storage.services import Services
from storage.tokens import authenticate, hash_of
from tests.command_line import SERVER_COMMANDS
from tests.graphql_client import serving
from tests.quiet_logs import quiet

pytestmark = pytest.mark.anyio

# Without it the server's log would go to standard output, which the commands' own output is read from.
quiet()

ADMIN_TOKEN = "the-admin-token-of-this-test"


@pytest.fixture
def at_database(monkeypatch: pytest.MonkeyPatch, mongodb_url: str, database: Database) -> None:
    """Settings that lead to the test's own database."""
    monkeypatch.setenv("PINSET_MONGODB_URL", mongodb_url)
    monkeypatch.setenv("PINSET_DATABASE", database.name)
    monkeypatch.delenv("PINSET_URL", raising=False)


async def pinset(*arguments: str) -> Result:
    """Run a command in a thread, where it has an event loop of its own."""
    return await asyncio.to_thread(CliRunner().invoke, build(SERVER_COMMANDS), arguments)


async def tokens(*options: str) -> list[dict[str, Any]]:
    result = await pinset("token", "list", "--json", *options)
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


async def test_a_token_lives_and_ends_at_the_database(at_database: None, services: Services) -> None:
    created = await pinset("token", "create", "ci", "--grant", "default=read,run", "--grant", "*=READ")
    assert created.exit_code == 0, created.output
    secret = created.stdout.strip()
    record = await authenticate(services, secret)
    assert record is not None
    assert record.created_by == "command-line"
    (listed,) = await tokens()
    assert [grant["scopes"] for grant in listed["grants"]] == [["READ", "RUN"], ["READ"]]
    assert secret not in json.dumps(listed)
    assert hash_of(secret) not in json.dumps(listed)
    revoked = await pinset("token", "revoke", listed["id"])
    assert revoked.exit_code == 0, revoked.output
    plain = await pinset("token", "list")
    assert "\tci\tdefault=READ,RUN *=READ\trevoked " in plain.stdout


async def test_a_token_lives_and_ends_at_a_server(services: Services, tmp_path: Path) -> None:
    app = create_app(Settings(auth="tokens", admin_token=ADMIN_TOKEN), services, build_schema())
    async with serving(app.asgi) as address:
        at_server = ("--url", f"http://{address}", "--token", ADMIN_TOKEN)
        created = await pinset(
            "token", "create", "ci", "--grant", "default=READ", "--expires-in", "8w", "--json", *at_server
        )
        assert created.exit_code == 0, created.output
        secret = json.loads(created.stdout)["secret"]
        assert await authenticate(services, secret) is not None
        (listed,) = await tokens(*at_server)
        assert listed["expiresAt"] is not None
        assert (await pinset("token", "revoke", listed["id"], *at_server)).exit_code == 0
        assert await authenticate(services, secret) is None
        refused = await pinset("token", "list", "--url", f"http://{address}", "--token", secret)
        assert refused.exit_code == 1
        assert "not valid" in refused.output
        log = tmp_path / "audit.jsonl"
        exported = await pinset("audit", "export", "-o", str(log), *at_server)
        assert exported.exit_code == 0, exported.output
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert [(line["action"], line["type"], line["ref"], line["actor"]) for line in lines] == [
        ("REVOKE", "TOKEN", "ci", "admin"),
        ("CREATE", "TOKEN", "ci", "admin"),
    ]
    assert {line["address"] for line in lines} == {"127.0.0.1"}
    assert all(line["requestId"] for line in lines)


async def test_the_audit_log_is_exported_from_the_database(at_database: None, services: Services) -> None:
    await pinset("token", "create", "ci", "--grant", "default=READ")
    exported = await pinset("audit", "export", "--workspace", "default", "--since", "2020-01-01T00:00:00Z")
    assert exported.exit_code == 0, exported.output
    (line,) = exported.stdout.splitlines()
    assert json.loads(line)["actor"] == "command-line"
    nothing = await pinset("audit", "export", "--since", "2199-01-01T00:00:00Z")
    assert (nothing.exit_code, nothing.stdout) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("create", "ci", "--grant", "default"), 2, "not a grant"),
        (("create", "ci", "--grant", "default=FLY"), 2, "the scopes are"),
        (("create", "ci", "--grant", "default=READ", "--expires-in", "soon"), 2, "not a duration"),
        (("create", "ci", "--grant", "nowhere=READ"), 1, "no workspace"),
        (("create", "a b", "--grant", "default=READ"), 1, "not a legal token name"),
        (("revoke", "rubbish"), 1, "no token"),
    ],
)
async def test_mistakes_are_explained(
    at_database: None, services: Services, arguments: tuple[str, ...], code: int, message: str
) -> None:
    result = await pinset("token", *arguments)
    assert result.exit_code == code
    assert message in " ".join(result.output.split())
