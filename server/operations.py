"""What the three transports do alike: choose the document, authenticate, run it, and record that it ran."""

import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field

import structlog

from domain.errors import RequestError, Unauthenticated
from resolvers.access import OPEN_VIEWER, Viewer
from resolvers.context import Context
from schema.execution.answers import Answer, RequestRefused, refusal
from schema.execution.documents import Operation, OperationKind
from schema.execution.engine import Engine
from server.auth import Authenticator
from server.documents import TrustedDocuments
from server.rate import RateLimiter
from server.requests import GraphQLRequest
from server.telemetry import Telemetry, Transport

log = structlog.get_logger("pinset.operations")

ContextFactory = Callable[[Viewer, str | None, str | None], Context]


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever sent an operation, and from which address: the credential is kept so that long streams check it again."""

    viewer: Viewer
    authorization: str | None
    request_id: str
    transport: Transport
    address: str | None = None
    trace: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Operations:
    """Everything that a transport needs in order to serve operations."""

    engine: Engine
    authenticator: Authenticator
    documents: TrustedDocuments
    make_context: ContextFactory
    telemetry: Telemetry
    limiter: RateLimiter = field(default_factory=lambda: RateLimiter(None))

    async def recognise(self, authorization: str | None, address: str | None) -> Viewer:
        """Who may run the next operation. Raises Unauthenticated, RateLimited, ServiceUnavailable.

        In open mode callers are told apart by their address.
        """
        try:
            viewer = await self.authenticator.authenticate(authorization)
        except Unauthenticated:
            log.info("unauthenticated", address=address)
            raise
        self.limiter.admit(address or "" if viewer is OPEN_VIEWER else viewer.token or viewer.name)
        return viewer

    async def prepare(self, request: GraphQLRequest) -> Operation:
        """The operation that a request asks for. Raises RequestRefused with an answer for the client."""
        try:
            text = self.documents.text_of(request)
        except RequestError as error:
            raise RequestRefused(refusal(error)) from None
        return await self.engine.prepare(text, request.operation_name, request.variables)

    async def execute(self, operation: Operation, request: GraphQLRequest, caller: Caller) -> Answer:
        """Run a query or a mutation."""
        context = self.make_context(caller.viewer, caller.request_id, caller.address)
        began = time.perf_counter()
        with self.telemetry.span(operation, caller.trace):
            answer = await self.engine.execute(operation, request.variables, context)
        self._record(operation, caller, answer, time.perf_counter() - began)
        return answer

    async def stream(
        self, operation: Operation, request: GraphQLRequest, caller: Caller
    ) -> AsyncGenerator[Answer, None]:
        """The answers of any operation; a subscription ends with an error once its caller's credential is void."""
        if operation.kind is not OperationKind.SUBSCRIPTION:
            yield await self.execute(operation, request, caller)
            return
        context = self.make_context(caller.viewer, caller.request_id, caller.address)
        events = self.engine.subscribe(operation, request.variables, context)
        began = time.perf_counter()
        answer = Answer()
        with self.telemetry.subscription(caller.transport):
            try:
                async with contextlib.aclosing(events):
                    async for answer in events:
                        await self.authenticator.authenticate(caller.authorization)
                        yield answer
            except RequestError as error:
                answer = refusal(error)
                yield answer
            finally:
                self._record(operation, caller, answer, time.perf_counter() - began)

    def _record(self, operation: Operation, caller: Caller, answer: Answer, seconds: float) -> None:
        codes = _codes(answer)
        self.telemetry.operation(operation.kind, caller.transport, codes, seconds)
        log.info(
            "operation",
            operation=operation.name,
            kind=str(operation.kind),
            transport=str(caller.transport),
            viewer=caller.viewer.name,
            request_id=caller.request_id,
            seconds=round(seconds, 4),
            errors=codes or None,
        )


def _codes(answer: Answer) -> list[str]:
    if not answer.errors:
        return []
    found = (error.get("extensions") for error in answer.errors)
    return sorted({str(extensions.get("code")) for extensions in found if isinstance(extensions, dict)})
