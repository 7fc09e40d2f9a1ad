"""What can be done to jobs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import strawberry

from domain.errors import Collector, NotFound
from resolvers import jobs as use_cases
from resolvers.submission import submit_job
from schema.errors import UserError, answer
from schema.job_inputs import SubmitJobInput, submission
from schema.jobs import Job, job_id, present_job
from schema.nodes import global_id, parse_global_id
from schema.selection import Info
from storage.driver import ObjectId
from storage.jobs import JobRecord

_ERRORS = "Why nothing was changed; empty on success."


@strawberry.type(description="What `submitJob` did.")
class SubmitJobPayload:
    job: Job | None = strawberry.field(default=None, description="The job; null on errors.")
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.input(description="Names a job.")
class JobInput:
    id: strawberry.ID = strawberry.field(description="The id of the job.")


@strawberry.type(description="What was done to a job.")
class JobPayload:
    job: Job | None = strawberry.field(default=None, description="The job as it stands now; null on errors.")
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.input(description="Names a job, and what of it shall run again.")
class RetryJobInput:
    id: strawberry.ID = strawberry.field(description="The id of the job, which must have ended.")
    trials: list[strawberry.ID] | None = strawberry.field(
        description="Which of its failed and cancelled trials; absent means all of them."
    )


@strawberry.type(description="What `deleteJob` did.")
class DeleteJobPayload:
    deleted_id: strawberry.ID | None = strawberry.field(
        default=None, description="The id of the deleted job; null on errors."
    )
    errors: list[UserError] = strawberry.field(default_factory=list, description=_ERRORS)


@strawberry.type
class JobMutations:
    @strawberry.mutation(
        description=(
            "Submit a job. Everything is resolved now, all or nothing: later changes of tasksets, tasks and metrics "
            "do not reach it."
        )
    )
    async def submit_job(
        self, info: Info, input: Annotated[SubmitJobInput, strawberry.argument(description="The job to submit.")]
    ) -> SubmitJobPayload:
        return await answer(info.context, _submit(info, input), SubmitJobPayload)

    @strawberry.mutation(
        description="Cancel what has not ended and revoke its leases. A finished job is answered unchanged."
    )
    async def cancel_job(
        self, info: Info, input: Annotated[JobInput, strawberry.argument(description="The job.")]
    ) -> JobPayload:
        return await answer(info.context, _cancel(info, input), JobPayload)

    @strawberry.mutation(description="Stop leasing trials; those that run may still report.")
    async def pause_job(
        self, info: Info, input: Annotated[JobInput, strawberry.argument(description="The job.")]
    ) -> JobPayload:
        return await answer(info.context, _pause(info, input), JobPayload)

    @strawberry.mutation(description="Let the trials of a paused job be leased again.")
    async def resume_job(
        self, info: Info, input: Annotated[JobInput, strawberry.argument(description="The job.")]
    ) -> JobPayload:
        return await answer(info.context, _resume(info, input), JobPayload)

    @strawberry.mutation(
        description="Open an ended job for new attempts at its failed and cancelled trials; finished ones stay."
    )
    async def retry_job(
        self, info: Info, input: Annotated[RetryJobInput, strawberry.argument(description="The job, and its trials.")]
    ) -> JobPayload:
        return await answer(info.context, _retry(info, input), JobPayload)

    @strawberry.mutation(description="Delete a finished job with its trials, results and events.")
    async def delete_job(
        self, info: Info, input: Annotated[JobInput, strawberry.argument(description="The job.")]
    ) -> DeleteJobPayload:
        return await answer(info.context, _delete(info, input), DeleteJobPayload)


async def _submit(info: Info, input: SubmitJobInput) -> SubmitJobPayload:
    return SubmitJobPayload(job=present_job(await submit_job(info.context, submission(input))))


async def _cancel(info: Info, input: JobInput) -> JobPayload:
    with known_job(input.id) as job:
        return _payload(await use_cases.cancel_job(info.context, job))


async def _pause(info: Info, input: JobInput) -> JobPayload:
    with known_job(input.id) as job:
        return _payload(await use_cases.pause_job(info.context, job))


async def _resume(info: Info, input: JobInput) -> JobPayload:
    with known_job(input.id) as job:
        return _payload(await use_cases.resume_job(info.context, job))


async def _retry(info: Info, input: RetryJobInput) -> JobPayload:
    with known_job(input.id) as job:
        trials = None if input.trials is None else _trials(input.trials)
        return _payload(await use_cases.retry_job(info.context, job, trials))


async def _delete(info: Info, input: JobInput) -> DeleteJobPayload:
    with known_job(input.id) as job:
        return DeleteJobPayload(deleted_id=global_id("Job", await use_cases.delete_job(info.context, job)))


def _payload(record: JobRecord) -> JobPayload:
    return JobPayload(job=present_job(record))


@contextmanager
def known_job(text: str, field: str = "id") -> Iterator[ObjectId]:
    """The stored id of a job while the body runs; that there is none is said by the id that the client sent.

    Raises NotFound.
    """
    identity = job_id(text)
    try:
        if identity is None:
            raise NotFound("There is no such job.", (field,), ref=text)
        yield identity
    except NotFound as error:
        if error.path == (field,):
            error.ref = text
        raise


def _trials(texts: list[strawberry.ID]) -> list[ObjectId]:
    problems, found = Collector(), []
    for index, text in enumerate(texts):
        key = parse_global_id(text)
        if key is None or key[0] != "Trial":
            problems.add(NotFound("The job has no such trial.", ("trials", index), ref=text))
        else:
            found.append(ObjectId(key[1]))
    problems.finish()
    return found
