"""Keyset pages: a cursor carries the sort values of a row, so that any page costs what the first does."""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from domain.errors import BadUserInput
from domain.limits import DEFAULT_PAGE, MAX_OFFSET, MAX_PAGE
from storage.driver import ASCENDING, DESCENDING, Collection, Document, ObjectId

_VERSION: Final = 1


class OrderField(StrEnum):
    """What a list of records can be sorted by."""

    NAME = "name"
    CREATED_AT = "createdAt"
    UPDATED_AT = "updatedAt"


_TIMES: Final = (OrderField.CREATED_AT, OrderField.UPDATED_AT)


@dataclass(frozen=True, slots=True)
class Order:
    """A sort order; `_id` breaks ties in the same direction."""

    field: str = OrderField.CREATED_AT
    descending: bool = False

    def keys(self) -> list[tuple[str, int]]:
        """The sort specification of a query."""
        direction = DESCENDING if self.descending else ASCENDING
        return [(self.field, direction)] if self.field == "_id" else [(self.field, direction), ("_id", direction)]


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page as a client asks for it; `first` 0 to 1000, absent means 100, and cursors exclude `offset`."""

    first: int | None = None
    after: str | None = None
    last: int | None = None
    before: str | None = None
    offset: int | None = None

    def check(self) -> None:
        """Refuse what cannot be meant. Raises BadUserInput."""
        for name, size in (("first", self.first), ("last", self.last)):
            if size is not None and not 0 <= size <= MAX_PAGE:
                raise BadUserInput(f"`{name}` must lie between 0 and {MAX_PAGE}.", argument=name, limit=MAX_PAGE)
        if self.first is not None and self.last is not None:
            raise BadUserInput("Give `first` or `last`, not both.", argument="last")
        if self.offset is None:
            return
        if not 0 <= self.offset <= MAX_OFFSET:
            raise BadUserInput(
                f"`offset` must lie between 0 and {MAX_OFFSET}; use cursors to go further.",
                argument="offset",
                limit=MAX_OFFSET,
            )
        if self.after is not None or self.before is not None or self.last is not None:
            raise BadUserInput("`offset` goes with `first` alone; cursors exclude it.", argument="offset")

    @property
    def size(self) -> int:
        """How many items are wanted."""
        return next((size for size in (self.first, self.last) if size is not None), DEFAULT_PAGE)

    @property
    def is_backward(self) -> bool:
        """Whether the page is counted from the end."""
        return self.last is not None


@dataclass(frozen=True, slots=True)
class Slice:
    """Documents of one page in the order asked for, the cursor of each, and what lies on either side."""

    documents: Sequence[Document]
    cursors: Sequence[str]
    has_next: bool
    has_previous: bool


async def fetch(
    collection: Collection,
    query: Mapping[str, Any],
    order: Order,
    page: PageRequest,
    projection: Mapping[str, Any] | None = None,
) -> Slice:
    """One page of the documents that match `query`. Raises BadUserInput for a bad page or a foreign cursor."""
    page.check()
    signature = _signature(query)
    after = None if page.after is None else _decode(page.after, order, signature, "after")
    before = None if page.before is None else _decode(page.before, order, signature, "before")
    bounds = [_beyond(order, key, forward) for key, forward in ((after, True), (before, False)) if key is not None]
    conditions = {"$and": [query, *bounds]} if bounds else query
    if page.size == 0:
        return Slice((), (), False, False)
    sort = order.keys()
    if page.is_backward:
        sort = [(name, -direction) for name, direction in sort]
    found = collection.find(conditions, projection, sort=sort, limit=page.size + 1, skip=page.offset or 0)
    documents = await found.to_list(None)
    has_more = len(documents) > page.size
    documents = documents[: page.size]
    if page.is_backward:
        documents.reverse()
        return _slice(documents, order, signature, before is not None, has_more)
    return _slice(documents, order, signature, has_more, after is not None or bool(page.offset))


def _slice(documents: list[Document], order: Order, signature: str, has_next: bool, has_previous: bool) -> Slice:
    cursors = [encode(document, order, signature) for document in documents]
    return Slice(documents, cursors, has_next, has_previous)


def place(length: int, identity: ObjectId, request: PageRequest) -> tuple[range, list[str], bool, bool]:
    """A page of a list that lies in memory: the indices from 0, their cursors, and what lies on either side.

    `identity` is whose list it is: the cursor of another list is refused. Raises BadUserInput.
    """
    request.check()
    signature = str(identity)[-8:]
    start, stop = 0, length
    if request.after is not None:
        start = _decode(request.after, _POSITION, signature, "after")[0] + 1
    if request.before is not None:
        stop = min(stop, _decode(request.before, _POSITION, signature, "before")[0])
    start = max(start, request.offset or 0)
    chosen = range(start, max(start, stop))
    chosen = chosen[max(0, len(chosen) - request.size) :] if request.is_backward else chosen[: request.size]
    cursors = [encode({"position": index, "_id": identity}, _POSITION, signature) for index in chosen]
    if not chosen:
        return chosen, cursors, False, False
    return chosen, cursors, chosen[-1] + 1 < length, chosen[0] > 0


_POSITION: Final = Order("position")


def _beyond(order: Order, key: tuple[Any, ObjectId], forward: bool) -> dict[str, Any]:
    value, identity = key
    operator = "$gt" if forward != order.descending else "$lt"
    if order.field == "_id":
        return {"_id": {operator: identity}}
    return {
        order.field: {operator + "e": value},
        "$or": [{order.field: {operator: value}}, {order.field: value, "_id": {operator: identity}}],
    }


def encode(document: Mapping[str, Any], order: Order, signature: str) -> str:
    """The opaque cursor of one row: version, order, sort value, id, and a fingerprint of the filter."""
    value = None if order.field == "_id" else document[order.field]
    if isinstance(value, datetime):
        value = round(value.timestamp() * 1000)
    raw = [_VERSION, order.field, int(order.descending), value, str(document["_id"]), signature]
    return base64.urlsafe_b64encode(json.dumps(raw, separators=(",", ":")).encode()).decode().rstrip("=")


def _decode(cursor: str, order: Order, signature: str, argument: str) -> tuple[Any, ObjectId]:
    try:
        raw = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True))
        version, field, descending, value, identity, filtered = raw
        key = (_sort_value(order.field, value), ObjectId(identity))
    except (binascii.Error, ValueError, TypeError, RecursionError, OverflowError) as error:
        raise BadUserInput(f"`{argument}` is not a cursor of this list.", argument=argument) from error
    if (version, field, descending) != (_VERSION, order.field, int(order.descending)):
        raise BadUserInput(f"`{argument}` belongs to another order; start again without it.", argument=argument)
    if filtered != signature:
        raise BadUserInput(f"`{argument}` belongs to another list or filter; start again.", argument=argument)
    return key


def _sort_value(field: str, value: Any) -> Any:
    if field == "_id":
        return None
    if field == OrderField.NAME:
        if isinstance(value, str):
            return value
    elif isinstance(value, int) and not isinstance(value, bool):
        return datetime.fromtimestamp(value / 1000, UTC) if field in _TIMES else value
    raise ValueError("the sort value is of another type")


def _signature(query: Mapping[str, Any]) -> str:
    text = json.dumps(query, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:8]
