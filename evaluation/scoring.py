"""The scoring pool: everything that runs other people's templates, patterns and texts, in bounded child processes.

A child gets requests in batches and answers each in order, so that the first one without an answer is the one that
ended it. One that takes too long fails; one whose child ended in another way is tried once more, alone, because
the system may have ended the child for reasons of its own.
"""

import asyncio
import os
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Self, cast

import structlog

from domain.canonical import JSON
from domain.limits import MEBIBYTE
from domain.trials import Score, TrialOutcome
from evaluation.messages import (
    BoundMetric,
    Message,
    find_request,
    framed,
    read_score,
    render_request,
    score_request,
)
from evaluation.metrics.measurement import failed_score
from evaluation.paths import PathFailure
from evaluation.rows import Work
from evaluation.scoring_process import ENDING_SECONDS, ScoringProcess
from evaluation.templates import TemplateFailure

SCORING_SECONDS: Final = 10.0
SCORING_MEMORY_BYTES: Final = 1024 * MEBIBYTE

_NOTHING: Final[Mapping[str, JSON]] = MappingProxyType({})
_BATCH_REQUESTS: Final = 64
_BATCH_BYTES: Final = 4 * MEBIBYTE
_TIMED_OUT: Final = (-signal.SIGALRM, -signal.SIGXCPU)

log = structlog.get_logger(__name__)


class ScoringLost(Exception):
    """A request that its child process did not survive; the message completes 'It …'."""


@dataclass(eq=False, slots=True)
class _Request:
    frame: bytes
    answer: asyncio.Future[Message]
    was_retried: bool = False


@dataclass(eq=False, slots=True)
class _Queue:
    """Requests that wait for a child, in order."""

    waiting: deque[_Request] = field(default_factory=deque)
    arrival: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, request: _Request) -> None:
        self.waiting.append(request)
        self.arrival.set()

    def give_back(self, requests: Sequence[_Request]) -> None:
        self.waiting.extendleft(reversed(requests))
        self.arrival.set()

    async def take(self, share: int) -> list[_Request]:
        """At least one request, and at most what one of `share` children should take at once."""
        while True:
            batch = self._batch(-(-len(self.waiting) // share))
            if batch:
                return batch
            self.arrival.clear()
            await self.arrival.wait()

    def _batch(self, most: int) -> list[_Request]:
        batch: list[_Request] = []
        size = 0
        while self.waiting and len(batch) < min(most, _BATCH_REQUESTS) and size < _BATCH_BYTES:
            if batch and self.waiting[0].was_retried:
                break
            request = self.waiting.popleft()
            if request.answer.done():
                continue
            batch.append(request)
            size += len(request.frame)
            if request.was_retried:
                break
        return batch


class ScoringPool:
    """Child processes that score, render and follow paths; as many as `size`, by default one a processor up to 4.

    `seconds` and `memory_bytes` bound one request. Use as an async context manager, or start and close it.
    """

    def __init__(
        self,
        size: int | None = None,
        seconds: float = SCORING_SECONDS,
        memory_bytes: int = SCORING_MEMORY_BYTES,
    ) -> None:
        self._size = size or min(os.cpu_count() or 1, 4)
        self._seconds = seconds
        self._memory_bytes = memory_bytes
        self._queue = _Queue()
        self._slots: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start the children; requests may be made at once and wait for them."""
        if not self._slots:
            self._slots = [asyncio.create_task(self._serve()) for _ in range(self._size)]

    async def close(self) -> None:
        """End the children and wait until they are gone; requests under way fail."""
        for slot in self._slots:
            slot.cancel()
        await asyncio.gather(*self._slots, return_exceptions=True)
        self._slots = []
        for request in self._queue.waiting:
            request.answer.cancel()
        self._queue.waiting.clear()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def score(self, work: Work, outcome: TrialOutcome, metrics: Sequence[BoundMetric]) -> tuple[Score, ...]:
        """One score a metric, in order; only metrics that call nobody. Never raises for what a metric does.

        Where the metrics of a task together are too much, each is tried alone, so that only the guilty one fails.
        """
        if not metrics:
            return ()
        try:
            answer = await self._ask(score_request(work, outcome, metrics))
        except ScoringLost as lost:
            if len(metrics) == 1:
                return (failed_score(metrics[0].ref, f"The score {lost}."),)
            alone = await asyncio.gather(*(self.score(work, outcome, [metric]) for metric in metrics))
            return tuple(score for scores in alone for score in scores)
        if "failure" in answer:
            return tuple(failed_score(metric.ref, answer["failure"]) for metric in metrics)
        return tuple(read_score(fields) for fields in answer["scores"])

    async def render(
        self, template: JSON, work: Work, outcome: TrialOutcome | None = None, extra: Mapping[str, JSON] = _NOTHING
    ) -> JSON:
        """A template, or a JSON structure of templates, over a task's row; with an outcome over the scoring row.

        `extra` names stand at the top level beside the row. Raises TemplateFailure.
        """
        try:
            answer = await self._ask(render_request(template, work, outcome, extra))
        except ScoringLost as lost:
            raise TemplateFailure(f"The template {lost}.") from None
        if "failure" in answer:
            raise TemplateFailure(answer["failure"])
        return cast(JSON, answer["value"])

    async def find(self, path: str, value: JSON) -> JSON:
        """The first value at a JSONPath. Raises PathFailure."""
        try:
            answer = await self._ask(find_request(path, value))
        except ScoringLost as lost:
            raise PathFailure(f"The path {lost}.") from None
        if "failure" in answer:
            raise PathFailure(answer["failure"])
        return cast(JSON, answer["value"])

    async def _ask(self, message: Message) -> Message:
        if not self._slots:
            raise RuntimeError("The scoring pool is not running.")
        request = _Request(framed(message), asyncio.get_running_loop().create_future())
        self._queue.add(request)
        answer = await request.answer
        if "lost" in answer:
            raise ScoringLost(answer["lost"])
        return answer

    async def _serve(self) -> None:
        while True:
            child = await ScoringProcess.start(self._seconds, self._memory_bytes)
            try:
                while await self._answer(child, await self._queue.take(self._size)):
                    pass
            finally:
                await child.end()

    async def _answer(self, child: ScoringProcess, batch: list[_Request]) -> bool:
        """Have a child answer a batch; False where it is gone afterwards, what it left undone being given back."""
        answered, is_retiring = 0, False
        sending = asyncio.create_task(child.send([request.frame for request in batch]))
        try:
            async for answer in child.answers(len(batch)):
                if not batch[answered].answer.done():
                    batch[answered].answer.set_result(answer)
                answered += 1
                is_retiring = bool(answer.get("retiring"))
        except asyncio.CancelledError:
            for request in batch[answered:]:
                request.answer.cancel()
            raise
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
        if is_retiring:
            self._queue.give_back(batch[answered:])
        elif answered < len(batch):
            self._settle(batch[answered:], await child.end(ENDING_SECONDS))
        return not is_retiring and answered == len(batch)

    def _settle(self, left: list[_Request], how: int) -> None:
        """Give back what a child that ended left undone, without the first of it once its guilt is clear."""
        log.warning("scoring child ended", status=how)
        first = left[0]
        if how in _TIMED_OUT or first.was_retried:
            left = left[1:]
            if not first.answer.done():
                first.answer.set_result({"lost": self._verdict(how)})
        first.was_retried = True
        self._queue.give_back(left)

    def _verdict(self, how: int) -> str:
        if how in _TIMED_OUT:
            return f"took more than {self._seconds:g} seconds"
        reason = signal.Signals(-how).name if how < 0 else f"exit status {how}"
        return f"ended its process ({reason})"
