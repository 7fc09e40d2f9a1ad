"""The command `pinset`. Installed packages add to it through the entry-point group `pinset.commands`.

Each entry point has the name of a command, and is its function or, where it has commands of its own, its Typer app.
"""

import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import EntryPoint, entry_points

import typer

GROUP = "pinset.commands"


def chosen(installed: Iterable[EntryPoint], arguments: Sequence[str]) -> list[EntryPoint]:
    """The commands to load: the one that the arguments begin with, else (help, mistakes) all, sorted by name.

    They bring libraries that take most of a second to load, and no command needs those of another.
    """
    found = sorted(installed, key=lambda entry: entry.name)
    return [entry for entry in found if entry.name in arguments[:1]] or found


def build(commands: Iterable[EntryPoint]) -> typer.Typer:
    """The command line with these commands."""
    app = typer.Typer(
        name="pinset",
        help="Keep evaluation tasks, pin them by digest, and run jobs over them.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(lambda: None)
    for entry in commands:
        command = entry.load()
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=entry.name)
        else:
            app.command(entry.name)(command)
    return app


def main() -> None:
    """Run the command line."""
    build(chosen(entry_points(group=GROUP), sys.argv[1:]))()
