"""How commands fail: one message on standard error, an exit code, no traceback."""

import functools
from collections.abc import Callable
from typing import Final, ParamSpec

import typer

from pinset.errors import MutationError, PinsetError, Unreachable
from pinset.files.problems import FileProblem

FAILED: Final = 1
UNREACHABLE: Final = 3
INTERRUPTED: Final = 130
MOST_PROBLEMS: Final = 20

Arguments = ParamSpec("Arguments")


def reported(command: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """A command whose failures end it with their message."""

    @functools.wraps(command)
    def run(*arguments: Arguments.args, **options: Arguments.kwargs) -> None:
        try:
            command(*arguments, **options)
        except Unreachable as error:
            raise _exit(str(error), UNREACHABLE) from None
        except MutationError as error:
            raise _exit(explained(error), FAILED) from None
        except (PinsetError, FileProblem, OSError) as error:
            raise _exit(str(error), FAILED) from None
        except KeyboardInterrupt:
            raise _exit("interrupted", INTERRUPTED) from None

    return run


def explained(error: MutationError) -> str:
    """Every problem of a mutation on a line of its own, the place in front."""
    lines = [_line(problem.message, problem.path) for problem in error.problems[:MOST_PROBLEMS]]
    more = len(error.problems) - len(lines)
    return "\n".join([*lines, f"… and {more} more"] if more else lines)


def _line(message: str, path: tuple[str, ...]) -> str:
    place = ".".join(part for part in path if part != "input")
    return f"{place}: {message}" if place else message


def _exit(message: str, code: int) -> typer.Exit:
    typer.echo(f"pinset: {message}", err=True)
    return typer.Exit(code)
