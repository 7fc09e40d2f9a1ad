"""Committers: one a job and process, so that what arrives while a commit is under way goes together into the next.

The job's document orders all transitions of a job. Written one by one, 64 reporters get 21 reports a second through;
together, thousands.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

import structlog

from domain.deadlines import writing_begins
from domain.errors import Conflict, NotFound, PinsetError
from evaluation.outcomes import close_if_done
from storage.driver import ObjectId, Session
from storage.job_batches import JobBatch
from storage.services import Services

log = structlog.get_logger(__name__)

MOST_TRANSITIONS: Final = 200
GATHERING_SECONDS: Final = 0.002
# Servers that commit to the same job take turns by trying: a long pause would only leave the turn to the others.
LONGEST_DELAY_SECONDS: Final = 0.02

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

    async def apply(self, batch: JobBatch) -> Answer_co:
        """Change the working copies and answer; a UserError is raised before anything was changed."""


@dataclass(eq=False, slots=True)
class _Waiting:
    transition: Transition[Any]
    answer: asyncio.Future[Any]


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
        while queue:
            # Whoever was answered together comes back together: taken one by one, the first would go alone.
            await asyncio.sleep(GATHERING_SECONDS)
            batch = [queue.popleft() for _ in range(min(len(queue), MOST_TRANSITIONS))]
            await self._commit(job, batch)
        # Nothing was awaited since the queue was seen empty, so nobody can have joined it.
        del self._queues[job]

    async def _commit(self, job: ObjectId, batch: Sequence[_Waiting]) -> None:
        try:
            answers = await self._services.transactions.run(
                [f"job:{job}"],
                lambda session: self._apply(session, job, batch),
                longest_delay=LONGEST_DELAY_SECONDS,
            )
        except Conflict as error:
            # Other servers kept the job's document; that is nobody's fault here.
            for waiting in batch:
                _settle(waiting, None, error)
            return
        except Exception as error:
            await self._apart(job, batch, error)
            return
        for waiting, (value, refusal) in zip(batch, answers, strict=True):
            _settle(waiting, value, refusal)

    async def _apart(self, job: ObjectId, batch: Sequence[_Waiting], error: Exception) -> None:
        """A transition that cannot be written must not take its neighbours with it."""
        if len(batch) == 1:
            _settle(batch[0], None, error)
            return
        log.warning("batch_failed", job=str(job), size=len(batch), error=type(error).__name__)
        for waiting in batch:
            await self._commit(job, [waiting])

    async def _apply(
        self, session: Session, job: ObjectId, waiting: Sequence[_Waiting]
    ) -> list[tuple[Any, PinsetError | None]]:
        batch = await JobBatch.open(self._services.database, session, job)
        if batch is None:
            return [(None, _gone(job)) for _ in waiting]
        await batch.load(trial for each in waiting for trial in each.transition.trials)
        batch.expect_claims(sum(each.transition.claims for each in waiting))
        answers: list[tuple[Any, PinsetError | None]] = []
        for each in waiting:
            answers.append(await _applied(batch, each.transition, job))
        await batch.flush()
        return answers


async def _applied(batch: JobBatch, transition: Transition[Any], job: ObjectId) -> tuple[Any, PinsetError | None]:
    if batch.is_deleted:
        return None, _gone(job)
    try:
        answer = await transition.apply(batch)
    except PinsetError as error:
        return None, error
    if not batch.is_deleted:
        await close_if_done(batch)
    return answer, None


def _settle(waiting: _Waiting, value: Any, error: Exception | None) -> None:
    if waiting.answer.done():
        return
    if error is None:
        waiting.answer.set_result(value)
    else:
        waiting.answer.set_exception(error)


def _gone(job: ObjectId) -> NotFound:
    return NotFound("There is no such job (any more).", ("id",), ref=str(job))
