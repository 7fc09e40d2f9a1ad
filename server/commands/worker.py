"""`pinset worker`: runs and scores trials, as many workers as wanted, on any machine that reaches the database."""

from typing import Annotated

import typer

from server.commands.failures import reported


@reported
def worker(
    capacity: Annotated[int, typer.Option(help="How many trials to hold at once.", min=1, max=1000)] = 256,
) -> None:
    """Run and score trials until Ctrl-C, on the database of PINSET_MONGODB_URL or of a server on this machine."""
    from server.logging import configure
    from server.settings import load_settings
    from server.working import run

    settings = load_settings()
    configure(settings.log_format, settings.log_level)
    run(settings, capacity)
