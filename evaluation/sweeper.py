"""Housekeeping that every server and worker does: expired leases at once, unused rows and contents now and then."""

import asyncio
import contextlib
from collections import defaultdict
from typing import Final

import structlog

from domain.errors import NotFound
from evaluation.committer import Committers
from evaluation.transitions import Expire
from storage import blobs, contents, submission, trials
from storage.driver import ObjectId, PyMongoError
from storage.services import Services

log = structlog.get_logger(__name__)

LEASE_CHECK_SECONDS: Final = 1.0
SWEEP_SECONDS: Final = 3_600.0

# Everything that names contents by digest.
CONTENT_USERS: Final = (
    ("task_revisions", "digest"),
    ("taskset_revisions", "digest"),
    ("job_tasks", "digest"),
    ("jobs", "metrics.digest"),
)


async def return_expired(services: Services) -> int:
    """Take back every trial whose lease has run out; answers how many."""
    grouped: dict[ObjectId, list[ObjectId]] = defaultdict(list)
    for job, trial in await trials.expired(services.database):
        grouped[job].append(trial)
    taken = 0
    for job, expired in grouped.items():
        # The rows of a job that is being deleted are swept, not returned.
        with contextlib.suppress(NotFound):
            taken += await services.shared(Committers).commit(job, Expire(expired))
    return taken


async def sweep(services: Services) -> None:
    """Remove what nothing names any more."""
    rows = await submission.sweep(services.database)
    unused = await contents.sweep(services.database, CONTENT_USERS)
    files = await blobs.sweep(services.database)
    if rows or unused or files:
        log.info("swept", rows=rows, contents=unused, blobs=files)


class Sweeper:
    """Runs both in the background of a process: `services.shared(Sweeper)`, then `start`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; a second call changes nothing."""
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """End."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        next_sweep = loop.time() + SWEEP_SECONDS
        while True:
            await asyncio.sleep(LEASE_CHECK_SECONDS)
            try:
                await return_expired(self._services)
                if loop.time() > next_sweep:
                    next_sweep = loop.time() + SWEEP_SECONDS
                    await sweep(self._services)
            except PyMongoError as error:
                log.warning("housekeeping_failed", error=type(error).__name__)
            except Exception:
                log.exception("housekeeping_failed")
