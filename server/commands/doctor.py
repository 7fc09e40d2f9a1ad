"""`pinset doctor`: what this machine and its database are like, and what to mend."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from server.commands.failures import FAILED, reported


@reported
def doctor(
    data_dir: Annotated[Path | None, typer.Option(help="Directory of the private MongoDB. [default: .pinset]")] = None,
    every_digest: Annotated[bool, typer.Option("--all", help="Examine every stored text, not a sample.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a program.")] = False,
) -> None:
    """Check versions, mongod, connection, replica set, indexes and digests. Exit code 1 where something is not well."""
    import asyncio

    from server.diagnosis import Finding, diagnose
    from server.logging import configure
    from server.settings import load_settings

    settings = load_settings(data_dir=data_dir)
    configure(settings.log_format, "warning")

    async def collect() -> list[Finding]:
        found = []
        async for finding in diagnose(settings, every_digest=every_digest):
            found.append(finding)
            if not as_json:
                typer.echo(f"{'ok  ' if finding.is_well else 'BAD '} {finding.name:11} {finding.detail}")
        return found

    findings = asyncio.run(collect())
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings]))
    if not all(finding.is_well for finding in findings):
        raise typer.Exit(FAILED)
