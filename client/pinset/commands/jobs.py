"""`pinset jobs`: submitting, watching, results, comparison."""

import json as jsonlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from pinset.commands.failures import FAILED, reported
from pinset.commands.options import DEFAULT_WORKSPACE, AsJson, Token, Url, Workspace, connect
from pinset.commands.output import progress_bar, say, show_json, show_table
from pinset.errors import NotFound
from pinset.files.lines import json_document, json_entries
from pinset.files.problems import FileProblem
from pinset.plain import plain

if TYPE_CHECKING:
    from pinset.models import Event, Job, Results
    from pinset.synchronous.client import Pinset

app = typer.Typer(help="Submit jobs, watch them, read and compare their results.", no_args_is_help=True)

JobName = Annotated[str, typer.Argument(metavar="JOB", help="A job's name or id.")]
EVENTS_A_SECOND: Final = 10.0


@app.command()
@reported
def submit(
    taskset: Annotated[str, typer.Argument(help="NAME, NAME#TAG or NAME#DIGEST.")],
    target: Annotated[Path | None, typer.Option(help="A JSON file with a TargetInput.")] = None,
    model_url: Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint, instead of --target.")] = None,
    model: Annotated[str | None, typer.Option(help="The model's name at --model-url.")] = None,
    api_key_secret: Annotated[str | None, typer.Option(help="The worker's secret with the key, by name.")] = None,
    runner: Annotated[str | None, typer.Option(help="Leave the trials to the runners of this name.")] = None,
    outputs: Annotated[Path | None, typer.Option(help="Score outputs that exist: rows of OutputInput.")] = None,
    name: Annotated[str | None, typer.Option(help="The job's name. [default: made up]")] = None,
    repeats: Annotated[int, typer.Option(help="How often each task runs.")] = 1,
    only: Annotated[list[str] | None, typer.Option(help="Only this task; repeatable.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="Not this task; repeatable.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many tasks.")] = None,
    max_concurrency: Annotated[int, typer.Option(help="Trials at a time.")] = 4,
    timeout: Annotated[float, typer.Option(help="Seconds a trial may take.")] = 600.0,
    max_attempts: Annotated[int, typer.Option(help="Attempts of a trial whose runner or target is lost.")] = 3,
    fail_fast: Annotated[bool, typer.Option(help="Stop at the first failed trial.")] = False,
    key: Annotated[str | None, typer.Option(help="Idempotency key: the same key gives the same job.")] = None,
    watch: Annotated[bool, typer.Option(help="Watch it to its end.")] = False,
    workspace: Workspace = DEFAULT_WORKSPACE,
    json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Submit a job over a taskset."""
    chosen = _target(target, model_url, model, api_key_secret, runner, outputs)
    optional = {"name": name, "only": only, "exclude": exclude, "limit": limit, "idempotencyKey": key}
    given: dict[str, Any] = {field: value for field, value in optional.items() if value is not None}
    with connect(url, token, workspace) as client:
        job = client.jobs.submit(
            taskset=taskset,
            target=chosen,
            repeats=repeats,
            maxConcurrency=max_concurrency,
            timeoutSeconds=timeout,
            maxAttempts=max_attempts,
            failFast=fail_fast,
            **given,
        )
        if watch:
            say(f"{job.name}: {job.progress.total} trials of {job.taskset_ref}")
            _watch(client, job, json)
        elif json:
            show_json(job)
        else:
            print(f"{job.name}\t{job.id}")


@app.command(name="list")
@reported
def list_(
    workspace: Workspace = DEFAULT_WORKSPACE,
    limit: Annotated[int, typer.Option(help="At most so many, newest first.")] = 50,
    json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """List jobs, newest first."""
    with connect(url, token, workspace) as client:
        rows = [job for job, _ in zip(client.jobs.list(page_size=min(limit, 500)), range(limit), strict=False)]
    if json:
        show_json(rows)
        return
    cells = [
        (
            job.name,
            _status(job),
            f"{job.progress.total - job.progress.pending - job.progress.running}/{job.progress.total}",
            job.progress.mean_reward,
            job.taskset_ref,
            f"{job.created_at:%Y-%m-%d %H:%M}",
        )
        for job in rows
    ]
    show_table(("job", "status", "trials", "reward", "taskset", "created"), cells)


@app.command()
@reported
def show(job: JobName, workspace: Workspace = DEFAULT_WORKSPACE, url: Url = None, token: Token = None) -> None:
    """Print a job as JSON."""
    with connect(url, token, workspace) as client:
        show_json(found_job(client, job, workspace))


@app.command()
@reported
def watch(
    job: JobName, workspace: Workspace = DEFAULT_WORKSPACE, json: AsJson = False, url: Url = None, token: Token = None
) -> None:
    """Watch a job to its end; with --json one event a line. Exit code 1 unless it is COMPLETED."""
    with connect(url, token, workspace) as client:
        _watch(client, found_job(client, job, workspace), json)


@app.command()
@reported
def cancel(job: JobName, workspace: Workspace = DEFAULT_WORKSPACE, url: Url = None, token: Token = None) -> None:
    """Cancel a job; a finished one stays as it is."""
    with connect(url, token, workspace) as client:
        print(_status(client.jobs.cancel(found_job(client, job, workspace).id)))


@app.command()
@reported
def pause(job: JobName, workspace: Workspace = DEFAULT_WORKSPACE, url: Url = None, token: Token = None) -> None:
    """Give out no new trials of a job."""
    with connect(url, token, workspace) as client:
        print(_status(client.jobs.pause(found_job(client, job, workspace).id)))


@app.command()
@reported
def resume(job: JobName, workspace: Workspace = DEFAULT_WORKSPACE, url: Url = None, token: Token = None) -> None:
    """Go on with a paused job."""
    with connect(url, token, workspace) as client:
        print(_status(client.jobs.resume(found_job(client, job, workspace).id)))


@app.command()
@reported
def retry(
    job: JobName,
    watch: Annotated[bool, typer.Option(help="Watch it to its end.")] = False,
    workspace: Workspace = DEFAULT_WORKSPACE,
    json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Run the failed trials of a job again, as new attempts."""
    with connect(url, token, workspace) as client:
        reopened = client.jobs.retry(found_job(client, job, workspace).id)
        if watch:
            _watch(client, reopened, json)
        elif json:
            show_json(reopened)
        else:
            print(_status(reopened))


@app.command()
@reported
def results(
    job: JobName,
    trials: Annotated[bool, typer.Option(help="Every trial with its scores, one JSON object a line.")] = False,
    missing_as: Annotated[float | None, typer.Option(help="Count a missing value as this number.")] = None,
    workspace: Workspace = DEFAULT_WORKSPACE,
    json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """The statistics of a job: every mean with the number of values that it rests on."""
    with connect(url, token, workspace) as client:
        found = found_job(client, job, workspace)
        if trials:
            for trial in client.jobs.trials(found.id):
                print(jsonlib.dumps(plain(trial), ensure_ascii=False))
            return
        answered = client.jobs.results(found.id, missing_as=missing_as)
    if json:
        show_json(answered)
    else:
        _show_results(answered)


@app.command()
@reported
def compare(
    base: Annotated[str, typer.Argument(help="The job to compare with, by name or id.")],
    candidate: Annotated[str, typer.Argument(help="The job to look at, by name or id.")],
    workspace: Workspace = DEFAULT_WORKSPACE,
    json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Two jobs side by side: paired by task, over equal content only."""
    with connect(url, token, workspace) as client:
        sides = [found_job(client, name, workspace).id for name in (base, candidate)]
        comparison = client.jobs.compare(sides[0], sides[1])
        tasks = list(client.jobs.compared_tasks(sides[0], sides[1]))
    if json:
        show_json({**plain(comparison), "tasks": plain(tasks)})
        return
    print(
        f"{comparison.same_content} tasks with equal content, {comparison.changed_content} changed, "
        f"{comparison.only_in_base} only in {base}, {comparison.only_in_candidate} only in {candidate}"
    )
    print(f"mean difference {_number(comparison.mean_delta)}, 95% {_interval(comparison.confidence_95)}")
    cells = [
        (
            row.name,
            row.class_.value.lower(),
            row.base and row.base.mean,
            row.candidate and row.candidate.mean,
            row.delta,
        )
        for row in tasks
    ]
    show_table(("task", "class", "base", "candidate", "delta"), cells)


def found_job(client: "Pinset", name: str, workspace: str) -> "Job":
    """A job by its name, else by its id. Raises NotFound."""
    with suppress(NotFound):
        return client.jobs.find(name, workspace=workspace)
    return client.jobs.retrieve(name)


def _target(
    target: Path | None,
    model_url: str | None,
    model: str | None,
    api_key_secret: str | None,
    runner: str | None,
    outputs: Path | None,
) -> dict[str, Any]:
    ways = [target is not None, model_url is not None, runner is not None, outputs is not None]
    if sum(ways) != 1:
        raise typer.BadParameter("give exactly one of --target, --model-url, --runner and --outputs")
    if target is not None:
        document = json_document(target)
        if not isinstance(document, dict):
            raise FileProblem(f"{target} must hold a JSON object, a TargetInput.")
        return dict(document)
    if runner is not None:
        return {"runner": {"name": runner}}
    if outputs is not None:
        return {"outputs": [entry for _, entry in json_entries(outputs)]}
    if model is None:
        raise typer.BadParameter("--model-url goes with --model")
    secret = {} if api_key_secret is None else {"apiKeySecret": api_key_secret}
    return {"model": {"model": {"url": model_url, "name": model, **secret}}}


def follow(client: "Pinset", job: "Job", json: bool = False) -> "Job":
    """Show a bar until the job ends (with `json` its events, one a line), and answer the job as it is then."""
    with progress_bar(json) as bar:
        shown = bar.add_task(job.name, total=job.progress.total)

        def seen(event: "Event") -> None:
            progress = event.progress
            done = progress.completed + progress.partial + progress.failed + progress.cancelled
            bar.update(shown, completed=done, total=progress.total)
            if json:
                print(jsonlib.dumps({"event": event.typename__, **plain(event)}, ensure_ascii=False), flush=True)

        return client.jobs.wait(job.id, on_event=seen)


def _watch(client: "Pinset", job: "Job", json: bool) -> None:
    ended = follow(client, job, json)
    if not json:
        _show_results(client.jobs.results(job.id))
    if ended.status.value != "COMPLETED":
        raise typer.Exit(FAILED)


def _show_results(results: "Results") -> None:
    progress = results.progress
    print(
        f"{results.name}: {results.status.value}, {progress.completed} completed, {progress.partial} partial, "
        f"{progress.failed} failed, {progress.cancelled} cancelled of {progress.total}"
    )
    statistics = [results.summary.reward, *results.summary.statistics]
    cells = [
        (row.name, row.mean, _interval(row.confidence_95), f"{row.scored}/{row.expected}", row.failed, row.missing)
        for row in {row.name: row for row in statistics}.values()
    ]
    show_table(("statistic", "mean", "95%", "scored", "failed", "missing"), cells)
    for rate in results.summary.pass_rates:
        print(f"pass@{rate.k}: any {_number(rate.any_pass)}, all {_number(rate.all_pass)} over {rate.tasks} tasks")
    for failure in results.summary.failures:
        print(f"failed with {failure.type_}: {failure.count}")


def _status(job: "Job") -> str:
    return f"{job.status.value}{' (stalled)' if job.is_stalled else ''}"


def _interval(bounds: list[float] | None) -> str | None:
    return None if bounds is None else f"{bounds[0]:.3g} … {bounds[1]:.3g}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"
