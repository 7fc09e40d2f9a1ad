"""Runs operations: the one way from a transport into the schema, the same for HTTP, server-sent events and WebSocket.

graphql-core is called directly, with the executor that the Strawberry schema names: documents come parsed and validated
from the cache, and errors are presented once, at the end.
"""

import asyncio
import contextlib
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Hashable, Mapping
from functools import partial
from typing import Any, Final, Protocol, cast

import strawberry
from graphql import ExecutionResult, GraphQLError
from graphql.execution import create_source_event_stream, execute_subscription_event

from domain.deadlines import CURRENT, Deadline
from domain.errors import LimitExceeded, RequestError
from domain.limits import OPERATION_SECONDS
from schema.execution.answers import Answer, RequestRefused, answer, refusal, request_error, stream_error, unexpected
from schema.execution.documents import Document, Documents, Operation, OperationKind
from schema.execution.masking import present
from schema.execution.planned import PlannedExecutor
from schema.execution.sharing import SharedEvent, Sharing, variables_key

# Longer texts are read in a thread, so that one of them does not hold up everybody else.
THREAD_CHARACTERS: Final = 20_000

Variables = Mapping[str, object]


class Context(Protocol):
    """What the engine needs of a resolver's context."""

    @property
    def rights(self) -> Hashable:
        """Equal for callers who may see the same."""

    def renew(self) -> None:
        """Drop what was loaded, before the next event of a subscription is resolved."""


class Engine:
    """Prepares and runs the operations of one schema."""

    def __init__(
        self,
        schema: strawberry.Schema,
        *,
        introspection: bool = True,
        suggestions: bool = True,
        seconds: float = OPERATION_SECONDS,
    ) -> None:
        self.schema = schema._schema
        self.documents = Documents(self.schema, introspection=introspection, suggestions=suggestions)
        self.seconds = seconds
        self._shared: Sharing[Answer] = Sharing()
        self._uncut: set[asyncio.Task[Answer]] = set()

    async def prepare(self, text: str, name: str | None, variables: Variables) -> Operation:
        """Read a document and choose its operation. Raises RequestRefused with everything that is wrong."""
        document = self.documents.known(text)
        if document is None:
            document = await self._read(text)
        if document.errors:
            errors = tuple(present(error, "GRAPHQL_VALIDATION_FAILED") for error in document.errors)
            raise RequestRefused(Answer(errors=errors, is_request_error=True))
        try:
            operation = choose(document, name)
            operation.check_cost(variables)
        except RequestError as error:
            raise RequestRefused(refusal(error)) from None
        return operation

    async def _read(self, text: str) -> Document:
        if len(text) <= THREAD_CHARACTERS:
            return self.documents.read(text)
        document = await asyncio.to_thread(self.documents.parse, text)
        self.documents.keep(text, document)
        return document

    async def execute(self, operation: Operation, variables: Variables, context: Context) -> Answer:
        """Run a query or mutation within its time. A mutation that has begun to write is never cut off."""
        work = self._execute(operation, variables, context)
        if operation.kind is OperationKind.MUTATION:
            return await self._execute_writing(work)
        try:
            async with asyncio.timeout(self.seconds):
                return await work
        except TimeoutError:
            return self._timed_out()

    async def _execute(self, operation: Operation, variables: Variables, context: Context) -> Answer:
        try:
            executor = self._executor(operation, variables, context)
            if isinstance(executor, list):
                return request_error(executor, operation)
            result = executor.execute_operation()
            result = await result if inspect.isawaitable(result) else result
            return answer(cast("ExecutionResult", result), operation)
        except Exception as error:
            return unexpected(error, operation.name)

    async def _execute_writing(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        deadline = Deadline()
        token = CURRENT.set(deadline)
        task = asyncio.create_task(work)
        CURRENT.reset(token)
        try:
            done, _ = await asyncio.wait({task}, timeout=self.seconds)
            if not done and deadline.may_cut:
                await _cancel(task)
                return self._timed_out()
            if not done:
                await asyncio.wait({task})
        except asyncio.CancelledError:
            await self._abandon(task, deadline)
            raise
        return task.result()

    async def _abandon(self, task: asyncio.Task[Answer], deadline: Deadline) -> None:
        if deadline.may_cut:
            await _cancel(task)
        else:
            self._uncut.add(task)
            task.add_done_callback(self._uncut.discard)

    async def drain(self) -> None:
        """Wait for the mutations whose clients left while they were writing."""
        if self._uncut:
            await asyncio.wait(set(self._uncut))

    async def subscribe(
        self, operation: Operation, variables: Variables, context: Context
    ) -> AsyncGenerator[Answer, None]:
        """The events of a subscription, each resolved with fresh loaders. Close the iterator to end it."""
        executor = self._executor(operation, variables, context)
        if isinstance(executor, list):
            yield request_error(executor, operation)
            return
        try:
            async with asyncio.timeout(self.seconds):
                opened = create_source_event_stream(executor)
                source = await opened if inspect.isawaitable(opened) else opened
        except TimeoutError:
            yield self._timed_out()
            return
        if isinstance(source, ExecutionResult):
            yield request_error(source.errors or (), operation)
            return
        shared = (operation.identity, variables_key(variables), context.rights)
        async with contextlib.aclosing(cast("AsyncGenerator[object, None]", source)) as events:
            try:
                async for event in events:
                    yield await self._answer_event(executor, event, operation, shared)
                    context.renew()
            except Exception as error:
                yield stream_error(error, operation)

    async def _answer_event(
        self, executor: PlannedExecutor, event: object, operation: Operation, shared: Hashable
    ) -> Answer:
        if isinstance(event, SharedEvent):
            work = partial(_resolved, executor, event.present, operation)
            return await self._shared.get((event.identity, shared), work)
        resolved = _resolved(executor, lambda: event, operation)
        return resolved if isinstance(resolved, Answer) else await resolved

    def _executor(
        self, operation: Operation, variables: Variables, context: Context
    ) -> PlannedExecutor | list[GraphQLError]:
        return operation.plans.executor(variables, context, hide_suggestions=not self.documents.suggestions)

    def _timed_out(self) -> Answer:
        return refusal(
            LimitExceeded(
                f"The operation took longer than {self.seconds:g} seconds. Ask for less at once.",
                code="OPERATION_TIMEOUT",
                limit=self.seconds,
            )
        )


def _resolved(
    executor: PlannedExecutor, present: Callable[[], object], operation: Operation
) -> Answer | Awaitable[Answer]:
    """The answer of one event: at once where nothing has to be waited for."""
    result = execute_subscription_event(executor.build_per_event_executor(present()))
    return answer(result, operation) if isinstance(result, ExecutionResult) else _later(result, operation)


async def _later(result: Awaitable[ExecutionResult], operation: Operation) -> Answer:
    return answer(await result, operation)


def choose(document: Document, name: str | None) -> Operation:
    """The operation to run. Raises OperationUnresolved where the name does not decide it."""
    if name is not None:
        if name not in document.operations:
            raise OperationUnresolved(f"The document has no operation of the name {name[:80]!r}.")
        return document.operations[name]
    if len(document.operations) != 1:
        names = ", ".join(sorted(str(known) for known in document.operations)[:10])
        raise OperationUnresolved(
            f"The document has several operations ({names}); say which one in operationName."
            if document.operations
            else "The document has no operation, only fragments."
        )
    return next(iter(document.operations.values()))


class OperationUnresolved(RequestError):
    """Which operation of the document to run cannot be told."""

    code = "OPERATION_RESOLUTION_FAILURE"


async def _cancel(task: asyncio.Task[Answer]) -> None:
    task.cancel()
    await asyncio.wait({task})
