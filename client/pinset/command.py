"""The command `pinset`. Installed packages add to it through the entry-point group `pinset.commands`."""

from collections.abc import Callable
from importlib.metadata import entry_points

import typer

GROUP = "pinset.commands"


def build() -> typer.Typer:
    """The command line with everything that is installed; each entry point is a function that takes the Typer app."""
    app = typer.Typer(
        name="pinset",
        help="Keep evaluation tasks, pin them by digest, and run jobs over them.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(lambda: None)
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        register: Callable[[typer.Typer], None] = entry.load()
        register(app)
    return app


def main() -> None:
    """Run the command line."""
    build()()
