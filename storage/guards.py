"""Guards: an existence document for every task and metric.

Snapshot isolation lets two transactions each read what the other changes. Whatever relies on a record's
existence (a pin, a metric named by content, a submitted job) therefore writes its guard, and a deletion removes
it, so that the two collide. Publishing a task does not touch its guard.
"""

from collections.abc import Sequence
from typing import Final
from zlib import crc32

from storage.driver import Database, ObjectId, Session

# Many new tasks name one metric at the same time; each writes one of several guards, a deletion all of them.
METRIC_SLOTS: Final = 16


def task_guard(task: ObjectId) -> str:
    """The guard of one task."""
    return f"task:{task}"


def slot_of(ref: str) -> int:
    """Which of a metric's guards a task (`workspace/name`) writes; the same in every process."""
    return crc32(ref.encode()) % METRIC_SLOTS


def metric_guard(metric: ObjectId | str, slot: int) -> str:
    """One of the guards of a metric."""
    return f"metric:{metric}:{slot}"


def metric_guards(metric: ObjectId) -> list[str]:
    """All guards of a metric."""
    return [metric_guard(metric, slot) for slot in range(METRIC_SLOTS)]


async def create(database: Database, session: Session, guards: Sequence[str]) -> None:
    """Make the guards of a new record."""
    await database["guards"].insert_many(
        [{"_id": guard, "uses": 0, "isClosed": False} for guard in guards], session=session
    )


async def hold(database: Database, session: Session, guards: Sequence[str]) -> bool:
    """Rely on records until the transaction commits; False where one of them is gone or retired."""
    if not guards:
        return True
    result = await database["guards"].update_many(
        {"_id": {"$in": list(guards)}, "isClosed": False}, {"$inc": {"uses": 1}}, session=session
    )
    return bool(result.matched_count == len(guards))


async def close(database: Database, session: Session, guards: Sequence[str], is_closed: bool) -> None:
    """Retire a record, or take it back into use: while closed, nothing new can rely on it."""
    await database["guards"].update_many(
        {"_id": {"$in": list(guards)}}, {"$set": {"isClosed": is_closed}, "$inc": {"uses": 1}}, session=session
    )


async def remove(database: Database, session: Session, guards: Sequence[str]) -> bool:
    """Take the guards away with their record; False where somebody else did."""
    result = await database["guards"].delete_many({"_id": {"$in": list(guards)}}, session=session)
    return bool(result.deleted_count == len(guards))
