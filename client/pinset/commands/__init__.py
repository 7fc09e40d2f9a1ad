"""The commands that use a server through its API.

Exit codes: 0 done, 1 refused or failed (nothing half written, unless the message says so), 2 wrong usage, 3 no answer
from the server, 130 interrupted.
"""

import typer

from pinset.commands import demo, exporting, importing, jobs, sync, tasks, tasksets


def register(app: typer.Typer) -> None:
    """Add the client's commands to the command line."""
    app.command()(demo.demo)
    app.command()(sync.sync)
    app.command(name="import")(importing.import_)
    app.command()(exporting.export)
    app.add_typer(tasks.app, name="tasks")
    app.add_typer(tasksets.app, name="tasksets")
    app.add_typer(jobs.app, name="jobs")
