"""`pinset serve`: the API server, with a MongoDB of its own unless it is given one."""

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from server.commands.failures import reported

HINTS = """
  There is nothing in it yet. Things to try:

    the address above, in a browser   GraphiQL, with the whole schema described
    pinset demo                       a small taskset: what moves, and what stays pinned
    pinset sync tasks.jsonl           your own tasks as one taskset
"""


@reported
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on. [default: 127.0.0.1]")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one. [default: 8000]")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Directory of the private MongoDB. [default: .pinset]")] = None,
    worker: Annotated[
        bool | None, typer.Option("--worker/--no-worker", help="Whether to run a worker beside it. [default: yes]")
    ] = None,
) -> None:
    """Serve the GraphQL API until Ctrl-C. Settings come from PINSET_* variables; options win over them."""
    from server.haste import haste

    with haste():
        from server.launching import launching
        from server.listening import bind
        from server.settings import load_settings

        settings = load_settings(host=host, port=port, data_dir=data_dir, worker=worker)
        with closing(bind(settings.host, settings.port)) as listener, launching(settings) as launched:
            import server.without_rich  # noqa: F401 - before anything imports structlog
            from server.early import starting
            from server.logging import configure

            configure(settings.log_format, settings.log_level)
            mongodb = starting(launched, settings)
            from server.serving import run

            run(settings, announce, listener, mongodb)


def announce(url: str, is_new: bool) -> None:
    """Say where the server is, and to newcomers what to do with it."""
    print(f"\n  Pinset answers at {url}   (Ctrl-C stops it)")
    if is_new:
        print(HINTS)
    sys.stdout.flush()
