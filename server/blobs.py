"""`/blobs/{sha256}`: large contents, streamed in and out, named by the SHA-256 of their bytes."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from domain.errors import InvalidInput, NotFound, PinsetError, Refused, RequestError, UserError
from domain.limits import MAX_BLOB_BYTES, MEBIBYTE
from domain.names import DEFAULT_WORKSPACE
from resolvers import blobs as use_cases
from resolvers.context import Context
from server.addresses import client_address
from server.answers import status_of_refusal
from server.bodies import HttpProblem
from server.http import problem_response
from server.operations import Operations
from server.rate import RateLimited

log = structlog.get_logger("pinset.blobs")

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_METHODS: Final = ("GET", "HEAD", "PUT")
# Every method comes here, so that what is wrong with one is said as JSON.
BLOB_METHODS: Final = ("GET", "HEAD", "PUT", "POST", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class BlobView:
    """Serves `/blobs/{sha256}?workspace=`."""

    operations: Operations

    async def respond(self, request: Request) -> Response:
        """Answer one request; whatever is wrong with it, the answer is JSON with `errors`."""
        try:
            return await self._respond(request)
        except HttpProblem as problem:
            return problem_response(problem)
        except (RequestError, UserError) as error:
            return problem_response(_problem(error))
        except ClientDisconnect:
            return Response(status_code=400)

    async def _respond(self, request: Request) -> Response:
        digest = request.path_params["digest"]
        if request.method not in _METHODS:
            raise HttpProblem(405, "METHOD_NOT_ALLOWED", "Use GET or PUT.", allow=", ".join(_METHODS))
        context = await self._context(request)
        if _DIGEST.fullmatch(digest) is None:
            raise HttpProblem(404, "NOT_FOUND", "A blob is named by its SHA-256: 64 lowercase hex digits.")
        workspace = request.query_params.get("workspace", DEFAULT_WORKSPACE)
        if request.method == "PUT":
            return await _put(context, request, workspace, digest)
        return await _get(context, request, workspace, digest)

    async def _context(self, request: Request) -> Context:
        address = client_address(request.scope)
        viewer = await self.operations.recognise(request.headers.get("authorization"), address)
        return self.operations.make_context(viewer, None, address)


async def _put(context: Context, request: Request, workspace: str, digest: str) -> Response:
    size = _check_upload(request)
    is_new = await use_cases.write_blob(context, workspace, digest, size, _chunks(request))
    return JSONResponse({"sha256": digest}, 201 if is_new else 200)


def _check_upload(request: Request) -> int:
    """The size that the client announces, 0 where it does not."""
    # A page of another site can send forms without asking; it cannot send this type.
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/octet-stream":
        message = "Send the bytes with 'Content-Type: application/octet-stream'."
        raise HttpProblem(415, "UNSUPPORTED_MEDIA_TYPE", message, accept="application/octet-stream")
    announced = request.headers.get("content-length", "0")
    size = int(announced[:20]) if announced.isascii() and announced.isdigit() else 0
    if size > MAX_BLOB_BYTES:
        raise HttpProblem(413, "REQUEST_TOO_LARGE", f"A blob has at most {MAX_BLOB_BYTES // MEBIBYTE} MiB.")
    return size


async def _chunks(request: Request) -> AsyncIterator[bytes]:
    async for chunk in request.stream():
        if chunk:
            yield chunk


async def _get(context: Context, request: Request, workspace: str, digest: str) -> Response:
    size = await use_cases.blob_size(context, workspace, digest)
    headers = {
        "content-length": str(size),
        "etag": f'"{digest}"',
        "cache-control": "private, immutable, max-age=31536000",
        # Whatever it holds, no browser shall take it for a page or a script of this origin.
        "content-disposition": f'attachment; filename="{digest}"',
        "content-security-policy": "sandbox; default-src 'none'",
        "x-content-type-options": "nosniff",
        "accept-ranges": "none",
    }
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers={"etag": headers["etag"], "cache-control": headers["cache-control"]})
    if request.method == "HEAD":
        return Response(headers=headers, media_type="application/octet-stream")
    return StreamingResponse(
        use_cases.read_blob(context, digest), headers=headers, media_type="application/octet-stream"
    )


def _problem(error: PinsetError) -> HttpProblem:
    match error:
        case NotFound():
            return HttpProblem(404, "NOT_FOUND", error.message)
        case Refused():
            return HttpProblem(403, error.code.value, error.message)
        case InvalidInput():
            return HttpProblem(413 if error.code == "LIMIT_EXCEEDED" else 422, error.code.value, error.message)
        case RequestError():
            problem = HttpProblem(status_of_refusal(error.code), error.code, error.message)
            if isinstance(error, RateLimited):
                problem.headers["retry-after"] = str(error.retry_after)
            return problem
        case _:
            return HttpProblem(409, "CONFLICT", error.message)
