"""The events of jobs as subscribers get them: a snapshot, then every number once, on whichever server."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Final, TypeAlias

from domain.errors import BadUserInput
from evaluation.boards import NEW, Boards, Move, moves_of
from evaluation.tails import Tail, Tails
from resolvers import jobs as use_cases
from resolvers.context import Context
from storage import jobs
from storage.driver import ObjectId
from storage.job_events import EventRecord, EventType, snapshot
from storage.jobs import JobRecord

MAX_PER_SECOND: Final = 1_000.0


async def job_progress(
    context: Context, identity: ObjectId | None, after: int | None, max_per_second: float | None
) -> AsyncGenerator[EventRecord, None]:
    """The events of one job until it ends.

    Without `after` a snapshot comes first, whose number is that of the last event in it. `max_per_second` merges
    trial events into snapshots; changes of status and the end always come. Raises BadUserInput.
    """
    found = None if identity is None else await use_cases.job(context, identity)
    if found is None:
        raise BadUserInput("There is no such job.", argument="id")
    _check(found, after, max_per_second)
    events = _events(context, found, after)
    merged = events if max_per_second is None else _merged(events, max_per_second)
    async with contextlib.aclosing(merged):
        async for event in merged:
            yield event


def _check(job: JobRecord, after: int | None, max_per_second: float | None) -> None:
    if after is not None and not 0 <= after <= job.seq:
        raise BadUserInput(f"`after` lies between 0 and the job's last event, {job.seq}.", argument="after")
    if max_per_second is not None and not 0 < max_per_second <= MAX_PER_SECOND:
        raise BadUserInput(
            f"`maxPerSecond` lies above 0 and at most at {MAX_PER_SECOND:,.0f}.", argument="maxPerSecond"
        )


async def _events(context: Context, job: JobRecord, after: int | None) -> AsyncGenerator[EventRecord, None]:
    seq = after if after is not None else (job.seq - 1 if job.status.is_ended else job.seq)
    if after is None:
        yield snapshot(job, seq)
    if job.status.is_ended and seq >= job.seq:
        return
    async with context.services.shared(Tails).following(job.id, job.seq) as tail:
        async for event in _follow(context, tail, seq):
            yield event
            if event.type is EventType.ENDED:
                return


async def _follow(context: Context, tail: Tail, seq: int) -> AsyncIterator[EventRecord]:
    while True:
        # A job that is deleted writes no more events, which is noticed by looking after a silence.
        try:
            async with asyncio.timeout(_SILENCE_SECONDS):
                found = await tail.after(seq)
        except TimeoutError:
            if await jobs.find(context.services.database, tail.job) is None:
                return
            continue
        if not found:
            return
        for event in found:
            yield event
        seq = found[-1].seq


_SILENCE_SECONDS: Final = 15.0


Handed: TypeAlias = EventRecord | Exception | None


async def _merged(events: AsyncGenerator[EventRecord, None], most: float) -> AsyncGenerator[EventRecord, None]:
    """Events at no more than a rate: what comes faster is one snapshot, with the newest number and progress."""
    loop = asyncio.get_running_loop()
    pause, next_at = 1.0 / most, 0.0
    held: EventRecord | None = None
    queue: asyncio.Queue[Handed] = asyncio.Queue(maxsize=1)
    pump = asyncio.create_task(_pump(events, queue))
    try:
        while True:
            wait = None if held is None else max(0.0, next_at - loop.time())
            try:
                async with asyncio.timeout(wait):
                    event = await queue.get()
            except TimeoutError:
                assert held is not None
                yield held
                held, next_at = None, loop.time() + pause
                continue
            if event is None:
                break
            if isinstance(event, Exception):
                raise event
            if event.type.may_be_merged:
                held = event if event.type is EventType.SNAPSHOT else merged_snapshot(event)
            else:
                held = None
                yield event
        if held is not None:
            yield held
    finally:
        pump.cancel()
        await asyncio.gather(pump, return_exceptions=True)


async def _pump(
    events: AsyncGenerator[EventRecord, None], queue: asyncio.Queue[EventRecord | Exception | None]
) -> None:
    try:
        async with contextlib.aclosing(events):
            async for event in events:
                await queue.put(event)
    except Exception as error:
        await queue.put(error)
    else:
        await queue.put(None)


def merged_snapshot(event: EventRecord) -> EventRecord:
    """A snapshot in place of a trial's event."""
    return EventRecord(event.job, event.seq, event.at, EventType.SNAPSHOT, event.progress)


async def jobs_progress(context: Context, workspace: str) -> AsyncGenerator[EventRecord, None]:
    """A snapshot of every unfinished job, then at most one a second and job, and the end of each.

    Raises BadUserInput for an unknown workspace.
    """
    if not context.viewer.reads(workspace) or not await _exists(context, workspace):
        raise BadUserInput(f"There is no workspace {workspace!a}.", argument="workspace")
    async with context.services.shared(Boards).following(workspace) as board:
        position, earlier, seen = board.end, board.known, dict[ObjectId, int]()
        for job in await jobs.unfinished(context.services.database, workspace):
            seen[job.id] = job.seq
            yield snapshot(job, job.seq)
        while True:
            moves = await board.after(position)
            position = board.end
            if moves is None:
                # A subscriber that took nothing for a minute looks for itself, also at what came and ended meanwhile.
                seen |= dict.fromkeys(board.known - earlier - seen.keys(), NEW)
                moves = await _missed(context, workspace, seen)
            for move in moves:
                for event in _unseen(move, seen):
                    yield event


async def _exists(context: Context, workspace: str) -> bool:
    found = await context.services.database["workspaces"].find_one({"name": workspace}, {"_id": 1})
    return found is not None


def _unseen(move: Move, seen: dict[ObjectId, int]) -> list[EventRecord]:
    """Those events of a move that a subscriber has not seen, who may have come in the middle of it."""
    last = seen.get(move.job)
    if last is None and move.before != NEW and move.is_end:
        # It had ended before this subscriber came.
        return []
    events = [event for event in move.events if last is None or event.seq > last]
    if events:
        seen[move.job] = events[-1].seq
    return events


async def _missed(context: Context, workspace: str, seen: dict[ObjectId, int]) -> list[Move]:
    database = context.services.database
    found = await jobs.find_many(database, list(seen))
    found |= {job.id: job for job in await jobs.unfinished(database, workspace)}
    return await moves_of(database, found.values(), dict(seen))
