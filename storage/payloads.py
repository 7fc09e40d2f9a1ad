"""What attempts bring back, as documents: short texts lie inline, longer ones as blobs, so that no row grows large.

JSON is kept as canonical text, because keys of a document may hold neither dots nor dollar signs.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from domain.canonical import JSON, canonical_text
from domain.trials import TrialError, TrialOutcome, Usage
from storage import blobs
from storage.driver import Database, Document

INLINE_BYTES: Final = 16_384
FIELDS: Final = ("output", "response", "trajectory")


@dataclass(frozen=True, slots=True)
class Payload:
    """The contents of one attempt: a text, and two JSON values; `size` is that of their texts in characters."""

    output: str | None = None
    response: JSON = None
    trajectory: JSON = None
    size: int = 0


async def store(database: Database, workspace: str, outcome: TrialOutcome) -> dict[str, Any]:
    """The payload fields of a document; whatever is long is written as a blob before it is named."""
    response = None if outcome.response is None else canonical_text(outcome.response)
    trajectory = None if outcome.trajectory is None else canonical_text(outcome.trajectory)
    texts = {"output": outcome.output, "response": response, "trajectory": trajectory}
    given = {"output": outcome.output_blob, "response": None, "trajectory": outcome.trajectory_blob}
    stored: dict[str, Any] = {}
    for field, text in texts.items():
        if text is None:
            stored[field] = None if given[field] is None else {"blob": given[field], "isGiven": True}
        elif len(text) <= INLINE_BYTES:
            stored[field] = {"text": text}
        else:
            stored[field] = {"blob": await _spill(database, workspace, text)}
    return stored


async def _spill(database: Database, workspace: str, text: str) -> str:
    content = text.encode()
    identity = hashlib.sha256(content).hexdigest()
    await blobs.keep(database, workspace, identity, content)
    return identity


async def load(database: Database, document: Mapping[str, Any]) -> Payload:
    """The payload of a document's fields, blobs read now; one that is gone gives None."""
    texts = {field: await _text(database, document.get(field)) for field in FIELDS}
    size = sum(len(text) for text in texts.values() if text is not None)
    return Payload(texts["output"], _value(texts["response"]), _value(texts["trajectory"]), size)


def blob_of(document: Mapping[str, Any], field: str) -> str | None:
    """The id of the blob that holds a field, where one does."""
    stored = document.get(field)
    return None if stored is None else stored.get("blob")


async def _text(database: Database, stored: Mapping[str, Any] | None) -> str | None:
    if stored is None:
        return None
    if "text" in stored:
        return str(stored["text"])
    content = await blobs.content(database, stored["blob"])
    return None if content is None else content.decode("utf-8", "replace")


def _value(text: str | None) -> JSON:
    if text is None:
        return None
    try:
        value: JSON = json.loads(text)
    except ValueError:
        # A blob that was uploaded as a trajectory may hold anything; text stays text.
        return text
    return value


def error_document(error: TrialError | None) -> Document | None:
    """An error as a document."""
    return None if error is None else {"type": str(error.type), "message": error.message}


def error_record(document: Document | None) -> TrialError | None:
    """An error of its document."""
    return None if document is None else TrialError(document["type"], document["message"])


def usage_document(usage: Usage | None) -> Document | None:
    """Consumption as a document."""
    if usage is None:
        return None
    return {"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens, "costUsd": usage.cost_usd}


def usage_record(document: Document | None) -> Usage | None:
    """Consumption of its document."""
    return None if document is None else Usage(document["inputTokens"], document["outputTokens"], document["costUsd"])
