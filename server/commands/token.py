"""`pinset token`: create, list and end tokens, at a running server or straight at its database."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from server.commands.failures import reported

app = typer.Typer(no_args_is_help=True, help="Create, list and end the tokens that let programs call a server.")

Url = Annotated[
    str | None, typer.Option(envvar="PINSET_URL", help="The server. [default: the database of the settings]")
]
Token = Annotated[str | None, typer.Option(envvar="PINSET_TOKEN", help="A token with the scope ADMIN, for --url.")]
DataDir = Annotated[Path | None, typer.Option(help="Directory of the private MongoDB. [default: .pinset]")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]

_TOKEN = "id name grants { workspace scopes } createdAt createdBy expiresAt lastUsedAt revokedAt"
_CREATE = f"""
mutation CreateToken($input: CreateTokenInput!) {{
  createToken(input: $input) {{ secret token {{ {_TOKEN} }} errors {{ message }} }}
}}
"""
_REVOKE = """
mutation RevokeToken($input: RevokeTokenInput!) { revokeToken(input: $input) { revokedId errors { message } } }
"""
_LIST = f"""
query ListTokens($after: String) {{
  tokens(first: 500, after: $after) {{ nodes {{ {_TOKEN} }} pageInfo {{ hasNextPage endCursor }} }}
}}
"""
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@app.command("create")
@reported
def create(
    name: Annotated[str, typer.Argument(help="What it is for; recorded as the author of what is done with it.")],
    grant: Annotated[
        list[str],
        typer.Option(metavar="WORKSPACE=SCOPE,...", help="READ, WRITE, RUN, ADMIN; `*=` for all; repeatable."),
    ],
    expires_in: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Like 12h, 30d or 8w; without it the token stays valid.")
    ] = None,
    url: Url = None,
    token: Token = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Create a token and print its secret, which is shown only now."""
    from server.administration import administration, payload

    input = {"name": name, "grants": [_grant(text) for text in grant], "expiresAt": _expiry(expires_in)}
    with administration(url, token, data_dir) as execute:
        created = payload(execute(_CREATE, {"input": input}), "createToken")
    if as_json:
        typer.echo(json.dumps({"secret": created["secret"], **created["token"]}))
    else:
        typer.echo(created["secret"])


@app.command("list")
@reported
def list_(url: Url = None, token: Token = None, data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """List tokens, ended ones too, newest first. No secret is among what is printed."""
    from server.administration import administration

    found: list[dict[str, Any]] = []
    after: str | None = None
    with administration(url, token, data_dir) as execute:
        while True:
            page = execute(_LIST, {"after": after})["tokens"]
            found += page["nodes"]
            if not page["pageInfo"]["hasNextPage"]:
                break
            after = page["pageInfo"]["endCursor"]
    if as_json:
        typer.echo(json.dumps(found))
        return
    for each in found:
        typer.echo("\t".join((each["id"], each["name"], _shown(each["grants"]), _state(each))))


@app.command("revoke")
@reported
def revoke(
    id: Annotated[str, typer.Argument(help="The id of the token, as `pinset token list` prints it.")],
    url: Url = None,
    token: Token = None,
    data_dir: DataDir = None,
) -> None:
    """End a token for good; servers that run refuse it within two seconds."""
    from server.administration import administration, payload

    with administration(url, token, data_dir) as execute:
        payload(execute(_REVOKE, {"input": {"id": id}}), "revokeToken")
    typer.echo(f"Ended the token {id}.", err=True)


def _grant(text: str) -> dict[str, Any]:
    workspace, separator, scopes = text.rpartition("=")
    if not separator or not workspace:
        raise typer.BadParameter(f"{text!r} is not a grant; write it like default=READ,RUN")
    wanted = [scope.strip().upper() for scope in scopes.split(",")]
    unknown = sorted(set(wanted) - {"READ", "WRITE", "RUN", "ADMIN"})
    if unknown:
        raise typer.BadParameter(f"{', '.join(unknown)}: the scopes are READ, WRITE, RUN and ADMIN")
    return {"workspace": workspace, "scopes": wanted}


def _expiry(text: str | None) -> str | None:
    if text is None:
        return None
    number, unit = text[:-1], _UNITS.get(text[-1:])
    if unit is None or not (number.isascii() and number.isdecimal()) or len(number) > 5:
        raise typer.BadParameter(f"{text!r} is not a duration; write it like 12h, 30d or 8w")
    return (datetime.now(UTC) + timedelta(**{unit: int(number)})).isoformat(timespec="milliseconds")


def _shown(grants: list[dict[str, Any]]) -> str:
    return " ".join(f"{grant['workspace']}={','.join(grant['scopes'])}" for grant in grants)


def _state(token: dict[str, Any]) -> str:
    if token["revokedAt"] is not None:
        return f"revoked {token['revokedAt']}"
    expires = token["expiresAt"]
    if expires is None:
        return "valid"
    ended = datetime.fromisoformat(expires) <= datetime.now(UTC)
    return f"{'expired' if ended else 'until'} {expires}"
