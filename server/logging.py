"""Structured logs: one line an event on standard error, with the operation's name and the request's id, never content.

`structlog` renders our own events; the records of libraries that use `logging` pass through the same renderers.
"""

import functools
import logging
import sys
from collections.abc import MutableMapping
from typing import Any, BinaryIO, Final, Literal

import orjson
import structlog
from structlog.types import EventDict, Processor

# Uvicorn tells of every connection, and httpx of every request of a target.
QUIET: Final = ("uvicorn.access", "uvicorn.error", "httpx", "httpcore")


class NamedLogger(structlog.BytesLogger):
    """Writes lines, and knows what it is called."""

    def __init__(self, file: BinaryIO, name: str = "pinset") -> None:
        super().__init__(file)
        self.name = name


def configure(format_: Literal["auto", "console", "json"], level: str) -> None:
    """Set up logging for the whole process; `auto` is `console` on a terminal and `json` elsewhere."""
    as_json = format_ == "json" or (format_ == "auto" and not sys.stderr.isatty())
    renderers = _json() if as_json else _console()
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, *_common(), *renderers],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=functools.partial(NamedLogger, sys.stderr.buffer),
        cache_logger_on_first_use=True,
    )
    _configure_libraries(renderers, level)


def _common() -> list[Processor]:
    return [
        structlog.processors.add_log_level,
        _name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _without_nulls,
    ]


def _json() -> list[Processor]:
    # Both defaults would print local variables, and with them content.
    exceptions = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    return [structlog.processors.ExceptionRenderer(exceptions), structlog.processors.JSONRenderer(serializer=_dump)]


def _console() -> list[Processor]:
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain), _encode]


def _configure_libraries(renderers: list[Processor], level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    remove = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.stdlib.add_logger_name, *_common()], processors=[remove, *renderers, _decode]
    )
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    logging.getLogger("uvicorn.error").addFilter(_is_ours)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    # Strawberry logs every client's typo with a traceback.
    logging.getLogger("strawberry.execution").setLevel(logging.CRITICAL)


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether a record is about us: a frame that is not UTF-8 is its client's fault, and is answered with 1007."""
    return "Invalid UTF-8" not in record.getMessage()


def _name(logger: Any, _: str, event: EventDict) -> EventDict:
    if isinstance(logger, NamedLogger):
        event["logger"] = logger.name
    return event


def _without_nulls(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {key: value for key, value in event.items() if value is not None}


def _dump(value: object, default: Any, **_: object) -> bytes:
    return orjson.dumps(value, default=default)


def _encode(_: Any, __: str, line: Any) -> bytes:
    return str(line).encode("utf-8", "backslashreplace")


def _decode(_: Any, __: str, line: Any) -> str:
    return bytes(line).decode("utf-8")
