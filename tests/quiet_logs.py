"""Logs of test runs: warnings alone, and no logger kept from one test to the next."""

import structlog

from server.logging import configure


def quiet() -> None:
    """Log warnings as JSON; loggers look up the configuration at each line, so that a test can change it."""
    configure("json", "warning")
    structlog.configure(cache_logger_on_first_use=False)
