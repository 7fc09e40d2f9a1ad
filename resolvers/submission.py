"""Submitting a job: everything is resolved and checked at once, and stored as a work list that never changes."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from domain.canonical import JSON, bounded_text, canonical_text, check_json, digest_of
from domain.content import TaskDraft, TaskKind
from domain.errors import Collector, Conflict, InvalidInput, Problems, UserError
from domain.jobs import JobOptions, check_options, check_trial_count
from domain.limits import MAX_NAME_LENGTH
from domain.names import check_name, shown
from domain.targets import OutputsTarget, Target, TargetKind, check_target
from domain.trials import TrialOutcome
from evaluation.rows import row_outcome
from evaluation.targets.outputs import given_outcomes
from evaluation.template_checks import check_target_templates
from evaluation.templates import check_template
from resolvers.access import Scope
from resolvers.archives import check_archive
from resolvers.context import Context
from resolvers.work_lists import Source, WorkList, find_metrics, from_dataset, from_tasks, from_taskset
from resolvers.workspaces import check_description, writable
from storage import guards, jobs
from storage.driver import ObjectId
from storage.job_tasks import ROW_KIND, JobTask
from storage.jobs import JobRecord
from storage.submission import KeyTaken, SourceGone, Submission, submit

_ATTEMPTS: Final = 5
_NAME_CHARACTERS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_NAME_SUFFIX: Final = 8
_SOURCE_LENGTH: Final = 20
_MOST_PROBLEMS: Final = 100


@dataclass(frozen=True, slots=True)
class Dataset:
    """Rows to evaluate, each by the same metrics; `name_field` names the field that holds a row's name."""

    rows: Sequence[JSON]
    metrics: Sequence[str]
    prompt_template: str | None = None
    name_field: str | None = None


@dataclass(frozen=True, slots=True)
class InlineTask:
    """A task that exists only within its job."""

    name: str
    draft: TaskDraft


@dataclass(frozen=True, slots=True)
class SubmitJob:
    """A job as handed in. `target` is its kind and its snake_case fields; exactly one source must be given.

    `fingerprint` stands for the whole input: the same idempotency key with another one is a conflict.
    """

    workspace: str
    fingerprint: str
    name: str | None = None
    project: str | None = None
    description: str | None = None
    labels: Any = None
    taskset: str | None = None
    tasks: Sequence[InlineTask] | None = None
    dataset: Dataset | None = None
    only: Sequence[str] | None = None
    exclude: Sequence[str] | None = None
    limit: int | None = None
    target: tuple[TargetKind, Mapping[str, object]] | None = None
    options: JobOptions = field(default_factory=JobOptions)
    idempotency_key: str | None = None


def fingerprint_of(value: JSON) -> str:
    """The fingerprint of an input, by its canonical text."""
    return digest_of(canonical_text(value))


async def submit_job(context: Context, wanted: SubmitJob) -> JobRecord:
    """Store a job with its resolved work list, or answer the one that was submitted with the same key and input.

    Raises Problems with everything wrong at once, AlreadyExists, Conflict, NotFound, Refused.
    """
    await writable(context, wanted.workspace, Scope.RUN)
    for _ in range(_ATTEMPTS):
        before = await _submitted_before(context, wanted)
        if before is not None:
            return before
        try:
            return await submit(context.services, await _resolved(context, wanted))
        except (SourceGone, KeyTaken):
            continue
    raise Conflict("What the job relies on kept being deleted and created again; try again.")


async def _submitted_before(context: Context, wanted: SubmitJob) -> JobRecord | None:
    if wanted.idempotency_key is None:
        return None
    found = await jobs.find_by_key(context.services.database, wanted.workspace, wanted.idempotency_key)
    if found is None:
        return None
    job, fingerprint = found
    if fingerprint != wanted.fingerprint:
        raise Conflict(
            f"The key was used for the job '{job.workspace}/{job.name}', whose input was another one; "
            "use a new key for a new job.",
            ("idempotencyKey",),
        )
    return job


async def _resolved(context: Context, wanted: SubmitJob) -> Submission:
    problems = Collector()
    _check_plain(wanted, problems)
    target = _target(wanted, problems)
    source = _source(wanted, problems)
    problems.finish()
    assert source is not None
    work = await _work_list(context, wanted, source, problems)
    target = target or _offline(wanted, work, problems)
    _check_work(work, target, wanted, problems)
    problems.finish()
    await _check_archives(context, work)
    assert target is not None
    return await _submission(context, wanted, work, target, problems)


def _check_plain(wanted: SubmitJob, problems: Collector) -> None:
    if wanted.name is not None:
        problems.attempt(check_name, wanted.name, ("name",), "job name")
    problems.attempt(check_description, wanted.description)
    problems.attempt(check_json, wanted.project, ("project",))
    problems.attempt(_check_labels, wanted.labels)
    check_options(wanted.options, problems)
    if wanted.limit is not None and wanted.limit < 0:
        problems.add(InvalidInput("`limit` may not be negative.", ("limit",)))
    key = wanted.idempotency_key
    if key is not None and not 1 <= len(key) <= MAX_NAME_LENGTH:
        problems.add(InvalidInput(f"A key has 1 to {MAX_NAME_LENGTH} characters.", ("idempotencyKey",)))
    problems.attempt(check_json, key, ("idempotencyKey",))
    if wanted.dataset is not None and wanted.dataset.prompt_template is not None:
        problems.attempt(check_template, wanted.dataset.prompt_template, ("dataset", "promptTemplate"))


def _check_labels(labels: Any) -> None:
    if labels is None:
        return
    if not isinstance(labels, dict):
        raise InvalidInput("Must be a JSON object.", ("labels",))
    bounded_text(check_json(labels, ("labels",)), ("labels",), "label object")


def _target(wanted: SubmitJob, problems: Collector) -> Target | None:
    if wanted.target is None:
        if wanted.dataset is None:
            problems.add(InvalidInput("Name a `target`: who produces the trials.", ("target",)))
        return None
    kind, fields = wanted.target
    try:
        target = check_target(kind, fields)
        check_target_templates(target)
        return target
    except (UserError, Problems) as error:
        # The outputs are themselves the value of `target.outputs`, the other kinds an object of their own.
        problems.add(error, "target", *(() if kind is TargetKind.OUTPUTS else (kind.lower(),)))
        return None


def _source(wanted: SubmitJob, problems: Collector) -> Source | None:
    given = [name for name in ("taskset", "tasks", "dataset") if getattr(wanted, name) is not None]
    if len(given) != 1:
        found = "none was" if not given else f"{' and '.join(given)} were"
        problems.add(InvalidInput(f"Give exactly one of `taskset`, `tasks` and `dataset`; {found} given."))
        return None
    return Source(given[0])


async def _work_list(context: Context, wanted: SubmitJob, source: Source, problems: Collector) -> WorkList:
    selection = (wanted.only, wanted.exclude, wanted.limit)
    if source is Source.TASKSET and wanted.taskset is not None:
        return await from_taskset(context, wanted.workspace, wanted.taskset, selection, problems)
    if wanted.tasks is not None:
        tasks = [(task.name, task.draft) for task in wanted.tasks]
        return from_tasks(context, wanted.workspace, tasks, selection, problems)
    assert wanted.dataset is not None
    dataset = wanted.dataset
    return from_dataset(
        context, wanted.workspace, dataset.rows, dataset.metrics, dataset.name_field, selection, problems
    )


async def _check_archives(context: Context, work: WorkList) -> None:
    """Those of inline tasks; those of stored tasks were checked when they were published."""
    problems = Collector()
    for place, archive in work.archives.items():
        try:
            await check_archive(context, archive)
        except InvalidInput as error:
            problems.add(error, *work.path, place)
    problems.finish()


def _offline(wanted: SubmitJob, work: WorkList, problems: Collector) -> Target | None:
    """Rows that carry their outputs need no target; without any output one is missing."""
    if wanted.target is not None or wanted.dataset is None:
        return None
    if not any(_row_outcome(work, task) for task in work.tasks):
        message = "No row carries an `output`, `output_text`, `response` or `reward`: name a `target` to produce them."
        problems.add(InvalidInput(message, ("target",)))
    if wanted.options.repeats != 1:
        problems.add(
            InvalidInput("A row carries one output; `repeats` must be 1 where there is no target.", ("repeats",))
        )
    return OutputsTarget()


def _row_outcome(work: WorkList, task: JobTask) -> TrialOutcome | None:
    row = work.rows.get(task.name)
    return row_outcome(row) if isinstance(row, dict) else None


def _check_work(work: WorkList, target: Target | None, wanted: SubmitJob, problems: Collector) -> None:
    if not work.tasks and not problems.errors:
        problems.add(InvalidInput("The selection leaves no task; a job needs one at least.", work.path))
    problems.attempt(check_trial_count, len(work.tasks), wanted.options.repeats)
    if isinstance(target, OutputsTarget) and wanted.target is not None:
        try:
            target.check_covers([task.name for task in work.tasks], wanted.options.repeats)
        except Problems as error:
            problems.add(error, "target")
    if target is not None and target.kind in (TargetKind.MODEL, TargetKind.AGENT):
        _check_called(work, target, wanted, problems)


def _check_called(work: WorkList, target: Target, wanted: SubmitJob, problems: Collector) -> None:
    for task in work.tasks:
        if len(problems.errors) >= _MOST_PROBLEMS:
            return
        name = shown(task.ref or task.name)
        if task.kind not in (TaskKind.EVALUATOR, ROW_KIND):
            message = f"{name} is a {task.kind} task, which needs a runner target; a {target.kind} target asks prompts."
            problems.add(InvalidInput(message, work.path_of(task)))
        elif not task.metrics:
            problems.add(InvalidInput(f"{name} names no metric, so nothing could score it.", work.path_of(task)))
    dataset = wanted.dataset
    has_prompt = getattr(target, "prompt_template", None) or (dataset is not None and dataset.prompt_template)
    if dataset is not None and target.kind is TargetKind.MODEL and not has_prompt:
        message = "Give a `promptTemplate`: a model target asks what it renders over each row."
        problems.add(InvalidInput(message, ("dataset", "promptTemplate")))


async def _submission(
    context: Context, wanted: SubmitJob, work: WorkList, target: Target, problems: Collector
) -> Submission:
    metrics = await find_metrics(context, work, problems)
    problems.finish()
    job = ObjectId()
    name = wanted.name or _generated_name(work.source_name)
    slot = guards.slot_of(f"{wanted.workspace}/{name}")
    live = [metric for metric in metrics.values() if not metric.is_retired]
    held = [guards.task_guard(parent) for parent in work.parents]
    held += [guards.metric_guard(metric.id, slot) for metric in live]
    return Submission(
        job=job,
        workspace=wanted.workspace,
        name=name,
        project=wanted.project,
        description=wanted.description,
        labels={} if wanted.labels is None else wanted.labels,
        taskset=work.taskset,
        target=target,
        prompt_template=None if wanted.dataset is None else wanted.dataset.prompt_template,
        options=wanted.options,
        tasks=[replace(task, job=job) for task in work.tasks],
        texts={**work.texts, **{metric.digest: metric.text for metric in metrics.values()}},
        definitions={ref: metric.digest for ref, metric in metrics.items()},
        held=held,
        actor=context.actor,
        idempotency_key=wanted.idempotency_key,
        fingerprint=wanted.fingerprint if wanted.idempotency_key is not None else None,
        given=_given(wanted, work, target),
    )


def _given(wanted: SubmitJob, work: WorkList, target: Target) -> dict[tuple[str, int], TrialOutcome]:
    if not isinstance(target, OutputsTarget):
        return {}
    if wanted.target is None:
        rows = {(task.name, 0): _row_outcome(work, task) for task in work.tasks}
        return {key: outcome for key, outcome in rows.items() if outcome is not None}
    names = [task.name for task in work.tasks]
    outcomes = given_outcomes(target.outputs, names, wanted.options.repeats)
    handed_in = {(output.task, output.repeat) for output in target.outputs}
    return {key: outcome for key, outcome in outcomes.items() if key in handed_in}


def _generated_name(source: str) -> str:
    suffix = "".join(secrets.choice(_NAME_CHARACTERS) for _ in range(_NAME_SUFFIX))
    return f"{source[:_SOURCE_LENGTH]}-{suffix}"
