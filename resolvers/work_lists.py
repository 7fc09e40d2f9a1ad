"""The work list of a job: a taskset's members, inline tasks, or dataset rows, selected and resolved to content."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, TypeAlias

from domain.canonical import JSON, bounded_text, check_json, digest_of
from domain.content import Archive, TaskDraft, check_task
from domain.errors import Collector, ErrorCode, InvalidInput, NotFound, Path, Problems, UserError
from domain.limits import MAX_TRIALS
from domain.names import check_name, shown
from domain.references import archive_blob, parse_metric_reference, parse_reference
from evaluation.plans import texts as stored_texts
from resolvers import revisions
from resolvers.context import Context
from resolvers.members import Member, member_at, member_revisions, with_members
from storage import metrics
from storage.driver import ObjectId
from storage.job_tasks import ROW_KIND, JobTask
from storage.jobs import TasksetSource
from storage.records import TASKSET, MetricRecord, Revision
from storage.revisions import Selector
from storage.revisions import select as select_revision

Selection: TypeAlias = tuple[Sequence[str] | None, Sequence[str] | None, int | None]

_MOST_PROBLEMS: Final = 100
_NO_JOB: Final = ObjectId(b"\0" * 12)


class Source(StrEnum):
    """Where the tasks of a job come from; the value is the field of the input."""

    TASKSET = "taskset"
    TASKS = "tasks"
    DATASET = "dataset"


@dataclass(frozen=True, slots=True)
class WorkList:
    """The selected tasks in order. `texts` are contents to be stored by digest, `rows` dataset rows by name,
    `parents` the stored tasks that the job relies on, `places` where each task stands in the input, `archives` what
    inline Harbor tasks refer to, by that place.
    """

    source: Source
    source_name: str
    tasks: list[JobTask] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    rows: dict[str, JSON] = field(default_factory=dict)
    parents: list[ObjectId] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    archives: dict[int, Archive] = field(default_factory=dict)
    taskset: TasksetSource | None = None
    dataset_metrics: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """Where in the input the source stands."""
        return (self.source.value,)

    def path_of(self, task: JobTask) -> Path:
        """Where in the input a task stands."""
        if self.source is Source.TASKSET:
            return self.path
        part = "rows" if self.source is Source.DATASET else None
        return (*self.path, *([part] if part else []), self.places[task.name])


async def from_taskset(
    context: Context, workspace: str, ref: str, selection: Selection, problems: Collector
) -> WorkList:
    """The members of a taskset revision; what cannot be resolved is collected, each naming its member."""
    revision = await _taskset(context, workspace, ref, problems)
    if revision is None:
        return WorkList(Source.TASKSET, "taskset")
    record = f"{revision.workspace}/{revision.name}"
    source = TasksetSource(ref, record, revision.id, revision.digest)
    work = WorkList(Source.TASKSET, revision.name, taskset=source)
    if revision.member_count == 0:
        problems.add(InvalidInput(f"The taskset '{record}' has no members.", work.path))
        return work
    members = [member_at(context, revision, index) for index in range(revision.member_count)]
    chosen = _selected([member.name for member in members], selection, work.path, problems)
    await _add_members(context, work, [members[index] for index in chosen], problems)
    return work


async def _taskset(context: Context, workspace: str, ref: str, problems: Collector) -> Revision | None:
    try:
        reference = parse_reference(ref, workspace, ("taskset",))
    except UserError as error:
        problems.add(error)
        return None
    head = await revisions.head(context, TASKSET, reference.workspace, reference.name)
    found = None
    if head is not None:
        selector = Selector(digest=reference.digest, tag=reference.tag)
        found = await select_revision(context.services, TASKSET, head, selector)
    if found is None:
        missing = "There is no taskset" if head is None else "There is no such revision of a taskset:"
        problems.add(NotFound(f"{missing} {shown(str(reference))}.", ("taskset",), ref=str(reference)))
        return None
    return await with_members(context, found)


async def _add_members(context: Context, work: WorkList, members: Sequence[Member], problems: Collector) -> None:
    found = await member_revisions(context, members)
    contents = await stored_texts(context.services, {member.digest for member in members})
    for member in members:
        revision = found.get(member.ref)
        content = contents[member.digest]
        if len(problems.errors) >= _MOST_PROBLEMS:
            return
        if revision is None or content.text is None:
            problems.add(NotFound(_why_missing(member, revision), work.path, ref=member.ref))
            continue
        spec = content.value["spec"]
        _add(
            work,
            JobTask(
                id=ObjectId(),
                job=_NO_JOB,
                position=len(work.tasks),
                name=member.name,
                ref=member.ref,
                digest=member.digest,
                revision_id=revision.id,
                task_id=revision.parent,
                kind=spec["kind"],
                config=revision.config,
                metrics=tuple(spec.get("metrics", ())),
                archive=archive_blob(spec.get("archive_ref", "")),
            ),
            member.position - 1,
        )
        work.parents.append(revision.parent)


def _why_missing(member: Member, revision: Revision | None) -> str:
    if member.is_hidden:
        return f"There is no task '{member.ref}' (any more)."
    if revision is None:
        return f"The member '{member.ref}' dangles: its task was deleted. Publish the taskset without it."
    return f"The stored content of '{member.ref}' no longer matches its digest."


def from_tasks(
    context: Context,
    workspace: str,
    tasks: Sequence[tuple[str, TaskDraft]],
    selection: Selection,
    problems: Collector,
) -> WorkList:
    """One-off tasks, checked as if they were published."""
    work = WorkList(Source.TASKS, "tasks")
    _check_size(len(tasks), work.path, problems)
    _check_unique([name for name, _ in tasks], (*work.path,), problems)
    if problems.errors:
        return work
    for index in _selected([name for name, _ in tasks], selection, work.path, problems):
        name, draft = tasks[index]
        path = (*work.path, index)
        problems.attempt(check_name, name, (*path, "name"), "task name")
        try:
            content = check_task(draft, workspace)
        except (UserError, Problems) as error:
            problems.add(error, *path, "task")
            continue
        work.texts[content.digest] = content.text
        task = _inline(work, name, content.digest, content.kind, content.config, content.metrics)
        if content.archive is not None:
            task = replace(task, archive=content.archive.blob)
            work.archives[index] = content.archive
        _add(work, task, index)
    return work


def from_dataset(
    context: Context,
    workspace: str,
    rows: Sequence[JSON],
    metric_refs: Sequence[str],
    name_field: str | None,
    selection: Selection,
    problems: Collector,
) -> WorkList:
    """Dataset rows, each scored by the same metrics; named by a field, else by their place (`row-1`)."""
    refs = [
        problems.attempt(parse_metric_reference, ref, workspace, ("dataset", "metrics", index))
        for index, ref in enumerate(metric_refs)
    ]
    bound = tuple(dict.fromkeys(str(ref) for ref in refs if ref is not None))
    work = WorkList(Source.DATASET, "dataset", dataset_metrics=tuple(map(str, refs)))
    _check_size(len(rows), ("dataset", "rows"), problems)
    names = _row_names(rows, name_field, problems)
    _check_unique(names, ("dataset", "rows"), problems)
    if problems.errors:
        return work
    for index in _selected(names, selection, ("dataset",), problems):
        try:
            text = bounded_text(check_json(rows[index], ("dataset", "rows", index)), ("dataset", "rows", index), "row")
        except UserError as error:
            problems.add(error)
            continue
        digest = digest_of(text)
        work.texts[digest] = text
        work.rows[names[index]] = rows[index]
        _add(work, _inline(work, names[index], digest, ROW_KIND, None, bound), index)
    return work


def _row_names(rows: Sequence[JSON], name_field: str | None, problems: Collector) -> list[str]:
    if name_field is None:
        return [f"row-{index}" for index in range(1, len(rows) + 1)]
    names: list[str] = []
    for index, row in enumerate(rows):
        value = row.get(name_field) if isinstance(row, dict) else None
        if isinstance(value, bool) or not isinstance(value, str | int):
            message = f"The row has no text or integer at {shown(name_field)} to be named by."
            problems.add(InvalidInput(message, ("dataset", "rows", index)))
            continue
        problems.attempt(check_name, str(value), ("dataset", "rows", index, name_field), "row name")
        names.append(str(value))
        if len(problems.errors) >= _MOST_PROBLEMS:
            break
    return names


def _inline(
    work: WorkList, name: str, digest: str, kind: str, config: str | None, metric_refs: Sequence[str]
) -> JobTask:
    return JobTask(
        id=ObjectId(),
        job=_NO_JOB,
        position=len(work.tasks),
        name=name,
        ref=None,
        digest=digest,
        revision_id=None,
        task_id=None,
        kind=kind,
        config=config,
        metrics=tuple(metric_refs),
    )


def _add(work: WorkList, task: JobTask, place: int) -> None:
    work.places[task.name] = place
    work.tasks.append(task)


def _selected(names: Sequence[str], selection: Selection, path: Path, problems: Collector) -> list[int]:
    """The indices that `only`, `exclude` and `limit` leave, in the order of the source; names must be unique."""
    only, exclude, limit = selection
    chosen = list(range(len(names)))
    if only is not None:
        _check_known(only, names, problems)
        wanted = frozenset(only)
        chosen = [index for index in chosen if names[index] in wanted]
    if exclude is not None:
        unwanted = frozenset(exclude)
        chosen = [index for index in chosen if names[index] not in unwanted]
    if limit is not None:
        chosen = chosen[: max(0, limit)]
    if not chosen and not problems.errors:
        problems.add(InvalidInput("The selection leaves no task; a job needs one at least.", path))
    _check_distinct([names[index] for index in chosen], path, problems)
    return chosen


def _check_known(only: Sequence[str], names: Sequence[str], problems: Collector) -> None:
    known = frozenset(names)
    for index, name in enumerate(only):
        if name not in known:
            problems.add(InvalidInput(f"The source has no task {shown(name)}.", ("only", index)))
        if len(problems.errors) >= _MOST_PROBLEMS:
            return


def _check_distinct(names: Sequence[str], path: Path, problems: Collector) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            message = f"Two of the members have the name {shown(name)}; a job tells its tasks apart by name."
            problems.add(InvalidInput(message, path, ErrorCode.DUPLICATE_MEMBER))
        seen.add(name)


def _check_unique(names: Sequence[str], path: Path, problems: Collector) -> None:
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        before = first.setdefault(name, index)
        if before != index:
            message = f"The name {shown(name)} stands at {before} and {index}; names are unique within a job."
            problems.add(InvalidInput(message, (*path, index), ErrorCode.DUPLICATE_MEMBER))
        if len(problems.errors) >= _MOST_PROBLEMS:
            return


def _check_size(count: int, path: Path, problems: Collector) -> None:
    if count > MAX_TRIALS:
        message = f"A job has at most {MAX_TRIALS:,} tasks; {count:,} were given."
        problems.add(InvalidInput(message, path, ErrorCode.LIMIT_EXCEEDED))


async def find_metrics(context: Context, work: WorkList, problems: Collector) -> dict[str, MetricRecord]:
    """The metrics that the tasks name, by reference. New content may not name retired ones; stored content may."""
    named: dict[str, Path] = {}
    for task in work.tasks:
        for position, ref in enumerate(task.metrics):
            named.setdefault(ref, _metric_path(work, task, position))
    readable = [ref for ref in named if _may_use(context, work, ref)]
    found = await metrics.find_by_ref(context.services.database, readable)
    for ref, path in named.items():
        metric = found.get(ref)
        if metric is None:
            problems.add(NotFound(f"There is no metric '{ref}'; create it first.", path, ref=ref))
        elif metric.is_retired and work.source is not Source.TASKSET:
            problems.add(InvalidInput(f"The metric '{ref}' is retired; new content cannot name it.", path))
    return {ref: found[ref] for ref in named if ref in found}


def _may_use(context: Context, work: WorkList, ref: str) -> bool:
    """Whether a metric may be named: stored content named it already, new content is held to what it may read."""
    return work.source is Source.TASKSET or context.viewer.reads(ref.partition("/")[0])


def _metric_path(work: WorkList, task: JobTask, position: int) -> Path:
    match work.source:
        case Source.TASKSET:
            return work.path
        case Source.TASKS:
            return (*work.path_of(task), "task", "spec", "evaluator", "metrics", position)
        case Source.DATASET:
            return ("dataset", "metrics", work.dataset_metrics.index(task.metrics[position]))
