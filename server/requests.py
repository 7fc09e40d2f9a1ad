"""A GraphQL request as the transports receive it, and what can be wrong with it before a document is read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from domain.canonical import check_json, parse_json
from domain.errors import InvalidInput, RequestError

# Only text that spells a surrogate escape can hold one after parsing; everything else skips the walk over its values.
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


class BadRequest(RequestError):
    """A request that does not have the form of a GraphQL request."""

    code = "BAD_REQUEST"


@dataclass(frozen=True, slots=True)
class GraphQLRequest:
    """The parameters of an operation; exactly one of `query` and `document_id` is set."""

    query: str | None
    document_id: str | None = None
    operation_name: str | None = None
    variables: Mapping[str, object] = field(default_factory=dict)


def parse_body(body: bytes) -> object:
    """The JSON value of a body or frame. Raises BadRequest, also for text that is not valid Unicode."""
    try:
        value = parse_json(body.decode("utf-8"))
        return check_json(value) if _SURROGATE.search(body) else value
    except UnicodeDecodeError as error:
        raise BadRequest(f"The body is not UTF-8: byte {error.start} cannot be decoded.") from None
    except InvalidInput as error:
        raise BadRequest(error.message, argumentPath=[str(part) for part in error.path]) from None


def read_request(value: object) -> GraphQLRequest:
    """The request that a parsed body describes; unknown keys are ignored. Raises BadRequest naming the wrong one."""
    if isinstance(value, list):
        raise BadRequest("The body is an array; batches are not supported. Send one operation a request.")
    if not isinstance(value, dict):
        raise BadRequest("The body must be a JSON object with the key 'query'.")
    query, document_id = _text(value, "query"), _text(value, "documentId")
    if query is None and document_id is None:
        raise BadRequest("The request has no 'query'; send the text of a GraphQL document.")
    if query is not None and document_id is not None:
        raise BadRequest("Send either 'query' or 'documentId', not both.")
    variables = _object(value, "variables")
    _object(value, "extensions")
    return GraphQLRequest(query, document_id, _text(value, "operationName"), variables)


def _text(value: dict[str, object], key: str) -> str | None:
    text = value.get(key)
    if text is not None and not isinstance(text, str):
        raise BadRequest(f"'{key}' must be a string.")
    return text


def _object(value: dict[str, object], key: str) -> dict[str, object]:
    item = value.get(key)
    if item is not None and not isinstance(item, dict):
        raise BadRequest(f"'{key}' must be an object.")
    return item or {}
