"""Committers: one a job and process, so that what arrives while a commit is under way goes together into the next.

The job's document orders all transitions of a job. Written one by one, 64 reporters get 21 reports a second through;
together, thousands.
"""

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import structlog

from domain.deadlines import writing_begins
from domain.errors import Conflict, NotFound, PinsetError
from evaluation.outcomes import close_if_done
from storage.driver import BlockingDatabase, BlockingSession, ObjectId
from storage.job_batches import JobBatch
from storage.job_memory import JobMemory
from storage.services import Services

log = structlog.get_logger(__name__)

# Trials in one commit, about: of those that are reported and the like, and of those that are claimed, many of which may
# be wanted at once. A long commit keeps its first waiting for its last, and who reports waiting for who claims.
MOST_TRIALS: Final = 100
MOST_CLAIMED: Final = 80
GATHERING_SECONDS: Final = 0.002
# Servers that commit to the same job take turns by trying: a long pause would only leave the turn to the others.
LONGEST_DELAY_SECONDS: Final = 0.01
# Between commits, so that another server's try meets a job that is free; longer where others do commit to it.
PAUSE_SECONDS: Final = 0.002
SHARED_PAUSE_SECONDS: Final = 0.008

Answer_co = TypeVar("Answer_co", covariant=True)
Answer = TypeVar("Answer")


class Transition(Protocol[Answer_co]):
    """One change of a job or of its trials.

    `trials` are read before, in one query for the whole batch; `claims` is how many waiting trials it may take.
    """

    @property
    def trials(self) -> Sequence[ObjectId]:
        """The trials that it is about."""

    @property
    def claims(self) -> int:
        """How many waiting trials it may take."""

    def apply(self, batch: JobBatch) -> Answer_co:
        """Change the working copies and answer; a UserError is raised before anything was changed."""


@dataclass(eq=False, slots=True)
class _Waiting:
    transition: Transition[Any]
    answer: asyncio.Future[Any]


# What a transition answered, or why it did not.
_Answer: TypeAlias = tuple[Any, Exception | None]


class Committers:
    """The committers of one process: `services.shared(Committers)`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._queues: dict[ObjectId, deque[_Waiting]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def commit(self, job: ObjectId, transition: Transition[Answer]) -> Answer:
        """Apply a transition and answer once it is durable.

        Raises what the transition raises, and NotFound where the job does not exist. A caller that is cancelled
        does not undo it.
        """
        writing_begins()
        waiting = _Waiting(transition, asyncio.get_running_loop().create_future())
        queue = self._queues.get(job)
        if queue is None:
            self._queues[job] = deque([waiting])
            task = asyncio.create_task(self._run(job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            queue.append(waiting)
        answer: Answer = await waiting.answer
        return answer

    async def close(self) -> None:
        """Wait until everything that was handed in is written."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def _run(self, job: ObjectId) -> None:
        queue = self._queues[job]
        loop = asyncio.get_running_loop()
        memory = JobMemory()
        # Whoever was answered together comes back together: taken one by one, the first would go alone.
        await asyncio.sleep(GATHERING_SECONDS)
        while queue:
            await self._services.transactions.in_thread(partial(self._drain, loop, job, queue, memory))
        # Nothing was awaited since the queue was seen empty, so nobody can have joined it.
        del self._queues[job]

    def _drain(self, loop: asyncio.AbstractEventLoop, job: ObjectId, queue: deque[_Waiting], memory: JobMemory) -> None:
        """Commit until nobody waits: in a thread, where one commit follows the other however busy the loop is."""
        while True:
            waiting, answers = self._commit_next(job, queue, memory)
            loop.call_soon_threadsafe(_settle, waiting, answers)
            if not queue or self._services.transactions.is_crowded:
                return
            time.sleep(SHARED_PAUSE_SECONDS if memory.is_shared else PAUSE_SECONDS)

    def _commit_next(
        self, job: ObjectId, queue: deque[_Waiting], memory: JobMemory
    ) -> tuple[list[_Waiting], list[_Answer]]:
        waiting: list[_Waiting] = []
        work = partial(_apply, job, queue, waiting, memory)
        try:
            answers, batch = self._services.transactions.run_here(work, longest_delay=LONGEST_DELAY_SECONDS)
        except Exception as error:
            waiting = waiting or _next_batch(queue)
            return waiting, self._apart(job, waiting, error)
        if batch is not None:
            batch.remember(memory)
        return waiting, answers

    def _apart(self, job: ObjectId, waiting: Sequence[_Waiting], error: Exception) -> list[_Answer]:
        """A transition that cannot be written must not take its neighbours with it."""
        # Where other servers kept the job's document, that is nobody's fault here.
        if len(waiting) == 1 or isinstance(error, Conflict):
            return [(None, error)] * len(waiting)
        log.warning("batch_failed", job=str(job), size=len(waiting), error=type(error).__name__)
        return [answer for each in waiting for answer in self._commit_next(job, deque([each]), JobMemory())[1]]


def _next_batch(queue: deque[_Waiting]) -> list[_Waiting]:
    """The first that wait, as many as go into one commit, and the first of those that claim; the others stay."""
    batch: list[_Waiting] = []
    stay: list[_Waiting] = []
    room = {False: MOST_TRIALS, True: MOST_CLAIMED}
    for _ in range(len(queue)):
        waiting = queue.popleft()
        claims = waiting.transition.claims
        if room[claims > 0] > 0:
            room[claims > 0] -= max(1, claims, len(waiting.transition.trials))
            batch.append(waiting)
        else:
            stay.append(waiting)
    queue.extendleft(reversed(stay))
    return batch


def _apply(
    job: ObjectId,
    queue: deque[_Waiting],
    waiting: list[_Waiting],
    memory: JobMemory,
    database: BlockingDatabase,
    session: BlockingSession,
) -> tuple[list[_Answer], JobBatch | None]:
    batch = JobBatch.open(database, session, job, memory)
    # Only now, for others may have kept the job until now; an attempt after this one has the same to do.
    waiting += [] if waiting else _next_batch(queue)
    if batch is None:
        return [(None, _gone(job)) for _ in waiting], None
    transitions = [each.transition for each in waiting]
    batch.load(trial for transition in transitions for trial in transition.trials)
    batch.expect_claims(sum(transition.claims for transition in transitions))
    answers = [_applied(batch, transition, job) for transition in transitions]
    batch.flush()
    return answers, batch


def _applied(batch: JobBatch, transition: Transition[Any], job: ObjectId) -> _Answer:
    if batch.is_deleted:
        return None, _gone(job)
    try:
        answer = transition.apply(batch)
    except PinsetError as error:
        return None, error
    if not batch.is_deleted:
        close_if_done(batch)
    return answer, None


def _settle(batch: Sequence[_Waiting], answers: Sequence[_Answer]) -> None:
    for waiting, (value, error) in zip(batch, answers, strict=True):
        if waiting.answer.done():
            continue
        if error is None:
            waiting.answer.set_result(value)
        else:
            waiting.answer.set_exception(error)


def _gone(job: ObjectId) -> NotFound:
    return NotFound("There is no such job (any more).", ("id",), ref=str(job))
