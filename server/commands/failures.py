"""How the server's commands fail: one message on standard error, exit code 1, no traceback."""

import functools
from collections.abc import Callable
from typing import ParamSpec

import typer

FAILED = 1

Arguments = ParamSpec("Arguments")


def reported(command: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """A command whose PinsetErrors end it with their message; Ctrl-C ends it quietly."""

    @functools.wraps(command)
    def run(*arguments: Arguments.args, **options: Arguments.kwargs) -> None:
        from domain.errors import PinsetError

        try:
            command(*arguments, **options)
        except PinsetError as error:
            typer.echo(f"pinset: {error.message}", err=True)
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt:
            raise typer.Exit(130) from None

    return run
