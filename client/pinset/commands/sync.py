"""`pinset sync`: make a taskset equal to a file."""

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pinset import planning
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
    Workspace,
    connect,
    mapping_of,
)
from pinset.commands.output import progress_bar, say, show_json, show_table, working
from pinset.errors import NotFound
from pinset.files.harbor import dataset_head
from pinset.files.metrics import contains, metric_input
from pinset.files.platform import Suite, read_suite
from pinset.files.problems import FileProblem
from pinset.files.rows import TaskRow
from pinset.files.sources import Source, SourceKind, open_source
from pinset.files.tables import Fields
from pinset.files.values import JSONObject
from pinset.inputs import UNSET, Nullable
from pinset.plain import plain
from pinset.planning import Contents, Target

if TYPE_CHECKING:
    from pinset.models import SyncedRevision, SyncItem, SyncPlan
    from pinset.synchronous.client import Pinset

MOST_SHOWN = 20


@reported
def sync(
    file: Annotated[Path, typer.Argument(help="A .jsonl, .json, .csv or .tsv file (also .gz), or a Harbor directory.")],
    taskset: Annotated[
        str | None, typer.Option("--taskset", "-t", help="The taskset. [default: the file's name]")
    ] = None,
    workspace: Workspace = DEFAULT_WORKSPACE,
    name: NameField = None,
    instruction: InstructionField = None,
    intent: IntentField = None,
    reference: ReferenceFields = None,
    extra: ExtraFields = None,
    ignore: IgnoredFields = None,
    metric: MetricRefs = None,
    metrics_field: MetricsField = None,
    description: Annotated[str | None, typer.Option(help="The taskset's description. [default: as it is]")] = None,
    remove_missing: Annotated[bool, typer.Option(help="Take members out that the file does not have.")] = False,
    dry_run: Annotated[bool, typer.Option(help="Print the plan, write nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before changing what exists.")] = False,
    json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Make a taskset and its tasks equal to a file: shows the plan, then applies exactly that."""
    mapping = mapping_of(name, instruction, intent, reference, extra, ignore, metric, metrics_field)
    source = open_source(file, mapping)
    suite = read_suite(file) if source.kind is SourceKind.SUITE else None
    target = _target(source, suite, taskset, workspace, description, remove_missing)
    with connect(url, token, workspace) as client, tempfile.TemporaryDirectory() as folder:
        contents, archives = _read(source, mapping or Fields(), target, Path(folder), json)
        if suite is not None and not _metrics(client, suite, workspace, dry_run):
            return
        if not dry_run:
            upload_archives(client, archives, workspace)
        with working("Planning", json):
            planned = planning.plan(client, target, contents)
        if not json:
            _show_plan(target, planned)
        applied = None
        if not dry_run:
            _ask(planned, target, yes or json)
            with working("Storing", json):
                applied = planning.apply(client, target, contents, planned).revision
        _show(target, planned, applied, json)


def upload_archives(client: "Pinset", rows: Iterable[TaskRow], workspace: str) -> None:
    """Store the packed directories of Harbor tasks as blobs, before the tasks that refer to them."""
    for row in rows:
        spec: Any = row.task["spec"]
        if row.archive is not None:
            digest = spec["harbor"]["archiveRef"].partition("#")[2].removesuffix(".tar.gz")
            client.upload(digest, row.archive, workspace)


def _read(source: Source, mapping: Fields, target: Target, folder: Path, quiet: bool) -> tuple[Contents, list[TaskRow]]:
    archives: list[TaskRow] = []
    with progress_bar(quiet) as bar:
        shown = bar.add_task("Reading", total=None)

        def seen(row: TaskRow) -> None:
            bar.advance(shown)
            if row.archive is not None:
                archives.append(row)

        rows = source.rows(mapping, target.workspace, folder)
        contents = planning.read_whole(rows, folder / "rows.jsonl", seen)
        bar.update(shown, total=len(contents.places))
    return contents, archives


def _target(
    source: Source, suite: Suite | None, taskset: str | None, workspace: str, description: str | None, remove: bool
) -> Target:
    head: dict[str, Any] = {}
    if suite is not None:
        head = dict(suite.taskset)
    elif source.kind is SourceKind.HARBOR:
        head = dict(dataset_head(source.path))
    found: Nullable = description if description is not None else head.get("description", UNSET)
    return Target(workspace, taskset or str(head.get("name") or source.name), found, remove)


def _metrics(client: "Pinset", suite: Suite, workspace: str, dry_run: bool) -> bool:
    """Create the metrics of a suite; False where a dry run has to stop, since tasks need metrics that are missing."""
    missing = [metric for metric in suite.metrics if not _is_there(client, metric, workspace)]
    if dry_run and missing:
        names = ", ".join(str(metric["name"]) for metric in missing)
        say(f"Would create the metrics {names}, then the tasks that name them.")
        return False
    for metric in missing:
        given: Any = metric
        client.metrics.create(given["name"], given["metric"], description=given.get("description"), workspace=workspace)
    return True


def _is_there(client: "Pinset", metric: JSONObject, workspace: str) -> bool:
    """Whether a metric of this definition is stored. Raises FileProblem where its name means another one."""
    name = str(metric["name"])
    try:
        found = client.metrics.retrieve(name, workspace=workspace)
    except NotFound:
        return False
    stored = metric_input(found.type_.value.lower().replace("_", "-"), found.config)
    if not contains(stored, metric["metric"]):
        raise FileProblem(f"The metric {found.ref} means something else on the server; a metric never changes.")
    return True


def _ask(plan: "SyncPlan", target: Target, agreed: bool) -> None:
    touches = len(plan.to_update) + (len(plan.remote_only) if target.remove_missing else 0)
    if touches and not agreed and sys.stdin.isatty():
        typer.confirm("Apply?", abort=True)


def _show(target: Target, plan: "SyncPlan", applied: "SyncedRevision | None", json: bool) -> None:
    if json:
        show_json({"taskset": f"{target.workspace}/{target.name}", "plan": plain(plan), "revision": plain(applied)})
    elif applied is not None:
        print(f"{target.workspace}/{target.name}: revision {applied.number}, {applied.member_count} tasks")
        print(f"digest {applied.digest}")


def _show_plan(target: Target, plan: "SyncPlan") -> None:
    gone = "to take out" if target.remove_missing else "only on the server, kept"
    print(
        f"{target.workspace}/{target.name}: {len(plan.to_create)} to create, {len(plan.to_update)} to update, "
        f"{len(plan.unchanged)} unchanged, {len(plan.remote_only)} {gone}"
    )
    last = "take out" if target.remove_missing else "keep"
    groups = (("create", plan.to_create), ("update", plan.to_update), (last, plan.remote_only))
    rows = [(verb, item) for verb, items in groups for item in items]
    if rows:
        show_table(("", "task", "now", "then"), [_row(verb, item) for verb, item in rows[:MOST_SHOWN]])
    if len(rows) > MOST_SHOWN:
        print(f"… and {len(rows) - MOST_SHOWN} more (--json lists them all)")


def _row(verb: str, item: "SyncItem") -> tuple[object, ...]:
    return verb, item.name, _short(item.current_digest), _short(item.new_digest)


def _short(digest: str | None) -> str | None:
    return None if digest is None else digest[:12]
