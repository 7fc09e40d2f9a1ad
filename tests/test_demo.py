"""`pinset demo`: what it prints, once and again, and with a server of its own; README shows exactly that."""

import json
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pinset.command import build
from pinset.commands import private_server
from pinset.synchronous import client
from resolvers.context import Context
from storage.services import Services
from tests.command_line import CLIENT_COMMANDS, EXAMPLES, CommandLine, command_line
from tests.operations import data
from tests.test_worker import working

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[1]
SERVE = "from typer import Typer; from server.commands.serve import serve; app = Typer(); "
SERVE += "app.callback()(lambda: None); app.command()(serve); app()"


@pytest.fixture
async def pinset(services: Services) -> AsyncIterator[CommandLine]:
    async with working(Context(services)), command_line(services) as run:
        yield run


def transcript() -> str:
    """What README says that the command prints."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```console\n\$ \S*pinset demo\n(.*?)```", readme, re.DOTALL)
    assert block is not None
    return block[1]


async def test_it_prints_what_readme_shows(pinset: CommandLine) -> None:
    assert (await pinset.done("demo")).out == transcript()


async def test_a_second_run_changes_nothing(pinset: CommandLine, context: Context) -> None:
    document = """{
      tasks { nodes { name updatedAt latest { number digest } } }
      tasksets { nodes { name updatedAt latest { number digest } } }
    }"""
    await pinset.done("demo")
    before = await data(document, {}, context)
    again = (await pinset.done("demo")).out
    assert await data(document, {}, Context(context.services)) == before
    assert again.count("there already") == 4
    assert "unchanged, revision 2" in again
    assert again.partition("3. What moved")[2] == transcript().partition("3. What moved")[2]
    assert (await data("{ jobs { totalCount } }", {}, Context(context.services))) == {"jobs": {"totalCount": 1}}


async def test_any_workspace_will_do(pinset: CommandLine, context: Context) -> None:
    await data('mutation { createWorkspace(input: {name: "team"}) { errors { code } } }', {}, context)
    ended = await pinset.done("demo", "--workspace", "team")
    assert "default/" not in ended.out
    assert "team/geography-suite#" in ended.out
    refused = await pinset("demo", "--workspace", "nowhere")
    assert (refused.code, refused.err) == (1, "pinset: workspace: There is no workspace 'nowhere'; create it first.\n")


async def test_what_it_finds_changed_is_shown_as_it_is(pinset: CommandLine, context: Context) -> None:
    await pinset.done("demo")
    replace = """mutation { replaceTaskset(input: {name: "geography-suite", taskset: {tasks: ["capital-of-japan"]}}) {
      outcome errors { code }
    } }"""
    assert (await data(replace, {}, context))["replaceTaskset"] == {"outcome": "PUBLISHED", "errors": []}
    ended = await pinset.done("demo")
    assert "Members whose task has moved on: none." in ended.out


async def test_a_named_server_that_does_not_answer_is_an_error(pinset: CommandLine) -> None:
    ended = await pinset("demo", "--url", "http://127.0.0.1:9")
    assert (ended.code, ended.out) == (3, "")
    assert ended.err.startswith("pinset: No answer from http://127.0.0.1:9")


def test_its_example_is_the_one_in_the_examples() -> None:
    packaged = Path(private_server.__file__).with_name("geography.json").read_text(encoding="utf-8")
    assert json.loads(packaged) == json.loads((EXAMPLES / "geography.json").read_text(encoding="utf-8"))


def alone(monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    """The command where no server runs."""
    monkeypatch.setattr(client, "DEFAULT_URL", "http://127.0.0.1:9")
    monkeypatch.delenv("PINSET_URL", raising=False)
    result = CliRunner().invoke(build(CLIENT_COMMANDS), ["demo"])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.slow
def test_without_a_server_it_starts_one_that_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_server, "SERVE", (sys.executable, "-c", SERVE, "serve"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "client"))
    monkeypatch.chdir(ROOT)
    code, out, err = alone(monkeypatch)
    assert (code, err) == (0, "")
    first, _, rest = out.partition("\n\n")
    assert first == "No server answers here: a private one is started, and ends with this command."
    assert rest == transcript()


def test_where_none_can_be_started_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = (sys.executable, "-c", "import sys; sys.exit('there is no mongod')")
    monkeypatch.setattr(private_server, "SERVE", failing)
    code, _, err = alone(monkeypatch)
    assert code == 1
    assert err == (
        "pinset: No server answers, and a private one did not start: there is no mongod\n"
        "Name a running server with --url, or install pinset-server beside this command.\n"
    )
