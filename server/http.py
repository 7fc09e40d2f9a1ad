"""`/graphql` by the GraphQL-over-HTTP specification: one view for queries, mutations, streams and the page."""

import functools
import re
import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from domain.errors import RequestError
from schema.execution.answers import Answer, RequestRefused, refusal, unexpected
from schema.execution.documents import Operation, OperationKind
from server.accept import MediaType, preferences, without_page
from server.addresses import client_address
from server.answers import encode, status_of, status_of_refusal
from server.bodies import HttpProblem, check_json_content, read_body
from server.drain import Drain
from server.ide import page
from server.operations import Caller, Operations
from server.rate import RateLimited
from server.requests import BadRequest, GraphQLRequest, parse_body, read_request
from server.sse import EventStream, single
from server.telemetry import Transport, trace_headers

_REQUEST_ID: Final = re.compile(r"[\w\-.]{1,64}", re.ASCII)
_NO_STORE: Final = {"cache-control": "no-store", "vary": "accept", "x-content-type-options": "nosniff"}
_PLAIN: Final = tuple((name.encode(), value.encode()) for name, value in _NO_STORE.items())
_TYPES: Final = {media: (b"content-type", f"{media.value}; charset=utf-8".encode()) for media in MediaType}


class AnswerResponse(Response):
    """An answer, with headers that need no assembling: there is one for every operation."""

    def __init__(self, body: bytes, status: int, media: MediaType) -> None:
        self.status_code = status
        self.body = body
        self.background = None
        self.raw_headers = [*_PLAIN, _TYPES[media], (b"content-length", b"%d" % len(body))]


@dataclass(slots=True)
class Call:
    """One request: its scope, what its body comes from, and its headers, the first of each name."""

    scope: Scope
    receive: Receive
    headers: Mapping[str, str]

    @property
    def method(self) -> str:
        """The method, in capitals."""
        return str(self.scope["method"])


@dataclass(frozen=True, slots=True)
class GraphQLView:
    """Serves `/graphql`."""

    operations: Operations
    drain: Drain
    ide: bool = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; whatever is wrong with it, the answer is JSON with `errors`."""
        call = Call(scope, receive, _first_values(scope))
        request_id = _request_id(call)
        try:
            response = await self._respond(call, request_id)
        except HttpProblem as problem:
            response = problem_response(problem)
        except ClientDisconnect:
            return
        except Exception as error:
            response = _answer_response(unexpected(error), MediaType.JSON)
        if isinstance(response, Response):
            response.raw_headers.append((b"x-request-id", request_id.encode("ascii")))
        await response(scope, receive, send)

    async def _respond(self, call: Call, request_id: str) -> ASGIApp:
        if call.method not in ("GET", "POST"):
            raise HttpProblem(405, "METHOD_NOT_ALLOWED", "Use GET for queries or POST.", allow="GET, POST")
        wanted = preferences(call.headers.get("accept"))
        if call.method == "GET" and self.ide and wanted[:1] == (MediaType.PAGE,):
            return page()
        wanted = without_page(wanted)
        if not wanted:
            offers = ", ".join((MediaType.GRAPHQL, MediaType.JSON, MediaType.STREAM))
            raise HttpProblem(406, "NOT_ACCEPTABLE", f"Accept one of: {offers}.")
        try:
            caller = await self._caller(call, request_id)
            parameters = await _parameters(call)
        except RequestError as error:
            return _refused(error)
        return await self._run(call, parameters, caller, wanted)

    async def _caller(self, call: Call, request_id: str) -> Caller:
        authorization = call.headers.get("authorization")
        address = client_address(call.scope)
        viewer = await self.operations.recognise(authorization, address)
        trace = trace_headers(call.headers)
        return Caller(viewer, authorization, request_id, Transport.HTTP, address, trace)

    async def _run(
        self, call: Call, parameters: GraphQLRequest, caller: Caller, wanted: Sequence[MediaType]
    ) -> ASGIApp:
        media = wanted[0]
        try:
            operation = await self.operations.prepare(parameters)
        except RequestRefused as refused:
            if media is MediaType.STREAM:
                return self._stream(single(refused.answer), caller)
            return _answer_response(refused.answer, media)
        if operation.kind is OperationKind.MUTATION and call.method == "GET":
            raise HttpProblem(405, "METHOD_NOT_ALLOWED", "Send mutations by POST.", allow="POST")
        if media is MediaType.STREAM or (operation.kind is OperationKind.SUBSCRIPTION and MediaType.STREAM in wanted):
            return self._stream(self.operations.stream(operation, parameters, _streaming(caller)), caller)
        if operation.kind is OperationKind.SUBSCRIPTION:
            return _answer_response(refusal(_needs_stream(operation)), media)
        return _answer_response(await self.operations.execute(operation, parameters, caller), media)

    def _stream(self, answers: AsyncGenerator[Answer, None], caller: Caller) -> EventStream:
        check = functools.partial(self.operations.authenticator.authenticate, caller.authorization)
        return EventStream(answers, caller.request_id, self.drain, check)


async def _parameters(call: Call) -> GraphQLRequest:
    if call.method == "GET":
        return read_request(_query_parameters(call))
    check_json_content(call.headers)
    return read_request(parse_body(await read_body(call.headers, call.receive)))


def _query_parameters(call: Call) -> dict[str, object]:
    """The parameters of a GET: `variables` and `extensions` are JSON in text."""
    parameters: dict[str, object] = dict(Request(call.scope).query_params)
    for key in ("variables", "extensions"):
        text = parameters.get(key)
        if isinstance(text, str) and text:
            parameters[key] = parse_body(text.encode("utf-8", "surrogatepass"))
        elif text == "":
            del parameters[key]
    return parameters


def _needs_stream(operation: Operation) -> BadRequest:
    return BadRequest(
        f"The subscription {operation.name or ''} needs a stream: use WebSocket (graphql-transport-ws), "
        "or send 'Accept: text/event-stream'.".replace("  ", " ")
    )


def _streaming(caller: Caller) -> Caller:
    return replace(caller, transport=Transport.SSE)


def _answer_response(answer: Answer, media: MediaType) -> Response:
    answer, body = encode(answer)
    media = MediaType.JSON if media is MediaType.STREAM else media
    return AnswerResponse(body, status_of(answer, media), media)


def _refused(error: RequestError) -> Response:
    """What is wrong before there is a GraphQL request to answer has a plain JSON body and a status of its own."""
    status = status_of_refusal(error.code)
    response = problem_response(HttpProblem(status, error.code, error.message), error.extensions)
    if status == 401:
        response.headers["www-authenticate"] = 'Bearer realm="pinset"'
    if isinstance(error, RateLimited):
        response.headers["retry-after"] = str(error.retry_after)
    return response


def problem_response(problem: HttpProblem, extensions: dict[str, object] | None = None) -> Response:
    """A refusal in the form of a GraphQL error, which every client can show."""
    error = {"message": problem.message, "extensions": {"code": problem.code, **(extensions or {})}}
    headers = {**_NO_STORE, **problem.headers}
    return Response(orjson.dumps({"errors": [error]}), problem.status, headers, media_type="application/json")


def _first_values(scope: Scope) -> dict[str, str]:
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(headers)}


def _request_id(call: Call) -> str:
    """The caller's own id where it is harmless in a log, else a new one."""
    given = call.headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
