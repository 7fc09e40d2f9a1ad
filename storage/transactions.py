"""Transactions: queued per record, retried with back-off, never cut off half way by a client that leaves.

Queueing matters: 200 concurrent publishes of one record through the driver's own retry loop take 24 s and
19,920 attempts, and 0.4 s when they wait their turn.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final, TypeVar

from pymongo.read_concern import ReadConcern
from pymongo.write_concern import WriteConcern

from domain.deadlines import writing_begins
from domain.errors import Conflict, ErrorCode, InvalidInput, ServiceUnavailable
from domain.limits import MAX_TRANSACTION_BYTES, MEBIBYTE, TRANSACTION_SECONDS
from storage import ledger
from storage.driver import BulkWriteError, Client, Database, Document, OperationFailure, PyMongoError, Session

Result = TypeVar("Result")
Work = Callable[[Session], Awaitable[Result]]

_SNAPSHOT: Final = ReadConcern("snapshot")
_MAJORITY: Final = WriteConcern("majority")
_DUPLICATE_KEY: Final = 11000
_TOO_LARGE: Final = frozenset({388, 10334, 17419, 17420})
_FIRST_DELAY: Final = 0.002
_LONGEST_DELAY: Final = 0.25
# More at once would only make each last longer, and so collide more.
_CONCURRENT: Final = 16

# Someone else made the same record or the same ordinal: read again and decide anew.
_RACES: Final = frozenset({("workspace", "name"), ("parent", "number"), ("_id",), ("name",)})


class Transactions:
    """Runs transactions of one process; those that name a common key wait for each other."""

    def __init__(self, client: Client, database: Database) -> None:
        self._client = client
        self._database = database
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}
        self._running: set[asyncio.Task[Any]] = set()
        self._places = asyncio.Semaphore(_CONCURRENT)

    async def run(self, keys: Iterable[str], work: Work[Result], *, longest_delay: float = _LONGEST_DELAY) -> Result:
        """Run `work` in a transaction, from its beginning again where it lost a race, for 10 s at most.

        `longest_delay` bounds the pauses in between, in seconds: short where one document is written all the time.

        `work` gets the session, must pass it to every operation, and may run several times. A caller that is
        cancelled does not cut the transaction: it goes on to its end. Raises Conflict when the time is up.
        """
        task = asyncio.create_task(self._queued(sorted(set(keys)), work, longest_delay))
        self._running.add(task)
        task.add_done_callback(self._finished)
        return await asyncio.shield(task)

    @property
    def is_busy(self) -> bool:
        """Whether a transaction is under way."""
        return bool(self._running)

    async def drain(self) -> None:
        """Wait for the transactions under way."""
        while self._running:
            await asyncio.wait(list(self._running))

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()

    async def _queued(self, keys: list[str], work: Work[Result], longest_delay: float) -> Result:
        async with AsyncExitStack() as stack:
            for key in keys:
                await stack.enter_async_context(self.turn(key))
            await stack.enter_async_context(self._places)
            return await self._attempts(work, longest_delay)

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """Wait for those of this process that name the same key, and hold it; for work around a transaction."""
        lock, waiting = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._locks[key]
            if waiting == 1:
                del self._locks[key]
            else:
                self._locks[key] = (lock, waiting - 1)

    async def _attempts(self, work: Work[Result], longest_delay: float) -> Result:
        deadline = time.monotonic() + TRANSACTION_SECONDS
        delay = _FIRST_DELAY
        while True:
            try:
                return await self._once(work, deadline)
            except PyMongoError as error:
                if not _is_race(error):
                    raise _explained(error) from error
                if time.monotonic() > deadline:
                    raise Conflict(
                        f"Others kept writing the same record for {TRANSACTION_SECONDS:g} s; try again."
                    ) from error
            await asyncio.sleep(delay * random.uniform(0.5, 1.5))
            delay = min(delay * 2, longest_delay)

    async def _once(self, work: Work[Result], deadline: float) -> Result:
        async with await self._client.start_session() as session:
            writing_begins()
            session.start_transaction(read_concern=_SNAPSHOT, write_concern=_MAJORITY)
            with ledger.attempting() as attempt:
                try:
                    result = await work(session)
                    await ledger.write(self._database, session, attempt.entries)
                except BaseException:
                    attempt.end(False)
                    if session.in_transaction:
                        await _quietly(session.abort_transaction())
                    raise
            await _committed(session, deadline, attempt)
            return result


async def _committed(session: Session, deadline: float, attempt: ledger.Attempt) -> None:
    try:
        await _commit(session, deadline)
    except BaseException:
        attempt.end(False)
        raise
    attempt.end(True)


async def _commit(session: Session, deadline: float) -> None:
    while True:
        try:
            await session.commit_transaction()
        except PyMongoError as error:
            unknown = error.has_error_label("UnknownTransactionCommitResult")
            if not unknown or time.monotonic() > deadline:
                raise
            await asyncio.sleep(_FIRST_DELAY)
        else:
            return


async def _quietly(abort: Coroutine[Any, Any, None]) -> None:
    # The server ends an abandoned transaction by itself; the error that led here matters more.
    try:
        await abort
    except PyMongoError:
        return


def _is_race(error: PyMongoError) -> bool:
    details = _details(error)
    if details.get("code") == _DUPLICATE_KEY:
        return tuple(details.get("keyPattern") or {}) in _RACES
    return error.has_error_label("TransientTransactionError")


def _details(error: PyMongoError) -> Document:
    """What the server says of an error; a command with many writes stops at the first that fails."""
    if isinstance(error, BulkWriteError):
        failed: list[Document] = error.details.get("writeErrors", [])
        return failed[0] if failed else {}
    return (error.details or {}) if isinstance(error, OperationFailure) else {}


def _explained(error: PyMongoError) -> Exception:
    if _details(error).get("code") in _TOO_LARGE:
        return InvalidInput(
            f"The change does not fit in one transaction: it exceeds {MAX_TRANSACTION_BYTES // MEBIBYTE} MiB, or what "
            "the cache of this MongoDB holds; send it in smaller parts.",
            code=ErrorCode.LIMIT_EXCEEDED,
        )
    if error.has_error_label("UnknownTransactionCommitResult"):
        return ServiceUnavailable("MongoDB did not confirm the change in time; read the record before trying again.")
    return error
