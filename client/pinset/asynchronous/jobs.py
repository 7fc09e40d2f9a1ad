"""Jobs: submitting, watching, results, and the calls of a runner."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from pinset.asynchronous.pages import every
from pinset.asynchronous.transport import StreamCut
from pinset.errors import PinsetError, Unreachable, not_found, raise_for
from pinset.generated.client import AsyncGeneratedClient
from pinset.generated.input_types import (
    ExtendLeasesInput,
    JobFilter,
    JobInput,
    LeaseTrialsInput,
    ReportTrialInput,
    RetryJobInput,
    SubmitJobInput,
    TrialFilter,
)
from pinset.generated.list_job_tasks import ListJobTasksJobTasks
from pinset.generated.list_jobs import ListJobsJobs
from pinset.generated.list_trials import ListTrialsJobTrials
from pinset.generated.list_whole_trials import ListWholeTrialsJobTrials
from pinset.inputs import UNSET, present
from pinset.models import (
    AttemptPolicy,
    ComparedTasks,
    Comparison,
    Event,
    Extended,
    Job,
    JobTask,
    Lease,
    ReportedTrial,
    Results,
    TaskComparison,
    Trial,
    WholeTrial,
)
from pinset.states import ENDED

Leases: TypeAlias = list[Lease]
_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 8.0


class Jobs:
    """The jobs of a workspace."""

    def __init__(self, api: AsyncGeneratedClient, workspace: str) -> None:
        self._api = api
        self._workspace = workspace

    async def submit(
        self,
        *,
        taskset: str | None = None,
        tasks: Iterable[Mapping[str, Any]] | None = None,
        dataset: Mapping[str, Any] | None = None,
        target: Mapping[str, Any] | None = None,
        workspace: str | None = None,
        **options: Any,
    ) -> Job:
        """Submit a job over one source; `options` are the other fields of `SubmitJobInput`, in either spelling.

        Everything is resolved at once: what runs is what the references mean now. Raises InvalidInput, NotFound,
        Conflict.
        """
        given = present(
            workspace=workspace or self._workspace,
            taskset=UNSET if taskset is None else taskset,
            tasks=UNSET if tasks is None else [dict(task) for task in tasks],
            dataset=UNSET if dataset is None else dict(dataset),
            target=UNSET if target is None else dict(target),
            **options,
        )
        return _job((await self._api.submit_job(SubmitJobInput.model_validate(given))).submit_job)

    async def retrieve(self, id: str) -> Job:
        """One job with its progress. Raises NotFound."""
        found = (await self._api.get_job(id)).job
        if found is None:
            raise not_found(f"The job {id!r}")
        return found

    async def find(self, name: str, *, workspace: str | None = None) -> Job:
        """One job by name. Raises NotFound."""
        found = (await self._api.get_job_by_name(workspace or self._workspace, name)).job_by_name
        if found is None:
            raise not_found(f"The job {name!r}")
        return found

    async def list(self, *, workspace: str | None = None, page_size: int = 100, **filters: Any) -> AsyncIterator[Job]:
        """Every job, newest first; `filters` are those of `JobFilter` in snake_case."""
        chosen = JobFilter(**filters)

        async def fetch(after: str | None, first: int) -> ListJobsJobs:
            answer = await self._api.list_jobs(workspace or self._workspace, filter_=chosen, first=first, after=after)
            return answer.jobs

        async for row in every(fetch, page_size):
            yield row

    async def watch(
        self, id: str, *, after: int | None = None, max_per_second: float | None = None, patience: float = 300.0
    ) -> AsyncIterator[Event]:
        """The job's events to its end, each once: a cut connection is taken up again after the last event seen.

        Without `after` the first is a snapshot. After `patience` seconds without a connection StreamCut is raised.
        """
        seen, waited = after, 0.0
        while True:
            try:
                async for event in self._events(id, seen, max_per_second):
                    seen, waited = event.seq, 0.0
                    yield event
                return
            except StreamCut:
                if waited >= patience:
                    raise
                pause = min(max(waited, _FIRST_PAUSE), _LONGEST_PAUSE)
                waited += pause
                await asyncio.sleep(pause)

    async def wait(self, id: str, *, on_event: Callable[[Event], None] | None = None, patience: float = 300.0) -> Job:
        """Watch the job to its end, and return it as it is then. Raises PinsetError where its stream has no end."""
        async for event in self.watch(id, max_per_second=10.0, patience=patience):
            if on_event is not None:
                on_event(event)
            if event.typename__ == "JobEnded":
                return await self.retrieve(id)
        job = await self.retrieve(id)
        if job.status.value not in ENDED:
            raise PinsetError(f"The events of job {job.name!r} ended while it is {job.status.value}.")
        return job

    async def results(
        self, id: str, *, missing_as: float | None = None, attempt: AttemptPolicy = AttemptPolicy.LAST
    ) -> Results:
        """A job with its summary: every mean with the number of values it rests on. Raises NotFound."""
        found = (await self._api.get_results(id, missing_as=missing_as, attempt=attempt)).job
        if found is None:
            raise not_found(f"The job {id!r}")
        return found

    async def trials(self, id: str, *, page_size: int = 100, **filters: Any) -> AsyncIterator[Trial]:
        """Every trial with its scores; `filters` are those of `TrialFilter` in snake_case. Raises NotFound."""
        chosen = TrialFilter(**filters)

        async def fetch(after: str | None, first: int) -> ListTrialsJobTrials:
            answer = await self._api.list_trials(id, filter_=chosen, first=first, after=after)
            if answer.job is None:
                raise not_found(f"The job {id!r}")
            return answer.job.trials

        async for row in every(fetch, page_size):
            yield row

    async def whole_trials(self, id: str, *, page_size: int = 50) -> AsyncIterator[WholeTrial]:
        """Every trial with its trajectory and what became of its attempts. Raises NotFound."""

        async def fetch(after: str | None, first: int) -> ListWholeTrialsJobTrials:
            answer = await self._api.list_whole_trials(id, first, after)
            if answer.job is None:
                raise not_found(f"The job {id!r}")
            return answer.job.trials

        async for row in every(fetch, page_size):
            yield row

    async def tasks(self, id: str, *, page_size: int = 100) -> AsyncIterator[JobTask]:
        """The work list as it was resolved at submission. Raises NotFound."""

        async def fetch(after: str | None, first: int) -> ListJobTasksJobTasks:
            answer = await self._api.list_job_tasks(id, first, after)
            if answer.job is None:
                raise not_found(f"The job {id!r}")
            return answer.job.tasks

        async for row in every(fetch, page_size):
            yield row

    async def compare(self, id: str, to: str) -> Comparison:
        """Two jobs side by side, with the first page of tasks. Raises NotFound."""
        found = (await self._api.compare_jobs(id, to, first=100)).job
        if found is None or found.compare is None:
            raise not_found("One of the jobs")
        return found.compare

    async def compared_tasks(self, id: str, to: str, *, page_size: int = 200) -> AsyncIterator[TaskComparison]:
        """Every task of two jobs side by side. Raises NotFound."""

        async def fetch(after: str | None, first: int) -> ComparedTasks:
            found = (await self._api.compare_jobs(id, to, first=first, after=after)).job
            if found is None or found.compare is None:
                raise not_found("One of the jobs")
            return found.compare.tasks

        async for row in every(fetch, page_size):
            yield row

    async def cancel(self, id: str) -> Job:
        """Cancel; a finished job is returned as it is. Raises NotFound."""
        return _job((await self._api.cancel_job(JobInput(id=id))).cancel_job)

    async def pause(self, id: str) -> Job:
        """Give out no new trials; running ones may report. Raises NotFound, Refused."""
        return _job((await self._api.pause_job(JobInput(id=id))).pause_job)

    async def resume(self, id: str) -> Job:
        """Go on after a pause. Raises NotFound, Refused."""
        return _job((await self._api.resume_job(JobInput(id=id))).resume_job)

    async def retry(self, id: str, trials: Iterable[str] | None = None) -> Job:
        """Run failed trials again as new attempts, all of them or those named. Raises NotFound, Refused."""
        given = present(id=id, trials=UNSET if trials is None else list(trials))
        return _job((await self._api.retry_job(RetryJobInput.model_validate(given))).retry_job)

    async def delete(self, id: str) -> None:
        """Delete a finished job. Raises NotFound, Refused."""
        raise_for((await self._api.delete_job(JobInput(id=id))).delete_job.errors)

    async def lease(
        self,
        runner: str,
        *,
        count: int = 1,
        seconds: float = 60.0,
        job: str | None = None,
        workspace: str | None = None,
    ) -> Leases:
        """Take trials as a runner; each lease is lost after `seconds` unless it is extended."""
        given = present(
            runner=runner,
            count=count,
            seconds=seconds,
            job=UNSET if job is None else job,
            workspace=workspace or self._workspace,
        )
        payload = (await self._api.lease_trials(LeaseTrialsInput.model_validate(given))).lease_trials
        raise_for(payload.errors)
        return payload.leases

    async def extend(self, tokens: Iterable[str], seconds: float = 60.0) -> Extended:
        """Keep leases; the answer names those that were lost."""
        payload = (await self._api.extend_leases(ExtendLeasesInput(tokens=[*tokens], seconds=seconds))).extend_leases
        raise_for(payload.errors)
        return payload

    async def report(self, lease: str, **result: Any) -> ReportedTrial:
        """Report a trial under its lease; `result` are fields of `ReportTrialInput`. Raises Refused (LEASE_LOST)."""
        given = ReportTrialInput.model_validate({"lease": lease, **result})
        payload = (await self._api.report_trial(given)).report_trial
        raise_for(payload.errors)
        assert payload.trial is not None
        return payload.trial

    async def _events(self, id: str, after: int | None, max_per_second: float | None) -> AsyncIterator[Event]:
        try:
            async for message in self._api.watch_job(
                id,
                after=UNSET if after is None else after,
                max_per_second=UNSET if max_per_second is None else max_per_second,
            ):
                yield message.job_progress
        except Unreachable as error:
            raise StreamCut(str(error)) from None


def _job(payload: Any) -> Job:
    raise_for(payload.errors)
    job: Job = payload.job
    return job
