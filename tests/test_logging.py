"""Log lines: structured, named, with an error's id, and without local variables, values or secrets."""

import io
import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from server import operations
from server.logging import configure
from tests.transport_fixtures import client

pytestmark = pytest.mark.anyio


class Terminal(io.TextIOWrapper):
    """Standard error that remembers; a terminal or not."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__(io.BytesIO(), "utf-8", write_through=True)
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal

    @property
    def lines(self) -> list[str]:
        self.seek(0)
        return self.read().splitlines()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Everything that is logged, at level info, as JSON."""
    before, handlers, level = structlog.get_config(), logging.getLogger().handlers, logging.getLogger().level
    stream = Terminal(is_terminal=False)
    monkeypatch.setattr(sys, "stderr", stream)
    configure("auto", "info")
    structlog.configure(cache_logger_on_first_use=False)
    yield stream
    structlog.configure(**before)
    logging.getLogger().handlers = handlers
    logging.getLogger().setLevel(level)


def parsed(stream: Terminal) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.lines]


def test_a_line_is_json_with_name_level_and_time(written: Terminal) -> None:
    structlog.get_logger("pinset.test").info("happened", count=3, nothing=None, text="é\n")
    (line,) = parsed(written)
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "happened", "count": 3, "text": "é\n", "level": "info", "logger": "pinset.test"}


def test_lines_under_the_level_are_not_written(written: Terminal) -> None:
    structlog.get_logger("pinset.test").debug("happened")
    assert written.lines == []


def test_libraries_pass_through_the_same_renderer(written: Terminal) -> None:
    logging.getLogger("library").warning("it %s", "happened")
    (line,) = parsed(written)
    assert (line["event"], line["level"], line["logger"]) == ("it happened", "warning", "library")


def test_a_traceback_shows_no_local_variables(written: Terminal) -> None:
    def fail(secret: str) -> None:
        raise RuntimeError(f"{len(secret)} characters were not enough")

    try:
        fail("correct horse")
    except RuntimeError:
        structlog.get_logger("pinset.test").exception("failed")
    (line,) = parsed(written)
    assert line["exception"][0]["exc_value"] == "13 characters were not enough"
    assert "correct horse" not in json.dumps(line)


def test_a_terminal_gets_lines_for_people(written: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(is_terminal=True)
    monkeypatch.setattr(sys, "stderr", terminal)
    configure("auto", "info")
    structlog.configure(cache_logger_on_first_use=False)
    secret = "a-local-variable"
    try:
        raise RuntimeError("broken")
    except RuntimeError:
        structlog.get_logger("pinset.test").exception("failed")
    text = "\n".join(terminal.lines)
    assert "failed" in text
    assert "RuntimeError: broken" in text
    assert text.count(secret) == text.count('secret = "')
    assert written.lines == []


async def test_an_operation_is_one_line_without_its_values(written: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "log", structlog.get_logger("pinset.operations"))
    http = client()
    await http.http.post(
        "/graphql",
        json={"query": 'query Greet { hello(name: "private") }', "variables": {"also": "private"}},
        headers={"x-request-id": "request-7", "authorization": "Bearer private"},
    )
    line = next(line for line in parsed(written) if line["event"] == "operation")
    assert line["operation"] == "Greet"
    assert line["request_id"] == "request-7"
    assert line["kind"] == "query"
    assert "private" not in "".join(written.lines)
