"""Watching the jobs of a workspace: one reader a workspace and process looks what moved, for all of its dashboards.

The change feed says which jobs may have moved. They are read together at most once a second, and what is found is a
round that every dashboard gets.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import Final

import structlog

from storage import jobs
from storage.changes import Change
from storage.driver import Database, ObjectId, PyMongoError
from storage.job_events import EventRecord, EventType, read_after, snapshot
from storage.jobs import JobRecord
from storage.services import Services

log = structlog.get_logger(__name__)

ROUND_SECONDS: Final = 1.0
KEPT_ROUNDS: Final = 60
_RETRY_SECONDS: Final = 0.5
_MOST_ENDS: Final = 100
# The last number seen of a job that is new.
NEW: Final = -1


@dataclass(frozen=True, slots=True)
class Move:
    """What happened to one job since its event `before`: its ends, and, unless it has ended, how it stands."""

    job: ObjectId
    before: int
    events: tuple[EventRecord, ...]

    @property
    def is_end(self) -> bool:
        """Whether nothing but an end happened."""
        return all(event.type is EventType.ENDED for event in self.events)


class Board:
    """The moves in one workspace, in rounds."""

    def __init__(self, services: Services, workspace: str) -> None:
        self._services = services
        self.workspace = workspace
        self.readers = 0
        self.end = 0
        self._rounds: deque[tuple[Move, ...]] = deque(maxlen=KEPT_ROUNDS)
        self._come = asyncio.Event()
        self._seen: dict[ObjectId, int] = {}
        self._others: set[ObjectId] = set()
        self._changed: set[ObjectId] = set()
        self._must_look = False
        self._wake = asyncio.Event()
        feed = services.feed
        self._stops: list[Callable[[], None]] = [
            feed.listen("jobs", self._on_change),
            feed.on_lost(self._on_lost),
        ]
        self._begun = asyncio.create_task(self._begin())
        self._task = asyncio.create_task(self._run())

    @property
    def known(self) -> frozenset[ObjectId]:
        """The jobs of the workspace that it has come to know."""
        return frozenset(self._seen)

    async def begun(self) -> None:
        """Wait until it is known what moves from now on are to be told. Raises what kept that from being read."""
        await asyncio.shield(self._begun)

    async def end_all(self) -> None:
        """Stop reading."""
        for stop in self._stops:
            stop()
        for task in (self._task, self._begun):
            task.cancel()
        await asyncio.gather(self._task, self._begun, return_exceptions=True)

    async def after(self, position: int) -> list[Move] | None:
        """The moves of the rounds from `position` on, waiting for one; None where the first are gone already."""
        while position >= self.end:
            come = self._come
            await come.wait()
        skipped = position - (self.end - len(self._rounds))
        return None if skipped < 0 else [move for each in list(self._rounds)[skipped:] for move in each]

    def _on_change(self, change: Change) -> None:
        if change.operation == "insert" and change.document.get("workspace") == self.workspace:
            self._seen.setdefault(change.id, NEW)
        if change.id not in self._others:
            self._changed.add(change.id)
            self._wake.set()

    def _on_lost(self) -> None:
        self._must_look = True
        self._wake.set()

    async def _begin(self) -> None:
        for job in await jobs.unfinished(self._services.database, self.workspace):
            self._seen[job.id] = job.seq

    async def _run(self) -> None:
        await asyncio.wait({self._begun})
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                moves = await self._moves()
            except PyMongoError as error:
                log.warning("board_not_read", workspace=self.workspace, error=type(error).__name__)
                self._on_lost()
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            if moves:
                self._rounds.append(tuple(moves))
                self.end += 1
                come, self._come = self._come, asyncio.Event()
                come.set()
            await asyncio.sleep(ROUND_SECONDS)

    async def _moves(self) -> list[Move]:
        database = self._services.database
        wanted, self._changed = self._changed, set()
        if self._must_look:
            self._must_look = False
            wanted |= self._seen.keys() | {job.id for job in await jobs.unfinished(database, self.workspace)}
        found = await jobs.find_many(database, list(wanted))
        self._others |= {job.id for job in found.values() if job.workspace != self.workspace}
        for identity in wanted - found.keys():
            self._seen.pop(identity, None)
        ours = [job for job in found.values() if job.workspace == self.workspace]
        return await moves_of(database, ours, self._seen)


async def moves_of(database: Database, found: Iterable[JobRecord], seen: dict[ObjectId, int]) -> list[Move]:
    """What happened to jobs since the numbers in `seen`, which are brought up to date.

    An ended job that is not among them had ended before, and was only touched.
    """
    moves: list[Move] = []
    for job in found:
        before = seen.get(job.id)
        if before is None and job.status.is_ended:
            before = job.seq
        seen[job.id] = job.seq
        if before == job.seq:
            continue
        # One that is reopened, or comes to light only now, is told of as it stands: its ends are long past.
        ends = [] if before is None else await read_after(database, job.id, before, _MOST_ENDS, EventType.ENDED)
        now = () if job.status.is_ended else (snapshot(job, job.seq),)
        moves.append(Move(job.id, NEW if before is None else before, (*ends, *now)))
    return moves


class Boards:
    """The boards of one process: `services.shared(Boards)`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._boards: dict[str, Board] = {}

    @contextlib.asynccontextmanager
    async def following(self, workspace: str) -> AsyncIterator[Board]:
        """The workspace's board while the body runs; the last of its readers ends it."""
        board = self._boards.get(workspace)
        if board is None:
            board = self._boards[workspace] = Board(self._services, workspace)
        board.readers += 1
        try:
            await board.begun()
            yield board
        finally:
            board.readers -= 1
            if board.readers == 0:
                self._boards.pop(workspace, None)
                await asyncio.shield(board.end_all())

    async def close(self) -> None:
        """End all readers."""
        for board in list(self._boards.values()):
            await board.end_all()
        self._boards.clear()

    def __len__(self) -> int:
        return len(self._boards)
