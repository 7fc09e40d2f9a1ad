"""What a start loads: a command what it needs alone, and a server nothing that only its worker or a client needs."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pinset.command import build, chosen
from tests.command_line import CLIENT_COMMANDS, SERVER_COMMANDS

ROOT = Path(__file__).parents[1]
COMMANDS = [*SERVER_COMMANDS, *CLIENT_COMMANDS]
ENTRY = "from importlib.metadata import EntryPoint; from pinset.command import build; "
CHOSEN = ENTRY + "build([EntryPoint('serve', 'server.commands.serve:serve', 'pinset.commands')])"


def loaded(program: str) -> Sequence[str]:
    """The modules that a program of its own has loaded at its end."""
    program += "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'client'}"}
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    modules: list[str] = json.loads(run.stdout)
    return modules


def found(modules: Sequence[str], *packages: str) -> list[str]:
    """Those of the packages that are among the modules."""
    return [package for package in packages if package in modules]


def test_a_command_is_loaded_alone() -> None:
    assert [entry.value for entry in chosen(COMMANDS, ["serve", "--port", "0"])] == ["server.commands.serve:serve"]


def test_the_command_serve_loads_neither_other_commands_nor_their_libraries() -> None:
    modules = loaded(CHOSEN)
    assert "server.commands.serve" in modules
    assert (
        found(modules, "pinset.commands", "pinset.generated", "pinset.synchronous", "httpx", "pydantic", "rich") == []
    )


@pytest.mark.parametrize("arguments", [[], ["--help"], ["server"], ["-h", "serve"]])
def test_help_and_mistakes_see_every_command(arguments: list[str]) -> None:
    assert [entry.name for entry in chosen(COMMANDS, arguments)] == sorted(entry.name for entry in COMMANDS)


def test_help_lists_every_command() -> None:
    result = CliRunner().invoke(build(COMMANDS), ["--help"], env={"TERM": "dumb", "COLUMNS": "200"})
    assert result.exit_code == 0
    assert [entry.name for entry in COMMANDS if f" {entry.name} " not in result.output] == []
