"""Answers of the server, and server-sent events, apart from how they were fetched."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import httpx
from pydantic import BaseModel

from pinset.errors import RequestError
from pinset.generated.base_model import UnsetType

MEDIA_TYPES: Final = "application/graphql-response+json, application/json;q=0.9"
EVENT_STREAM: Final = "text/event-stream"


def request_body(query: str, operation_name: str | None, variables: Mapping[str, Any] | None) -> dict[str, Any]:
    """The JSON body of a GraphQL request; variables that were not set are left out."""
    given = {key: _json(value) for key, value in (variables or {}).items() if not isinstance(value, UnsetType)}
    return {"query": query, "operationName": operation_name, "variables": given}


def data_of(response: httpx.Response) -> dict[str, Any]:
    """The `data` of an answer. Raises RequestError where the request was refused or a part of it failed."""
    try:
        answer = response.json()
    except ValueError:
        raise RequestError(f"HTTP {response.status_code}: no GraphQL answer.", "HTTP", response.status_code) from None
    return checked(answer, response.status_code)


def raise_for_status(response: httpx.Response) -> None:
    """Raise RequestError for an answer that says no, in the server's words where it has any."""
    if response.is_error:
        data_of(response)


def checked(answer: Any, status: int = 200) -> dict[str, Any]:
    """The `data` of an answer that was parsed. Raises RequestError."""
    if not isinstance(answer, dict):
        raise RequestError(f"HTTP {status}: no GraphQL answer.", "HTTP", status)
    errors = answer.get("errors") or []
    if errors or answer.get("data") is None:
        first: dict[str, Any] = errors[0] if errors else {"message": answer.get("detail") or f"HTTP {status}: no data."}
        code = str(first.get("extensions", {}).get("code", "HTTP"))
        raise RequestError(str(first.get("message")), code, status, errors)
    return cast("dict[str, Any]", answer["data"])


@dataclass(slots=True)
class EventLines:
    """Puts lines of an event stream together; `completed` tells a finished stream from one that was cut."""

    completed: bool = False
    _event: str = ""
    _data: str = ""

    def take(self, line: str) -> Iterator[dict[str, Any]]:
        """Feed one line; gives the data of a `next` event once its end is reached."""
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data += value
        elif line == "":
            event, data = self._event, self._data
            self._event = self._data = ""
            self.completed = self.completed or event == "complete"
            if event == "next":
                yield checked(json.loads(data))


def _json(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    return value
