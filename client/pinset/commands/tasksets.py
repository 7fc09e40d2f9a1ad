"""`pinset tasksets`: reading, tagging and deleting tasksets."""

from typing import TYPE_CHECKING, Annotated

import typer

from pinset.commands.failures import reported
from pinset.commands.options import DEFAULT_WORKSPACE, AsJson, Token, Url, Workspace, connect
from pinset.commands.output import say, show_json, show_table

if TYPE_CHECKING:
    from pinset.models import Member

app = typer.Typer(help="Read, tag and delete tasksets.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The taskset's name.")]


@app.command(name="list")
@reported
def list_(workspace: Workspace = DEFAULT_WORKSPACE, json: AsJson = False, url: Url = None, token: Token = None) -> None:
    """List the tasksets of a workspace."""
    with connect(url, token, workspace) as client:
        rows = list(client.tasksets.list(page_size=500))
    if json:
        show_json(rows)
        return
    cells = [
        (
            row.name,
            row.latest.member_count,
            row.latest.number,
            row.latest.digest[:12],
            f"{row.updated_at:%Y-%m-%d %H:%M}",
        )
        for row in rows
    ]
    show_table(("taskset", "tasks", "revision", "digest", "updated"), cells)


@app.command()
@reported
def show(
    name: Annotated[str, typer.Argument(help="NAME, NAME#TAG or NAME#DIGEST.")],
    workspace: Workspace = DEFAULT_WORKSPACE,
    json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show a revision with its members in the order published."""
    with connect(url, token, workspace) as client:
        revision = client.tasksets.retrieve_revision(name)
        members = list(client.tasksets.members(name))
    if json:
        rows = [{"ref": row.ref, "isOutdated": row.is_outdated, "isDangling": row.is_dangling} for row in members]
        show_json({"ref": revision.ref, "number": revision.number, "content": revision.content, "members": rows})
        return
    print(f"{revision.ref}\nrevision {revision.number}, {revision.member_count} tasks, tags {', '.join(revision.tags)}")
    show_table(("", "task", "digest", "state"), [(row.position, row.name, row.digest, _state(row)) for row in members])


@app.command()
@reported
def revisions(
    name: Name, workspace: Workspace = DEFAULT_WORKSPACE, json: AsJson = False, url: Url = None, token: Token = None
) -> None:
    """List a taskset's revisions, newest first."""
    with connect(url, token, workspace) as client:
        rows = list(client.tasksets.list_revisions(name))
    if json:
        show_json(rows)
        return
    cells = [(row.number, row.digest, row.member_count, row.tags, f"{row.created_at:%Y-%m-%d %H:%M}") for row in rows]
    show_table(("revision", "digest", "tasks", "tags", "created"), cells)


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
        client.tasksets.tag(name, tag, revision=digest, number=number, source_tag=source)
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
        client.tasksets.untag(name, tag)
    say(f"{name}#{tag} removed")


@app.command()
@reported
def delete(name: Name, workspace: Workspace = DEFAULT_WORKSPACE, url: Url = None, token: Token = None) -> None:
    """Delete a taskset; its tasks stay."""
    with connect(url, token, workspace) as client:
        client.tasksets.delete(name)
    say(f"{name} deleted")


def _state(member: "Member") -> str:
    if member.is_hidden:
        return "hidden"
    if member.is_dangling:
        return "dangling"
    return "outdated" if member.is_outdated else ""
