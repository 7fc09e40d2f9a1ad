"""The commands that need a server's code; they join the command `pinset` through the entry point `pinset.commands`."""

import typer

from server.commands import audit, doctor, schema, serve, token, worker


def register(app: typer.Typer) -> None:
    """Add the server's commands to the command line. Heavy imports wait in the command bodies."""
    app.command("serve")(serve.serve)
    app.command("worker")(worker.worker)
    app.command("doctor")(doctor.doctor)
    app.add_typer(schema.app, name="schema")
    app.add_typer(token.app, name="token")
    app.add_typer(audit.app, name="audit")
