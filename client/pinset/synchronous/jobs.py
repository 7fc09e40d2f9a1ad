# Written by client/generate.py; change pinset/asynchronous/jobs.py instead.
"""Jobs: submitting, watching, results, and the calls of a runner."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from pinset.errors import PinsetError, Unreachable, not_found, raise_for
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
from pinset.synchronous.operations import GeneratedClient
from pinset.synchronous.pages import every
from pinset.synchronous.transport import StreamCut

Leases: TypeAlias = list[Lease]
_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 8.0


class Jobs:
    """The jobs of a workspace."""

    def __init__(self, api: GeneratedClient, workspace: str) -> None:
        self._api = api
        self._workspace = workspace

    def submit(
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
        return _job((self._api.submit_job(SubmitJobInput.model_validate(given))).submit_job)

    def retrieve(self, id: str) -> Job:
        """One job with its progress. Raises NotFound."""
        found = (self._api.get_job(id)).job
        if found is None:
            raise not_found(f"The job {id!r}")
        return found

    def find(self, name: str, *, workspace: str | None = None) -> Job:
        """One job by name. Raises NotFound."""
        found = (self._api.get_job_by_name(workspace or self._workspace, name)).job_by_name
        if found is None:
            raise not_found(f"The job {name!r}")
        return found

    def list(self, *, workspace: str | None = None, page_size: int = 100, **filters: Any) -> Iterator[Job]:
        """Every job, newest first; `filters` are those of `JobFilter` in snake_case."""
        chosen = JobFilter(**filters)

        def fetch(after: str | None, first: int) -> ListJobsJobs:
            answer = self._api.list_jobs(workspace or self._workspace, filter_=chosen, first=first, after=after)
            return answer.jobs

        for row in every(fetch, page_size):
            yield row

    def watch(
        self, id: str, *, after: int | None = None, max_per_second: float | None = None, patience: float = 300.0
    ) -> Iterator[Event]:
        """The job's events to its end, each once: a cut connection is taken up again after the last event seen.

        Without `after` the first is a snapshot. After `patience` seconds without a connection StreamCut is raised.
        """
        seen, waited = after, 0.0
        while True:
            try:
                for event in self._events(id, seen, max_per_second):
                    seen, waited = event.seq, 0.0
                    yield event
                return
            except StreamCut:
                if waited >= patience:
                    raise
                pause = min(max(waited, _FIRST_PAUSE), _LONGEST_PAUSE)
                waited += pause
                time.sleep(pause)

    def wait(self, id: str, *, on_event: Callable[[Event], None] | None = None, patience: float = 300.0) -> Job:
        """Watch the job to its end, and return it as it is then. Raises PinsetError where its stream has no end."""
        for event in self.watch(id, max_per_second=10.0, patience=patience):
            if on_event is not None:
                on_event(event)
            if event.typename__ == "JobEnded":
                return self.retrieve(id)
        job = self.retrieve(id)
        if job.status.value not in ENDED:
            raise PinsetError(f"The events of job {job.name!r} ended while it is {job.status.value}.")
        return job

    def results(
        self, id: str, *, missing_as: float | None = None, attempt: AttemptPolicy = AttemptPolicy.LAST
    ) -> Results:
        """A job with its summary: every mean with the number of values it rests on. Raises NotFound."""
        found = (self._api.get_results(id, missing_as=missing_as, attempt=attempt)).job
        if found is None:
            raise not_found(f"The job {id!r}")
        return found

    def trials(self, id: str, *, page_size: int = 100, **filters: Any) -> Iterator[Trial]:
        """Every trial with its scores; `filters` are those of `TrialFilter` in snake_case. Raises NotFound."""
        chosen = TrialFilter(**filters)

        def fetch(after: str | None, first: int) -> ListTrialsJobTrials:
            answer = self._api.list_trials(id, filter_=chosen, first=first, after=after)
            if answer.job is None:
                raise not_found(f"The job {id!r}")
            return answer.job.trials

        for row in every(fetch, page_size):
            yield row

    def whole_trials(self, id: str, *, page_size: int = 50) -> Iterator[WholeTrial]:
        """Every trial with its trajectory and what became of its attempts. Raises NotFound."""

        def fetch(after: str | None, first: int) -> ListWholeTrialsJobTrials:
            answer = self._api.list_whole_trials(id, first, after)
            if answer.job is None:
                raise not_found(f"The job {id!r}")
            return answer.job.trials

        for row in every(fetch, page_size):
            yield row

    def tasks(self, id: str, *, page_size: int = 100) -> Iterator[JobTask]:
        """The work list as it was resolved at submission. Raises NotFound."""

        def fetch(after: str | None, first: int) -> ListJobTasksJobTasks:
            answer = self._api.list_job_tasks(id, first, after)
            if answer.job is None:
                raise not_found(f"The job {id!r}")
            return answer.job.tasks

        for row in every(fetch, page_size):
            yield row

    def compare(self, id: str, to: str) -> Comparison:
        """Two jobs side by side, with the first page of tasks. Raises NotFound."""
        found = (self._api.compare_jobs(id, to, first=100)).job
        if found is None or found.compare is None:
            raise not_found("One of the jobs")
        return found.compare

    def compared_tasks(self, id: str, to: str, *, page_size: int = 200) -> Iterator[TaskComparison]:
        """Every task of two jobs side by side. Raises NotFound."""

        def fetch(after: str | None, first: int) -> ComparedTasks:
            found = (self._api.compare_jobs(id, to, first=first, after=after)).job
            if found is None or found.compare is None:
                raise not_found("One of the jobs")
            return found.compare.tasks

        for row in every(fetch, page_size):
            yield row

    def cancel(self, id: str) -> Job:
        """Cancel; a finished job is returned as it is. Raises NotFound."""
        return _job((self._api.cancel_job(JobInput(id=id))).cancel_job)

    def pause(self, id: str) -> Job:
        """Give out no new trials; running ones may report. Raises NotFound, Refused."""
        return _job((self._api.pause_job(JobInput(id=id))).pause_job)

    def resume(self, id: str) -> Job:
        """Go on after a pause. Raises NotFound, Refused."""
        return _job((self._api.resume_job(JobInput(id=id))).resume_job)

    def retry(self, id: str, trials: Iterable[str] | None = None) -> Job:
        """Run failed trials again as new attempts, all of them or those named. Raises NotFound, Refused."""
        given = present(id=id, trials=UNSET if trials is None else list(trials))
        return _job((self._api.retry_job(RetryJobInput.model_validate(given))).retry_job)

    def delete(self, id: str) -> None:
        """Delete a finished job. Raises NotFound, Refused."""
        raise_for((self._api.delete_job(JobInput(id=id))).delete_job.errors)

    def lease(
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
        payload = (self._api.lease_trials(LeaseTrialsInput.model_validate(given))).lease_trials
        raise_for(payload.errors)
        return payload.leases

    def extend(self, tokens: Iterable[str], seconds: float = 60.0) -> Extended:
        """Keep leases; the answer names those that were lost."""
        payload = (self._api.extend_leases(ExtendLeasesInput(tokens=[*tokens], seconds=seconds))).extend_leases
        raise_for(payload.errors)
        return payload

    def report(self, lease: str, **result: Any) -> ReportedTrial:
        """Report a trial under its lease; `result` are fields of `ReportTrialInput`. Raises Refused (LEASE_LOST)."""
        given = ReportTrialInput.model_validate({"lease": lease, **result})
        payload = (self._api.report_trial(given)).report_trial
        raise_for(payload.errors)
        assert payload.trial is not None
        return payload.trial

    def _events(self, id: str, after: int | None, max_per_second: float | None) -> Iterator[Event]:
        try:
            for message in self._api.watch_job(
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
