"""Storing what a taskset bundle holds, and proving that every digest came out the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pinset.errors import AlreadyExists, NotFound, PinsetError
from pinset.files.archives import unpacked
from pinset.files.bundles import content_of, read_bundle
from pinset.files.metrics import metric_input
from pinset.files.platform import task_input, taskset_input
from pinset.files.rewriting import Moved, moved
from pinset.files.values import JSONObject

if TYPE_CHECKING:
    from pinset.synchronous.client import Pinset

RECORDS: Final = ("metric", "task", "taskset")


@dataclass(frozen=True, slots=True)
class Imported:
    """One record of a bundle as it is stored now; `outcome` is CREATED, PUBLISHED or UNCHANGED."""

    record: str
    old: str
    new: str
    outcome: str


def import_taskset(
    client: Pinset, path: Path, workspace: str | None, folder: Path, done: Callable[[Imported], None]
) -> None:
    """Store a verified bundle: archives, metrics, tasks, then the taskset, in the workspaces it names or in one.

    Every step may be repeated: what is there already is left alone. Raises PinsetError.
    """
    for name in dict.fromkeys(place.record["workspace"] for place in _places(path, workspace)):
        _ensure_workspace(client, str(name))
    for source, digest, archive in unpacked(read_bundle(path), folder):
        client.upload(digest, archive, workspace or source)
    steps = {"metric": _store_metric, "task": _store_task, "taskset": _store_taskset}
    for kind in RECORDS:
        for place in _places(path, workspace):
            if place.record["record"] == kind:
                done(Imported(kind, place.old, place.new, steps[kind](client, place)))


def _places(path: Path, workspace: str | None) -> Iterator[Moved]:
    if workspace is not None:
        yield from moved(read_bundle(path), workspace)
        return
    for line, record in read_bundle(path):
        if record["record"] in RECORDS:
            pin = f"{record['workspace']}/{record['name']}#{record['digest']}"
            yield Moved(line, record, pin, pin)


def _ensure_workspace(client: Pinset, name: str) -> None:
    try:
        client.workspaces.retrieve(name)
    except NotFound:
        client.workspaces.create(name)


def _store_metric(client: Pinset, place: Moved) -> str:
    record = place.record
    workspace, name = str(record["workspace"]), str(record["name"])
    content = content_of(record)
    given = metric_input(str(content["type"]), content["config"])
    labels: Any = record.get("labels")
    try:
        stored = client.metrics.create(
            name, given, workspace=workspace, description=_text(record, "description"), labels=labels or None
        )
        outcome = "CREATED"
    except AlreadyExists:
        stored, outcome = client.metrics.retrieve(name, workspace=workspace), "UNCHANGED"
    _check(place, stored.digest)
    return outcome


def _store_task(client: Pinset, place: Moved) -> str:
    record = place.record
    workspace, name, digest = str(record["workspace"]), str(record["name"]), str(record["digest"])
    try:
        client.tasks.retrieve_revision(name, revision=digest, workspace=workspace)
    except NotFound:
        task: Any = task_input(content_of(record))
        published = client.tasks.replace(name, task["spec"], metadata=task.get("metadata", ()), workspace=workspace)
        assert published.revision is not None
        assert published.outcome is not None
        _check(place, published.revision.digest)
        return published.outcome.value
    return "UNCHANGED"


def _store_taskset(client: Pinset, place: Moved) -> str:
    record: Any = place.record
    content: Any = taskset_input(content_of(record))
    published = client.tasksets.replace(
        record["name"],
        record["members"],
        description=content.get("description"),
        files_ref=content.get("filesRef"),
        metadata=content.get("metadata", ()),
        workspace=record["workspace"],
    )
    assert published.revision is not None
    assert published.outcome is not None
    _check(place, published.revision.digest)
    return published.outcome.value


def _check(place: Moved, digest: str) -> None:
    if digest != place.record["digest"]:
        raise PinsetError(
            f"line {place.line}: {place.new} is stored with the digest {digest} here; a metric's name may mean another "
            "definition on this server."
        )


def _text(record: JSONObject, field: str) -> str | None:
    value = record.get(field)
    return None if value is None else str(value)
