"""`pinset sync`: make a taskset equal to a file."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

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
from pinset.commands.output import progress_bar, say, show_json, show_table
from pinset.errors import Conflict, NotFound
from pinset.files.harbor import dataset_head
from pinset.files.metrics import contains, metric_input
from pinset.files.platform import Suite, read_suite
from pinset.files.problems import FileProblem
from pinset.files.rows import TaskRow
from pinset.files.sources import Source, SourceKind, open_source
from pinset.files.tables import Fields
from pinset.files.values import JSONObject
from pinset.inputs import UNSET, Nullable
from pinset.planning import (
    Applied,
    Contents,
    Item,
    Large,
    Plan,
    Target,
    apply_small,
    before,
    moved_since,
    plan_small,
    read_whole,
)
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
    with connect(url, token, workspace) as client, tempfile.TemporaryDirectory() as folder, progress_bar(json) as bar:
        suite = read_suite(file) if source.kind is SourceKind.SUITE else None
        target = _target(source, suite, taskset, workspace, description, remove_missing)
        run = _Run(client, source, mapping or Fields(), target, Path(folder), bar)
        contents = run.read()
        if suite is not None and not _metrics(client, suite, workspace, dry_run):
            return
        if not dry_run:
            run.upload(contents)
        plan = run.plan(contents)
        if dry_run:
            _show(target, plan, None, json)
            return
        if not (yes or json):
            bar.stop()
            _show(target, plan, None, json)
            _ask(plan, target)
        applied = run.apply(contents, plan)
        bar.stop()
        _show(target, plan, applied, json, brief=not (yes or json))


class _Run:
    """One sync: reading, planning and applying, with a bar for each."""

    def __init__(
        self, client: Pinset, source: Source, mapping: Fields, target: Target, folder: Path, bar: Progress
    ) -> None:
        self._client = client
        self._source = source
        self._mapping = mapping
        self._target = target
        self._folder = folder
        self._bar = bar
        self._large: Large | None = None

    def rows(self) -> Any:
        """The file's rows, read anew."""
        return self._source.rows(self._mapping, self._target.workspace, self._folder)

    def read(self) -> Contents:
        """Read the file once, whole."""
        shown = self._bar.add_task("Reading", total=None)
        contents = read_whole(self.rows(), lambda count: self._bar.update(shown, completed=count))
        self._bar.update(shown, total=contents.count)
        return contents

    def upload(self, contents: Contents) -> None:
        """Store the archives of Harbor tasks before the tasks that refer to them."""
        if self._source.kind is not SourceKind.HARBOR:
            return
        rows: list[TaskRow] = contents.small if contents.small is not None else list(self.rows())
        shown = self._bar.add_task("Uploading", total=len(rows))
        for row in rows:
            upload_archive(self._client, row, self._target.workspace)
            self._bar.advance(shown)

    def plan(self, contents: Contents) -> Plan:
        """What would be done."""
        if contents.small is not None:
            return plan_small(self._client, self._target, contents.small)
        self._large = Large(self._client, self._target, self.rows, before(self._client, self._target))
        shown = self._bar.add_task("Comparing", total=contents.count)
        return self._large.plan(lambda count: self._bar.advance(shown, count))

    def apply(self, contents: Contents, plan: Plan) -> Applied:
        """Do it."""
        try:
            if contents.small is not None:
                return apply_small(self._client, self._target, contents.small, plan)
            assert self._large is not None
            shown = self._bar.add_task("Storing", total=contents.count)
            return self._large.apply(plan, lambda count: self._bar.advance(shown, count))
        except Conflict as error:
            raise moved_since(error) from None


def upload_archive(client: Pinset, row: TaskRow, workspace: str) -> None:
    """Store the packed directory of a Harbor task as a blob."""
    spec: Any = row.task["spec"]
    if row.archive is not None:
        digest = spec["harbor"]["archiveRef"].partition("#")[2].removesuffix(".tar.gz")
        client.upload(digest, row.archive, workspace)


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


def _metrics(client: Pinset, suite: Suite, workspace: str, dry_run: bool) -> bool:
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


def _is_there(client: Pinset, metric: JSONObject, workspace: str) -> bool:
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


def _ask(plan: Plan, target: Target) -> None:
    touches = len(plan.update) + (len(plan.remote_only) if target.remove_missing else 0)
    if touches and sys.stdin.isatty():
        typer.confirm("Apply?", abort=True)


def _show(target: Target, plan: Plan, applied: Applied | None, json: bool, brief: bool = False) -> None:
    if json:
        revision = None
        if applied is not None:
            revision = {"number": applied.number, "digest": applied.digest, "memberCount": applied.member_count}
        show_json({"taskset": f"{target.workspace}/{target.name}", "plan": plan.as_json(), "revision": revision})
        return
    if not brief:
        _show_plan(target, plan)
    if applied is not None:
        print(f"{target.workspace}/{target.name}: revision {applied.number}, {applied.member_count} tasks")
        print(f"digest {applied.digest}")


def _show_plan(target: Target, plan: Plan) -> None:
    gone = "to take out" if target.remove_missing else "only on the server, kept"
    print(
        f"{target.workspace}/{target.name}: {len(plan.create)} to create, {len(plan.update)} to update, "
        f"{len(plan.unchanged)} unchanged, {len(plan.remote_only)} {gone}"
    )
    rows = [("create", item) for item in plan.create] + [("update", item) for item in plan.update]
    rows += [("take out" if target.remove_missing else "keep", item) for item in plan.remote_only]
    show_table(("", "task", "now", "then"), [_row(verb, item) for verb, item in rows[:MOST_SHOWN]])
    if len(rows) > MOST_SHOWN:
        print(f"… and {len(rows) - MOST_SHOWN} more (--json lists them all)")


def _row(verb: str, item: Item) -> tuple[object, ...]:
    return verb, item.name, _short(item.current_digest), _short(item.new_digest)


def _short(digest: str | None) -> str | None:
    return None if digest is None else digest[:12]
