"""`pinset schema`: the schema as a file, what changed in it, and whether a client's documents are valid against it."""

from pathlib import Path
from typing import Annotated

import typer

from server.commands.failures import FAILED, reported

app = typer.Typer(no_args_is_help=True, help="Export the GraphQL schema, compare two, or check documents against it.")


@app.command("export")
@reported
def export(
    out: Annotated[Path | None, typer.Option(help="File to write; without it, standard output.")] = None,
) -> None:
    """Write the schema of this version as SDL."""
    from schema.export import printed

    if out is None:
        typer.echo(printed(), nl=False)
    else:
        out.write_text(printed(), "utf-8")


@app.command("check")
@reported
def check(
    directory: Annotated[Path, typer.Argument(help="Directory of .graphql documents.", exists=True, file_okay=False)],
    schema: Annotated[Path | None, typer.Option(help="Schema to check against; without it, this version's.")] = None,
) -> None:
    """Validate a directory of client documents; exit code 1 where one of them is not valid."""
    from schema.changes import problems
    from schema.export import printed

    found = list(problems(directory, schema.read_text("utf-8") if schema else printed()))
    for problem in found:
        typer.echo(problem)
    if found:
        raise typer.Exit(FAILED)


@app.command("diff")
@reported
def diff(
    old: Annotated[Path, typer.Argument(help="The schema that clients know.", exists=True, dir_okay=False)],
    new: Annotated[
        Path | None, typer.Argument(help="The schema to come; without it, this version's.", exists=True, dir_okay=False)
    ] = None,
) -> None:
    """List the changes between two schemas, the worst first; exit code 1 where one breaks clients."""
    from schema.changes import breaking, changes
    from schema.export import printed

    found = changes(old.read_text("utf-8"), new.read_text("utf-8") if new else printed())
    for change in found:
        typer.echo(str(change))
    if breaking(found):
        raise typer.Exit(FAILED)
