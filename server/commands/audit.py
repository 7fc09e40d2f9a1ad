"""`pinset audit export`: the audit log as a file, newest entry first, one JSON object a line."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from server.commands.failures import reported
from server.commands.token import DataDir, Token, Url

app = typer.Typer(no_args_is_help=True, help="Read the audit log: who did what to which record.")

_PAGE = """
query AuditLog($filter: AuditFilter, $after: String) {
  auditLog(filter: $filter, first: 1000, after: $after) {
    nodes {
      id at action actor tokenId address requestId workspace type recordId ref beforeDigest afterDigest detail
    }
    pageInfo { hasNextPage endCursor }
  }
}
"""


@app.command("export")
@reported
def export(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file. [default: standard output]")] = None,
    workspace: Annotated[str | None, typer.Option("--workspace", "-w", help="Only this workspace.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Only from this time on, in RFC 3339.")] = None,
    url: Url = None,
    token: Token = None,
    data_dir: DataDir = None,
) -> None:
    """Write entries as JSON lines, newest first."""
    from server.administration import administration

    wanted = {"workspace": workspace, "at": None if since is None else {"gte": since}}
    with administration(url, token, data_dir) as execute:
        stream = sys.stdout if output is None else output.open("w", encoding="utf-8")
        try:
            after: str | None = None
            while True:
                page = execute(_PAGE, {"filter": wanted, "after": after})["auditLog"]
                stream.writelines(json.dumps(entry) + "\n" for entry in page["nodes"])
                if not page["pageInfo"]["hasNextPage"]:
                    break
                after = page["pageInfo"]["endCursor"]
        finally:
            if output is not None:
                stream.close()
