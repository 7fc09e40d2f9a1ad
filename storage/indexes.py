"""Indexes: one for every list in its order, one unique for every invariant; and the version of the data."""

from collections.abc import Mapping, Sequence
from typing import Final

from domain.errors import StartupFailure
from storage.driver import ASCENDING, DESCENDING, Database, IndexModel, WriteConcern
from storage.trials import EPOCH

SCHEMA_VERSION: Final = 1

UP, DOWN = ASCENDING, DESCENDING


def _narrowed(*fields: str) -> tuple[IndexModel, ...]:
    """One index for each filter of a list, in the order that lists have where none is asked for."""
    return tuple(
        IndexModel([*((name, UP) for name in field.split()), ("createdAt", UP), ("_id", UP)]) for field in fields
    )


_NAMED: Final = IndexModel([("workspace", UP), ("name", UP)], unique=True)
# The name comes last so that a search for a part of it reads the index alone. Facets come first so that MongoDB
# tries each of several, and finds the rarest; it would take whichever is named first behind another field.
_LISTED: Final = (
    _NAMED,
    IndexModel([("workspace", UP), ("createdAt", UP), ("_id", UP), ("name", UP)]),
    IndexModel([("workspace", UP), ("updatedAt", UP), ("_id", UP), ("name", UP)]),
    *_narrowed("workspace project", "facets workspace", "workspace tags.name"),
)
_REVISIONS: Final = (
    IndexModel([("parent", UP), ("number", DOWN)], unique=True),
    IndexModel([("parent", UP), ("digest", UP), ("number", DOWN)]),
    IndexModel([("digest", UP)]),
)

_SIZE: Final = IndexModel([("workspace", UP), ("size", UP)])

INDEXES: Final[Mapping[str, Sequence[IndexModel]]] = {
    "workspaces": (IndexModel([("name", UP)], unique=True),),
    "metrics": (
        _NAMED,
        *_narrowed("workspace isRetired", "workspace isRetired project", "workspace isRetired type"),
    ),
    "tasks": (*_LISTED, *_narrowed("workspace kind", "workspace metrics")),
    "tasksets": _LISTED,
    "task_revisions": (
        *_REVISIONS,
        _SIZE,
        IndexModel([("metrics", UP), ("_id", UP)]),
        IndexModel([("blobs", UP)], sparse=True),
    ),
    "taskset_revisions": (
        *_REVISIONS,
        _SIZE,
        IndexModel([("members", UP), ("_id", UP)]),
        IndexModel(
            [("contains", UP), ("parent", UP), ("_id", UP), ("workspace", UP)],
            name="head_members",
            partialFilterExpression={"contains": {"$exists": True}},
        ),
    ),
    "audit": (
        IndexModel([("workspace", UP), ("_id", DOWN)]),
        IndexModel([("actor", UP), ("_id", DOWN)]),
        IndexModel([("ref", UP), ("_id", DOWN)]),
    ),
    "tokens": (IndexModel([("hash", UP)], unique=True),),
    "contents": (IndexModel([("touchedAt", UP)]),),
    "tag_moves": (
        IndexModel([("parent", UP), ("at", UP), ("_id", UP)]),
        IndexModel([("parent", UP), ("tag", UP), ("at", UP), ("_id", UP)]),
    ),
    "jobs": (
        *_LISTED,
        IndexModel(
            [("workspace", UP), ("idempotencyKey", UP)],
            unique=True,
            partialFilterExpression={"idempotencyKey": {"$exists": True}},
        ),
        IndexModel([("status", UP), ("target.kind", UP), ("createdAt", UP), ("_id", UP)]),
        IndexModel([("taskset.record", UP), ("createdAt", UP), ("_id", UP)]),
        IndexModel([("metrics.digest", UP)]),
    ),
    "job_tasks": (
        IndexModel([("job", UP), ("position", UP)], unique=True),
        IndexModel([("job", UP), ("name", UP)], unique=True),
        IndexModel([("digest", UP)]),
        IndexModel([("revision", UP)], sparse=True),
        IndexModel([("blobs", UP)], sparse=True),
    ),
    "trials": (
        IndexModel([("job", UP), ("order", UP)], unique=True),
        IndexModel([("job", UP), ("status", UP), ("order", UP)]),
        IndexModel([("job", UP), ("taskName", UP), ("order", UP)]),
        IndexModel([("task", UP)], partialFilterExpression={"task": {"$type": "objectId"}}),
        IndexModel([("lease.expiresAt", UP)], partialFilterExpression={"lease.expiresAt": {"$gt": EPOCH}}),
        IndexModel([("blobs", UP)]),
    ),
    "job_events": (
        IndexModel([("job", UP), ("seq", UP)], unique=True),
        IndexModel([("job", UP), ("type", UP), ("seq", UP)]),
    ),
    "blobs.files": (
        IndexModel([("filename", UP)], unique=True),
        IndexModel([("metadata.touchedAt", UP)]),
        IndexModel([("metadata.workspaces", UP), ("length", UP)]),
    ),
    "blobs.chunks": (IndexModel([("files_id", UP), ("n", UP)], unique=True),),
}


async def ensure_indexes(database: Database) -> None:
    """Create missing indexes and record the version of the data. Raises StartupFailure for data of a newer version."""
    await _check_version(database)
    # Sixteen waits for the disk in a new database are one: that of the write which follows them all.
    hasty = database.with_options(write_concern=WriteConcern(w=1))
    for collection, indexes in INDEXES.items():
        await hasty[collection].create_indexes(list(indexes))
    await database["settings"].update_one({"_id": "schema"}, {"$setOnInsert": {"version": SCHEMA_VERSION}}, upsert=True)


async def missing_indexes(database: Database) -> list[str]:
    """The names (`collection.index`) of the indexes that the database lacks."""
    missing: list[str] = []
    for collection, indexes in INDEXES.items():
        present = await database[collection].index_information()
        wanted = [str(index.document["name"]) for index in indexes]
        missing += [f"{collection}.{name}" for name in wanted if name not in present]
    return missing


async def _check_version(database: Database) -> None:
    found = await database["settings"].find_one({"_id": "schema"})
    version = found["version"] if found else SCHEMA_VERSION
    if version > SCHEMA_VERSION:
        raise StartupFailure(
            f"The database was written by a newer Pinset (data version {version}, this one knows {SCHEMA_VERSION}); "
            "run the newer version, or use another database."
        )
