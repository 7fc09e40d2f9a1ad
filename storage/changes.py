"""The change feed: one change stream a process, which tells listeners what was written, on any server."""

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import structlog

from storage.driver import Database, ObjectId, OperationFailure, PyMongoError

log = structlog.get_logger(__name__)

# An empty answer of the server this often is what proves that nothing was missed.
_HEARTBEAT_MILLISECONDS: Final = 500
LIVE_SECONDS: Final = 2.0
_RETRY_SECONDS: Final = 0.2

_WATCHED: Final = ("tasks", "tasksets", "task_revisions", "taskset_revisions", "jobs", "tokens")
_OPERATIONS: Final = ("insert", "update", "replace", "delete")
_FIELDS: Final[Mapping[str, Any]] = {
    "operationType": 1,
    "ns.coll": 1,
    "documentKey": 1,
    "fullDocument._id": 1,
    "fullDocument.workspace": 1,
    "fullDocument.parent": 1,
    "fullDocument.job": 1,
    "fullDocument.seq": 1,
    "updateDescription.updatedFields.revokedAt": 1,
}
_PIPELINE: Final[Sequence[Mapping[str, Any]]] = (
    {
        "$match": {
            "ns.coll": {"$in": list(_WATCHED)},
            "operationType": {"$in": list(_OPERATIONS)},
            # A batch first marks its job, and tells what it changed in a second update.
            "updateDescription.updatedFields.mark": None,
        }
    },
    {"$project": _FIELDS},
)


@dataclass(frozen=True, slots=True)
class Change:
    """One write: which collection, what happened (`insert`, `update`, `replace`, `delete`), to which document.

    `document` holds the few fields that listeners route by (workspace, parent, job, seq), on inserts only.
    """

    collection: str
    operation: str
    id: ObjectId
    document: Mapping[str, Any]


Listener = Callable[[Change], None]


class ChangeFeed:
    """Reads the stream and calls listeners in order; `lost` listeners learn that changes may have been missed.

    What was written before `complete_until`, by this process's clock, has been told.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listeners: dict[str, list[Listener]] = defaultdict(list)
        self._lost: list[Callable[[], None]] = []
        self._heard = 0.0
        self._task: asyncio.Task[None] | None = None
        self._position: dict[str, Any] = {}
        self.complete_until = datetime.now(UTC)
        self._answers = asyncio.Event()

    @property
    def is_live(self) -> bool:
        """Whether an event or a heartbeat arrived under 2 s ago."""
        return time.monotonic() - self._heard < LIVE_SECONDS

    def listen(self, collection: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` for every change of a collection; the answer ends that."""
        self._listeners[collection].append(listener)
        return lambda: self._listeners[collection].remove(listener)

    def on_lost(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever the stream broke, after which changes may have been missed; the answer ends that."""
        self._lost.append(listener)
        return lambda: self._lost.remove(listener)

    async def answering(self) -> None:
        """Wait until the stream is open and has answered: it tells of everything that is written from now on."""
        await self._answers.wait()

    async def start(self) -> None:
        """Follow what is written from now on; the stream itself opens behind this call."""
        self._position = {"start_at_operation_time": await self._present()}
        self._task = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """Close the stream."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _present(self) -> Any:
        return (await self._database.client.admin.command("hello"))["operationTime"]

    async def _follow(self) -> None:
        while True:
            try:
                await self._read()
            except PyMongoError as error:
                log.warning("change_feed_lost", error=type(error).__name__)
                await self._recover(error)
            self._heard = 0.0
            self._answers.clear()
            for listener in list(self._lost):
                listener()

    async def _recover(self, error: PyMongoError) -> None:
        """Go on where the stream broke, or from now on where the server no longer remembers that place."""
        await asyncio.sleep(_RETRY_SECONDS)
        if isinstance(error, OperationFailure):
            with contextlib.suppress(PyMongoError):
                self._position = {"start_at_operation_time": await self._present()}

    async def _read(self) -> None:
        async with self._database.watch(
            list(_PIPELINE), max_await_time_ms=_HEARTBEAT_MILLISECONDS, **self._position
        ) as stream:
            while stream.alive:
                event = await stream.try_next()
                self._heard = time.monotonic()
                self.complete_until = datetime.now(UTC)
                self._answers.set()
                self._position = {"resume_after": stream.resume_token}
                if event is not None:
                    self._tell(event)

    def _tell(self, event: Mapping[str, Any]) -> None:
        collection = event["ns"]["coll"]
        document = event.get("fullDocument") or (event.get("updateDescription") or {}).get("updatedFields") or {}
        change = Change(collection, event["operationType"], event["documentKey"]["_id"], document)
        for listener in list(self._listeners[collection]):
            listener(change)
