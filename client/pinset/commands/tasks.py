"""`pinset tasks`: reading, tagging and deleting tasks."""

from typing import Annotated

import typer

from pinset.commands.failures import reported
from pinset.commands.options import DEFAULT_WORKSPACE, AsJson, Token, Url, Workspace, connect
from pinset.commands.output import say, show_json, show_table

app = typer.Typer(help="Read, tag and delete tasks.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The task's name.")]
Contains = Annotated[str | None, typer.Option("--contains", help="Only names that contain this.")]


@app.command(name="list")
@reported
def list_(
    workspace: Workspace = DEFAULT_WORKSPACE,
    contains: Contains = None,
    json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """List the tasks of a workspace."""
    filters = {} if contains is None else {"name_contains": contains}
    with connect(url, token, workspace) as client:
        rows = list(client.tasks.list(page_size=500, **filters))
    if json:
        show_json(rows)
        return
    columns = ("task", "kind", "revision", "digest", "tags", "updated")
    show_table(
        columns,
        [
            (
                row.name,
                row.latest.spec.kind.value.lower() if row.latest.spec else None,
                row.latest.number,
                row.latest.digest[:12],
                row.latest.tags,
                f"{row.updated_at:%Y-%m-%d %H:%M}",
            )
            for row in rows
        ],
    )


@app.command()
@reported
def show(
    name: Annotated[str, typer.Argument(help="NAME, NAME#TAG or NAME#DIGEST.")],
    workspace: Workspace = DEFAULT_WORKSPACE,
    url: Url = None,
    token: Token = None,
) -> None:
    """Print a revision of a task as JSON."""
    with connect(url, token, workspace) as client:
        show_json(client.tasks.retrieve_revision(name))


@app.command()
@reported
def revisions(
    name: Name, workspace: Workspace = DEFAULT_WORKSPACE, json: AsJson = False, url: Url = None, token: Token = None
) -> None:
    """List a task's revisions, newest first."""
    with connect(url, token, workspace) as client:
        rows = list(client.tasks.list_revisions(name))
    if json:
        show_json(rows)
        return
    cells = [(row.number, row.digest, row.tags, f"{row.created_at:%Y-%m-%d %H:%M}", row.created_by) for row in rows]
    show_table(("revision", "digest", "tags", "created", "by"), cells)


@app.command()
@reported
def tag(
    name: Name,
    tag: Annotated[str, typer.Argument(help="The tag to move.")],
    digest: Annotated[str | None, typer.Option(help="To the revision with this digest.")] = None,
    number: Annotated[int | None, typer.Option(help="To the revision with this ordinal.")] = None,
    source: Annotated[str | None, typer.Option("--like", help="To where this tag points.")] = None,
    workspace: Workspace = DEFAULT_WORKSPACE,
    url: Url = None,
    token: Token = None,
) -> None:
    """Point a tag at a revision; at the latest one where nothing else is said."""
    if digest is None and number is None and source is None:
        source = "latest"
    with connect(url, token, workspace) as client:
        client.tasks.tag(name, tag, revision=digest, number=number, source_tag=source)
    say(f"{name}#{tag} moved")


@app.command()
@reported
def untag(
    name: Name,
    tag: Annotated[str, typer.Argument(help="The tag to remove.")],
    workspace: Workspace = DEFAULT_WORKSPACE,
    url: Url = None,
    token: Token = None,
) -> None:
    """Remove a tag."""
    with connect(url, token, workspace) as client:
        client.tasks.untag(name, tag)
    say(f"{name}#{tag} removed")


@app.command()
@reported
def delete(
    name: Name,
    force: Annotated[bool, typer.Option(help="Also where tasksets pin it.")] = False,
    workspace: Workspace = DEFAULT_WORKSPACE,
    url: Url = None,
    token: Token = None,
) -> None:
    """Delete a task with all its revisions."""
    with connect(url, token, workspace) as client:
        client.tasks.delete(name, force=force)
    say(f"{name} deleted")
