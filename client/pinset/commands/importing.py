"""`pinset import`: a bundle as it was exported, or the tasks of any file without a taskset."""

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pinset import bulk
from pinset.commands.failures import reported
from pinset.commands.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    ExtraFields,
    IgnoredFields,
    InstructionField,
    IntentField,
    MetricRefs,
    MetricsField,
    NameField,
    ReferenceFields,
    Token,
    Url,
    connect,
    mapping_of,
)
from pinset.commands.output import progress_bar, say, show_json, show_table
from pinset.commands.sync import upload_archives
from pinset.errors import PinsetError
from pinset.files.bundles import bundle_kind, verify_bundle
from pinset.files.sources import Source, SourceKind, open_source
from pinset.files.tables import Fields
from pinset.imports import Imported, import_taskset

if TYPE_CHECKING:
    from pinset.synchronous.client import Pinset


@reported
def import_(
    file: Annotated[Path, typer.Argument(help="A bundle, or any file of tasks that `sync` reads.")],
    workspace: Annotated[
        str | None,
        typer.Option("--workspace", "-w", help="Where to. [default: the workspaces that a bundle names, else default]"),
    ] = None,
    name: NameField = None,
    instruction: InstructionField = None,
    intent: IntentField = None,
    reference: ReferenceFields = None,
    extra: ExtraFields = None,
    ignore: IgnoredFields = None,
    metric: MetricRefs = None,
    metrics_field: MetricsField = None,
    json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Store a bundle with every digest proved equal, or the tasks of a file. May be repeated at any time."""
    mapping = mapping_of(name, instruction, intent, reference, extra, ignore, metric, metrics_field)
    source = open_source(file, mapping)
    with connect(url, token, workspace or DEFAULT_WORKSPACE) as client, tempfile.TemporaryDirectory() as folder:
        if source.kind is SourceKind.BUNDLE:
            _bundle(client, file, workspace, Path(folder), json)
        else:
            _tasks(client, source, mapping or Fields(), workspace or DEFAULT_WORKSPACE, Path(folder), json)


def _bundle(client: "Pinset", file: Path, workspace: str | None, folder: Path, json: bool) -> None:
    root, count = verify_bundle(file)
    if bundle_kind(file) != "taskset":
        raise PinsetError("A job's bundle is for reading; it cannot be imported.")
    done: list[Imported] = []
    with progress_bar(json) as bar:
        shown = bar.add_task("Importing", total=count - 1)

        def stored(record: Imported) -> None:
            done.append(record)
            bar.advance(shown)

        import_taskset(client, file, workspace, folder, stored)
        bar.update(shown, completed=count - 1)
    if json:
        rows = [{"record": row.record, "old": row.old, "new": row.new, "outcome": row.outcome} for row in done]
        show_json({"root": root, "records": rows})
    elif workspace is None:
        print(f"{_outcomes(Counter(row.outcome for row in done))}; every digest equal, root hash {root}")
    else:
        show_table(("record", "old", "new", ""), [(row.record, row.old, row.new, row.outcome) for row in done])


def _tasks(client: "Pinset", source: Source, mapping: Fields, workspace: str, folder: Path, json: bool) -> None:
    outcomes: Counter[str] = Counter()
    with progress_bar(json) as bar:
        reading = bar.add_task("Reading", total=None)
        count = 0
        for count, _ in enumerate(source.rows(mapping, workspace, folder), 1):
            bar.update(reading, completed=count)
        bar.update(reading, total=count)
        storing = bar.add_task("Storing", total=count)
        rows = source.rows(mapping, workspace, folder)
        for batch in bulk.publish_all(client, rows, workspace, lambda rows: upload_archives(client, rows, workspace)):
            outcomes.update(stored.outcome for stored in batch)
            bar.advance(storing, len(batch))
    if json:
        show_json({"workspace": workspace, "rows": count, "outcomes": dict(outcomes)})
        return
    print(f"{count} tasks in {workspace}: {_outcomes(outcomes)}")
    say("To pin them in a taskset, use `pinset sync`.")


def _outcomes(outcomes: Counter[str]) -> str:
    words = {"CREATED": "created", "PUBLISHED": "updated", "UNCHANGED": "unchanged"}
    return ", ".join(f"{outcomes[key]} {word}" for key, word in words.items() if outcomes[key]) or "nothing to do"
