"""The client's commands run in a thread against a server in the test's own event loop."""

import json
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Final

import anyio
from typer.testing import CliRunner

from interop.harbor import verify_archive
from pinset.command import GROUP, build
from schema.build import build_schema
from server.app import create_app
from server.settings import Settings
from storage.services import Services
from tests.graphql_client import serving
from tests.quiet_logs import quiet

quiet()

ROOT: Final = Path(__file__).parent.parent
EXAMPLES: Final = ROOT / "examples"


def declared(manifest: str) -> list[EntryPoint]:
    """The commands that a distribution declares; the tests run from a checkout, where none need be installed."""
    project = tomllib.loads((ROOT / manifest).read_text(encoding="utf-8"))["project"]
    return [EntryPoint(name, value, GROUP) for name, value in project["entry-points"][GROUP].items()]


SERVER_COMMANDS: Final = declared("pyproject.toml")
CLIENT_COMMANDS: Final = declared("client/pyproject.toml")


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Standard output as one JSON document a line."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True)
class CommandLine:
    """The command `pinset` against one server."""

    url: str

    async def __call__(self, *arguments: object) -> Ended:
        """Run a command and wait for its end."""
        app = build(CLIENT_COMMANDS)
        environment = {"PINSET_URL": self.url, "COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1"}

        def run() -> Ended:
            result = CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                raise result.exception
            return Ended(result.exit_code, result.stdout, result.stderr)

        return await anyio.to_thread.run_sync(run)

    async def done(self, *arguments: object) -> Ended:
        """Run a command that must succeed."""
        ended = await self(*arguments)
        assert ended.code == 0, ended.err + ended.out
        return ended


@asynccontextmanager
async def command_line(services: Services, **settings: Any) -> AsyncIterator[CommandLine]:
    """The command line against a server of its own over `services`."""
    services.verify_archive = verify_archive
    application = create_app(Settings(introspection=False, **settings), services, build_schema())
    async with serving(application.asgi) as address:
        yield CommandLine(f"http://{address}")
