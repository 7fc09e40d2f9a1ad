"""What a start loads: a command what it needs alone, and a server nothing that only its worker or a client needs."""

import gc
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pinset.command import build, chosen
from server.haste import haste, settle
from tests.command_line import CLIENT_COMMANDS, SERVER_COMMANDS

ROOT = Path(__file__).parents[1]
COMMANDS = [*SERVER_COMMANDS, *CLIENT_COMMANDS]
ENTRY = "from importlib.metadata import EntryPoint; from pinset.command import build; "
SERVER = """
import typer, server.commands.serve, server.launching, server.listening
import server.without_rich, server.early, server.logging, server.serving
from schema.build import build_schema
build_schema()
"""
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


def test_mongod_is_launched_before_its_driver_is_loaded() -> None:
    modules = loaded("import server.launching, server.listening")
    assert found(modules, "pymongo", "motor", "structlog", "strawberry", "uvicorn") == []


def test_a_server_starts_without_what_only_its_worker_or_a_rare_request_needs() -> None:
    modules = loaded(SERVER)
    assert "server.serving" in modules
    rare = ("httpx", "httpcore", "h11", "jinja2", "jsonpath_ng", "pathspec", "rich", "pygments", "opentelemetry")
    heavy = ("numpy", "scipy", "sacrebleu", "rouge_score", "evaluation.worker", "evaluation.outgoing")
    assert found(modules, *rare, *heavy, "pinset") == []


@pytest.mark.parametrize("arguments", [[], ["--help"], ["server"], ["-h", "serve"]])
def test_help_and_mistakes_see_every_command(arguments: list[str]) -> None:
    assert [entry.name for entry in chosen(COMMANDS, arguments)] == sorted(entry.name for entry in COMMANDS)


def test_help_lists_every_command() -> None:
    result = CliRunner().invoke(build(COMMANDS), ["--help"], env={"TERM": "dumb", "COLUMNS": "200"})
    assert result.exit_code == 0
    assert [entry.name for entry in COMMANDS if f" {entry.name} " not in result.output] == []


@pytest.fixture
def collector() -> Iterator[None]:
    """Leaves the garbage collector as it was."""
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


def test_haste_ends_once_the_server_has_settled(collector: None) -> None:
    usual = sys.getswitchinterval()
    with haste():
        assert not gc.isenabled()
        assert sys.getswitchinterval() < usual
        settle()
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
        assert sys.getswitchinterval() < usual
    assert sys.getswitchinterval() == usual


def test_haste_ends_where_the_start_fails() -> None:
    usual = sys.getswitchinterval()
    with pytest.raises(OSError, match="taken"), haste():
        raise OSError("taken")
    assert gc.isenabled()
    assert sys.getswitchinterval() == usual
