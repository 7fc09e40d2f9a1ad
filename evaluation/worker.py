"""The worker: leases trials of targets that are called, and trials that wait for their scores; any number run anywhere.

Everything it does is fenced by its leases: one that is killed loses them, and whatever it still sends changes nothing.
"""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Final

import structlog

from domain.errors import NotFound, Refused
from domain.targets import AgentTarget, ModelTarget, TargetKind
from evaluation.committer import Committers
from evaluation.executions import Execution, given_executions, scoring_execution, target_execution
from evaluation.outgoing import Outgoing
from evaluation.plans import JobPlan, PlannedTask, Plans
from evaluation.scorer import Scorer
from evaluation.sweeper import Sweeper
from evaluation.transitions import Claim, ClaimScoring, Extend, GiveBack, Leased, Report, Scored
from storage import jobs
from storage.changes import Change
from storage.driver import ObjectId, PyMongoError
from storage.services import Services

log = structlog.get_logger(__name__)

CALLED: Final = (TargetKind.MODEL, TargetKind.AGENT, TargetKind.OUTPUTS)
CAPACITY: Final = 256
LEASE_SECONDS: Final = 30.0
_LOOK_SECONDS: Final = 1.0
_SHORTEST_LOOK_SECONDS: Final = 0.05
# Jobs change all the time while others work on them, and mostly there is nothing new to begin.
_VAIN_LOOK_SECONDS: Final = 0.2
_RETRY_SECONDS: Final = 1.0


class Worker:
    """Runs until `run` is cancelled, then gives its leases back. `capacity` is how many trials it holds at once."""

    def __init__(
        self,
        services: Services,
        outgoing: Outgoing,
        name: str,
        capacity: int = CAPACITY,
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        self._services = services
        self._outgoing = outgoing
        self._name = name
        self._capacity = capacity
        self._lease_seconds = lease_seconds
        self._wake = asyncio.Event()
        self._runs: dict[tuple[ObjectId, bool], asyncio.Task[None]] = {}
        self._leasing: set[asyncio.Task[list[asyncio.Task[None]]]] = set()
        self._held: dict[str, tuple[Leased, asyncio.Task[None]]] = {}

    async def run(self) -> None:
        """Work until cancelled."""
        self._services.shared(Sweeper).start()
        unlisten = self._services.feed.listen("jobs", self._changed)
        beat = asyncio.create_task(self._forever(self._beat))
        log.info("worker_started", name=self._name, capacity=self._capacity)
        try:
            await self._forever(self._look)
        finally:
            unlisten()
            beat.cancel()
            await asyncio.shield(self._stop(beat))

    def _changed(self, _: Change) -> None:
        self._wake.set()

    async def _forever(self, step: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Repeat a step; what goes wrong is logged and tried again."""
        while True:
            try:
                await step()
            except PyMongoError as error:
                log.warning("worker_interrupted", error=type(error).__name__)
                await asyncio.sleep(_RETRY_SECONDS)
            except Exception:
                log.exception("worker_failed")
                await asyncio.sleep(_RETRY_SECONDS)

    async def _look(self) -> None:
        """Start a run for every job that has something to do and none yet, then wait for news."""
        self._wake.clear()
        before = set(self._runs)
        if self._room > 0:
            for job in await jobs.with_work(self._services.database, CALLED):
                self._start(job.id, self._execute, False)
            for identity in await jobs.with_scoring(self._services.database):
                self._start(identity, self._score, True)
        await asyncio.sleep(_SHORTEST_LOOK_SECONDS if self._runs.keys() - before else _VAIN_LOOK_SECONDS)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                await self._wake.wait()

    def _start(
        self, job: ObjectId, lease: Callable[[JobPlan], Coroutine[Any, Any, list[asyncio.Task[None]]]], is_scoring: bool
    ) -> None:
        key = (job, is_scoring)
        if key not in self._runs:
            task = asyncio.create_task(self._run_job(job, lease))
            self._runs[key] = task
            task.add_done_callback(lambda _: self._runs.pop(key, None))

    async def _run_job(
        self, job: ObjectId, lease: Callable[[JobPlan], Coroutine[Any, Any, list[asyncio.Task[None]]]]
    ) -> None:
        """Keep as many trials of one job going as it and the worker allow, until there are none left to take."""
        running: set[asyncio.Task[None]] = set()
        try:
            while True:
                plan = await self._services.shared(Plans).find(job)
                if plan is None:
                    return
                running.update(await self._whole(lease(plan)))
                if not running:
                    return
                _, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        except (NotFound, PyMongoError) as error:
            log.info("job_left", job=str(job), error=type(error).__name__)
        except Exception:
            log.exception("job_failed", job=str(job))

    async def _whole(self, lease: Coroutine[Any, Any, list[asyncio.Task[None]]]) -> list[asyncio.Task[None]]:
        """Lease and begin, even if cancelled in between: what was leased must be known in order to be given back."""
        task = asyncio.create_task(lease)
        self._leasing.add(task)
        task.add_done_callback(self._leasing.discard)
        return await asyncio.shield(task)

    @property
    def _room(self) -> int:
        return self._capacity - len(self._held)

    async def _execute(self, plan: JobPlan) -> list[asyncio.Task[None]]:
        """Lease waiting trials and begin them."""
        left = await self._services.quotas.running_left(plan.job.workspace)
        room = self._room if left is None else min(self._room, left)
        if room < 1:
            return []
        claim = Claim(self._name, room, self._lease_seconds)
        leased = await self._services.shared(Committers).commit(plan.job.id, claim)
        executions = await self._executions(plan, leased)
        return [self._begin(each, self._reported(plan, each, executions[each.trial.id])) for each in leased]

    async def _executions(self, plan: JobPlan, leased: Sequence[Leased]) -> dict[ObjectId, Execution]:
        tasks = await self._services.shared(Plans).tasks(plan, [each.trial.position for each in leased])
        trials = [(each.trial, tasks[each.trial.position]) for each in leased if each.trial.position in tasks]
        if plan.job.target.kind is TargetKind.OUTPUTS:
            return await given_executions(self._services, trials)
        target = plan.job.target
        assert isinstance(target, ModelTarget | AgentTarget)
        return {trial.id: target_execution(target, plan, trial, task, self._outgoing) for trial, task in trials}

    async def _score(self, plan: JobPlan) -> list[asyncio.Task[None]]:
        """Lease reported trials and begin to score them."""
        if self._room < 1:
            return []
        claim = ClaimScoring(self._name, self._room, self._lease_seconds)
        leased = await self._services.shared(Committers).commit(plan.job.id, claim)
        tasks = await self._services.shared(Plans).tasks(plan, [each.trial.position for each in leased])
        return [self._begin(each, self._scored(each, tasks[each.trial.position])) for each in leased]

    def _begin(self, leased: Leased, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        token = leased.token.text
        task = asyncio.create_task(self._guarded(leased, work))
        self._held[token] = (leased, task)
        task.add_done_callback(lambda _: self._held.pop(token, None))
        return task

    async def _guarded(self, leased: Leased, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (Refused, NotFound):
            log.info("lease_lost", trial=str(leased.trial.id))
        except Exception:
            log.exception("trial_failed", trial=str(leased.trial.id))
            await self._give_back([leased], "The worker failed; its log says why.")

    async def _reported(self, plan: JobPlan, leased: Leased, execution: Execution) -> None:
        outcome, payload = await execution.attempt(self._services)
        trial = leased.trial
        scorer = self._services.shared(Scorer)
        verdict = await scorer.score(execution.task, trial.repeat, trial.id, outcome, self._outgoing)
        report = Report(leased.token, outcome, payload, leased.token.text, verdict, may_retry=True)
        await self._services.shared(Committers).commit(plan.job.id, report)

    async def _scored(self, leased: Leased, task: PlannedTask) -> None:
        trial = leased.trial
        outcome, _ = await scoring_execution(trial, task).attempt(self._services)
        scorer = self._services.shared(Scorer)
        verdict = await scorer.score(task, trial.repeat, trial.id, outcome, self._outgoing)
        await self._services.shared(Committers).commit(trial.job, Scored(leased.token, verdict))

    async def _beat(self) -> None:
        """Hold what is held, and stop working on what is lost."""
        await asyncio.sleep(self._lease_seconds / 3)
        for job, held in _by_job(leased for leased, _ in self._held.values()).items():
            tokens = [leased.token for leased in held]
            try:
                extended = await self._services.shared(Committers).commit(job, Extend(tokens, self._lease_seconds))
            except NotFound:
                extended = []
            for token in {token.text for token in tokens} - set(extended):
                if token in self._held:
                    self._held[token][1].cancel()

    async def _stop(self, beat: asyncio.Task[None]) -> None:
        """Let go of everything that is under way, so that others can go on at once."""
        await _end([beat, *self._runs.values()])
        await asyncio.gather(*self._leasing, return_exceptions=True)
        left = [leased for leased, _ in self._held.values()]
        await _end([task for _, task in self._held.values()])
        await self._give_back(left, "The worker was stopped.")
        log.info("worker_stopped", name=self._name, given_back=len(left))

    async def _give_back(self, leased: Sequence[Leased], reason: str) -> None:
        for job, held in _by_job(leased).items():
            with contextlib.suppress(NotFound, PyMongoError):
                tokens = [each.token for each in held]
                await self._services.shared(Committers).commit(job, GiveBack(tokens, reason))


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _by_job(leased: Iterable[Leased]) -> dict[ObjectId, list[Leased]]:
    grouped: dict[ObjectId, list[Leased]] = defaultdict(list)
    for each in leased:
        grouped[each.trial.job].append(each)
    return grouped
