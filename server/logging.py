"""Structured logs: one line an event, with the operation's name and the request's id, never content or secrets.

`structlog` renders them; the records of the libraries that use `logging` pass through the same renderer.
"""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Final, Literal

import structlog

# Strawberry logs every client's typo with a traceback, and uvicorn every connection.
QUIET: Final = {
    "strawberry.execution": logging.CRITICAL,
    "uvicorn.access": logging.WARNING,
    "uvicorn.error": logging.WARNING,
}


def configure(format_: Literal["auto", "console", "json"], level: str) -> None:
    """Set up logging for the whole process."""
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _without_nulls,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_formatter(format_, shared))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name, minimum in QUIET.items():
        logging.getLogger(name).setLevel(minimum)


def _formatter(format_: str, shared: list[structlog.types.Processor]) -> structlog.stdlib.ProcessorFormatter:
    if format_ == "json" or (format_ == "auto" and not sys.stderr.isatty()):
        last: list[structlog.types.Processor] = [
            structlog.processors.dict_tracebacks,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    else:
        # Rich tracebacks would print local variables, and with them content.
        last = [
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)
        ]
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
    )


def _without_nulls(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {key: value for key, value in event.items() if value is not None}
