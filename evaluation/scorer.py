"""Scoring in one process: the pool of child processes, started when it is first needed."""

from domain.trials import TrialOutcome
from evaluation.calls import Caller
from evaluation.plans import PlannedTask
from evaluation.scoring import ScoringPool
from evaluation.verdicts import Verdict, verdict
from storage.driver import ObjectId
from storage.services import Services


class Scorer:
    """The scorer of one process: `services.shared(Scorer)`."""

    def __init__(self, services: Services) -> None:
        self._pool = ScoringPool()
        self._is_started = False

    async def pool(self) -> ScoringPool:
        """The running pool."""
        if not self._is_started:
            self._is_started = True
            await self._pool.start()
        return self._pool

    async def close(self) -> None:
        """End the child processes."""
        await self._pool.close()
        self._is_started = False

    async def score(
        self,
        task: PlannedTask,
        repeat: int,
        trial: ObjectId,
        outcome: TrialOutcome,
        outgoing: Caller | None = None,
    ) -> Verdict:
        """The verdict on one attempt; `outgoing` is needed where a metric calls out. Raises CorruptContent."""
        return await verdict(task.work(repeat, trial), outcome, task.metrics, await self.pool(), outgoing)
