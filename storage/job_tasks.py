"""The resolved work list of a job, fixed at its submission: which content, by digest, under which name."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from storage.driver import Database, Document, ObjectId
from storage.pages import Order, PageRequest, fetch
from storage.records import Page

ROW_KIND = "row"


@dataclass(frozen=True, slots=True)
class JobTask:
    """One entry of a work list; `position` counts from 0, `metrics` are qualified references.

    `ref` pins a stored task (`workspace/name#digest`) and is None for inline tasks and dataset rows, whose kind is
    `row`. `config` is a harbor task's configuration as canonical text, `archive` the blob of its package, where that is
    kept here.
    """

    id: ObjectId
    job: ObjectId
    position: int
    name: str
    ref: str | None
    digest: str
    revision_id: ObjectId | None
    task_id: ObjectId | None
    kind: str
    config: str | None
    metrics: tuple[str, ...]
    archive: str | None = None

    @property
    def is_row(self) -> bool:
        """Whether it is a dataset row, whose content is the row itself."""
        return self.kind == ROW_KIND


async def page(database: Database, job: ObjectId, request: PageRequest) -> Page[JobTask]:
    """The work list in its order."""
    part = await fetch(database["job_tasks"], {"job": job}, Order("position"), request)
    return Page(tuple(map(record, part.documents)), part.cursors, part.has_next, part.has_previous)


async def find_all(database: Database, job: ObjectId) -> list[JobTask]:
    """The whole work list in its order."""
    found = await database["job_tasks"].find({"job": job}, sort=[("position", 1)]).to_list(None)
    return [record(document) for document in found]


async def find_at(database: Database, places: Iterable[tuple[ObjectId, int]]) -> dict[tuple[ObjectId, int], JobTask]:
    """Entries by (job, position); those that are gone are left out."""
    grouped: dict[ObjectId, list[int]] = {}
    for job, position in set(places):
        grouped.setdefault(job, []).append(position)
    if not grouped:
        return {}
    parts = [{"job": job, "position": {"$in": positions}} for job, positions in grouped.items()]
    found = await database["job_tasks"].find({"$or": parts}).to_list(None)
    tasks = [record(document) for document in found]
    return {(task.job, task.position): task for task in tasks}


def document(task: JobTask) -> dict[str, Any]:
    """An entry as a document."""
    return {
        "_id": task.id,
        "job": task.job,
        "position": task.position,
        "name": task.name,
        "ref": task.ref,
        "digest": task.digest,
        "revision": task.revision_id,
        "task": task.task_id,
        "kind": task.kind,
        "config": task.config,
        "metrics": list(task.metrics),
        **({} if task.archive is None else {"blobs": [task.archive]}),
    }


def record(document: Document) -> JobTask:
    """An entry of its document."""
    return JobTask(
        id=document["_id"],
        job=document["job"],
        position=document["position"],
        name=document["name"],
        ref=document["ref"],
        digest=document["digest"],
        revision_id=document["revision"],
        task_id=document["task"],
        kind=document["kind"],
        config=document["config"],
        metrics=tuple(document["metrics"]),
        archive=next(iter(document.get("blobs", ())), None),
    )
