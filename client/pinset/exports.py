"""Records of bundles, read from a server one page at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pinset.errors import PinsetError
from pinset.files.archives import archive_records
from pinset.files.bundles import header, with_digest
from pinset.files.metrics import definition
from pinset.files.values import JSON, JSONObject, digest_of, parse
from pinset.plain import plain

if TYPE_CHECKING:
    from pinset.models import CanonicalTasksetRevision, Job, Member
    from pinset.synchronous.client import Pinset


def taskset_records(client: Pinset, revision: CanonicalTasksetRevision, folder: Path) -> Iterator[JSONObject]:
    """A taskset revision with every task, metric and archive that it pins. Raises PinsetError for dangling members."""
    workspace, name = revision.taskset.workspace, revision.taskset.name
    yield header("taskset", workspace, name)
    metrics: dict[str, None] = {}
    archives: dict[str, None] = {}
    pins: list[JSON] = []
    for member in client.tasksets.members(f"{workspace}/{name}#{revision.digest}", workspace=workspace):
        record, spec = _task(member)
        metrics.update(dict.fromkeys(spec.get("metrics", [])))
        archives.update(dict.fromkeys([spec["archive_ref"]] if "archive_ref" in spec else []))
        pins.append(member.ref)
        yield record
    for ref in metrics:
        yield _metric(client, ref)
    for ref in archives:
        yield from _archive(client, ref, folder)
    record = {"record": "taskset", "workspace": workspace, "name": name, "members": pins, "number": revision.number}
    yield {**record, "canonical": revision.canonical, "digest": revision.digest}


def job_records(client: Pinset, job: Job) -> Iterator[JSONObject]:
    """A job with its work list, the metrics it names, and its trials with their scores."""
    yield header("job", job.workspace, job.name)
    yield {"record": "job", **plain(job)}
    metrics: dict[str, None] = {}
    for task in client.jobs.tasks(job.id):
        metrics.update(dict.fromkeys(task.metrics))
        yield {
            "record": "job_task",
            "name": task.name,
            "ref": task.ref,
            "taskDigest": task.digest,
            **with_digest({}, task.content),
        }
    for ref in metrics:
        yield _metric(client, ref)
    for trial in client.jobs.whole_trials(job.id):
        yield {"record": "trial", **plain(trial)}


def member_contents(client: Pinset, ref: str, workspace: str) -> Iterator[tuple[str, JSONObject]]:
    """Name and content of every member, in order. Raises PinsetError for one that dangles."""
    for member in client.tasksets.members(ref, workspace=workspace):
        record, _ = _task(member)
        yield member.name, cast(JSONObject, parse(str(record["canonical"])))


def _task(member: Member) -> tuple[JSONObject, dict[str, Any]]:
    canonical = member.revision.canonical if member.revision is not None else None
    if canonical is None:
        why = "may not be read" if member.is_hidden else "does not exist any more"
        raise PinsetError(f"{member.ref} {why}; a bundle holds everything that is pinned.")
    if digest_of(canonical) != member.digest:
        raise PinsetError(f"{member.ref} has other content than its digest says.")
    content: Any = parse(canonical)
    record: JSONObject = {"record": "task", "workspace": member.workspace, "name": member.name}
    return {**record, "canonical": canonical, "digest": member.digest}, content["spec"]


def _metric(client: Pinset, ref: str) -> JSONObject:
    workspace, _, name = ref.partition("/")
    metric = client.metrics.retrieve(name, workspace=workspace)
    outputs = [cast(JSONObject, plain(output)) for output in metric.outputs]
    record: JSONObject = {"record": "metric", "workspace": workspace, "name": name, "description": metric.description}
    record = with_digest({**record, "labels": metric.labels}, definition(metric.type_.value, metric.config, outputs))
    if record["digest"] != metric.digest:
        raise PinsetError(f"The metric {ref} has another definition than its digest says.")
    return record


def _archive(client: Pinset, ref: str, folder: Path) -> Iterator[JSONObject]:
    workspace, _, rest = ref.partition("/")
    digest = rest.partition("#")[2].removesuffix(".tar.gz")
    if len(digest) != 64:
        return
    path = folder / f"{digest}.tar.gz"
    client.download(digest, path, workspace)
    yield from archive_records(path, digest, workspace)
    path.unlink()
