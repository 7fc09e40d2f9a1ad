"""`pinset serve` as a process: what it says, what it serves, how it ends, and how it fails."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SERVE = "from typer import Typer; from server.commands.serve import serve; app = Typer(); "
SERVE += "app.callback()(lambda: None); app.command()(serve); app()"

CREATE = """
mutation { createTask(input: {name: "a", task: {spec: {evaluator: {intent: "x"}}}}) { errors { message } } }
"""


@contextmanager
def server(*arguments: object, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """The process; killed where the test has not ended it."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PINSET_")}
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, "serve", *map(str, arguments)],
        cwd=ROOT,
        env={**inherited, "PYTHONPATH": f"{ROOT}:{ROOT / 'client'}", "PINSET_WORKER": "false", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def announced(process: subprocess.Popen[str]) -> str:
    """The address that the process says it answers at."""
    assert process.stdout is not None
    while found := process.stdout.readline():
        if address := re.search(r"http://\S+/graphql", found):
            return address[0]
    raise AssertionError(process.communicate()[1])


def stopped(process: subprocess.Popen[str], number: signal.Signals = signal.SIGINT) -> tuple[str, str]:
    """Send the signal and wait; what was said after the address, and on standard error."""
    process.send_signal(number)
    assert process.stdout is not None
    assert process.stderr is not None
    said = process.stdout.read(), process.stderr.read()
    process.wait(60)
    return said


def ask(url: str, query: str) -> Any:
    body = json.dumps({"query": query}).encode()
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_starts_says_where_serves_and_stops(tmp_path: Path, number: signal.Signals) -> None:
    with server("--port", 0, "--data-dir", tmp_path / "data") as process:
        url = announced(process)
        assert ask(url, "{ tasksets { totalCount } }") == {"data": {"tasksets": {"totalCount": 0}}}
        output, errors = stopped(process, number)
    assert process.returncode == 0
    assert "Things to try" in output
    assert "Traceback" not in errors


@pytest.mark.slow
def test_a_server_with_data_needs_no_hints(tmp_path: Path) -> None:
    outputs = []
    for _ in range(2):
        with server("--port", 0, "--data-dir", tmp_path / "data") as process:
            assert "errors" not in ask(announced(process), CREATE)
            outputs.append(stopped(process)[0])
    assert "Things to try" in outputs[0]
    assert "Things to try" not in outputs[1]


@pytest.mark.slow
def test_a_port_in_use_is_one_message() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with server("--port", port) as process:
            _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.startswith(f"pinset: Cannot listen on 127.0.0.1:{port}")
    assert "Traceback" not in errors


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"PINSET_AUTH": "maybe"}, "PINSET_AUTH"),
        ({"PINSET_ONLY_TRUSTED": "true"}, "PINSET_TRUSTED_DOCUMENTS"),
        ({"PINSET_MONGODB_URL": "mongodb://127.0.0.1:1/", "PINSET_MONGODB_TIMEOUT_SECONDS": "0.2"}, "MongoDB"),
    ],
)
def test_settings_that_cannot_be_used_are_one_message(environment: dict[str, str], message: str) -> None:
    with server("--port", 0, **environment) as process:
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.startswith("pinset: ")
    assert message in errors
    assert "Traceback" not in errors
    assert output == ""
