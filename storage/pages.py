"""Keyset pages: a page starts at the sort values of a row, so that any page costs what the first does."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from domain.errors import BadUserInput
from domain.limits import DEFAULT_PAGE, MAX_OFFSET, MAX_PAGE
from storage.cursors import Cursors, Key, decode, signature_of
from storage.driver import ASCENDING, DESCENDING, Collection, Document, ObjectId


class OrderField(StrEnum):
    """What a list of records can be sorted by."""

    NAME = "name"
    CREATED_AT = "createdAt"
    UPDATED_AT = "updatedAt"


# No two rows of one list share these, so that their indexes need no tie-break.
_UNIQUE: Final = frozenset({"_id", OrderField.NAME, "number", "position", "order", "parent"})


@dataclass(frozen=True, slots=True)
class Order:
    """A sort order; `_id` breaks ties in the same direction."""

    field: str = OrderField.CREATED_AT
    descending: bool = False

    @property
    def is_unique(self) -> bool:
        """Whether the field alone gives every row a place of its own."""
        return self.field in _UNIQUE

    def keys(self, *, backward: bool = False) -> list[tuple[str, int]]:
        """The sort specification of a query; `backward` is the same order read from its end."""
        direction = ASCENDING if self.descending is backward else DESCENDING
        return [(name, direction) for name in ((self.field,) if self.is_unique else (self.field, "_id"))]


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
    """One page of the documents that match `query`, by the Relay algorithm.

    Raises BadUserInput for a bad page or a foreign cursor.
    """
    page.check()
    signature = signature_of(collection.name, query)
    after, before = (
        None if cursor is None else decode(cursor, order.field, order.descending, signature, argument)
        for cursor, argument in ((page.after, "after"), (page.before, "before"))
    )
    parts = between(query, order, after, before)
    documents: list[Document] = []
    if parts:
        found = collection.find(
            parts[0] if len(parts) == 1 else {"$or": parts},
            projection,
            sort=order.keys(backward=page.is_backward),
            limit=page.size + 1,
            skip=page.offset or 0,
        )
        documents = await found.to_list(None)
    has_more = len(documents) > page.size
    documents = documents[: page.size]
    if page.is_backward:
        documents.reverse()
        sides = (before is not None, has_more)
    else:
        sides = (has_more, await _has_skipped(collection, query, page, documents) or after is not None)
    keys = [(row.get(order.field), row["_id"]) for row in documents]
    cursors = Cursors(order.field, order.descending, signature, keys)
    return Slice(documents, cursors, *sides)


async def _has_skipped(
    collection: Collection, query: Mapping[str, Any], page: PageRequest, documents: Sequence[Document]
) -> bool:
    """Whether an offset passed over any row; past the end of the list that is not known without a look."""
    if not page.offset or documents:
        return bool(page.offset)
    return await collection.find_one(query, {"_id": 1}) is not None


def between(query: Mapping[str, Any], order: Order, after: Key | None, before: Key | None) -> list[Mapping[str, Any]]:
    """The queries whose results together lie between two rows: each one range of an index, none where they cross.

    One query with the alternatives inside would read every row that shares its time with the cursor's.
    """
    if order.descending:
        after, before = before, after
    ends = [(operator, key) for operator, key in (("$gt", after), ("$lt", before)) if key is not None]
    if not ends:
        return [query]
    if order.is_unique:
        return [_both(query, {order.field: {operator: _unique(order, key) for operator, key in ends}})]
    if after is not None and before is not None and after[0] >= before[0]:
        tied = {order.field: after[0], "_id": {"$gt": after[1], "$lt": before[1]}}
        return [_both(query, tied)] if after[0] == before[0] else []
    ties = [_both(query, {order.field: key[0], "_id": {operator: key[1]}}) for operator, key in ends]
    return [*ties, _both(query, {order.field: {operator: key[0] for operator, key in ends}})]


def _unique(order: Order, key: Key) -> Any:
    return key[1] if order.field == "_id" else key[0]


def _both(query: Mapping[str, Any], bounds: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"$and": [query, bounds]} if query.keys() & bounds.keys() else {**query, **bounds}


@dataclass(frozen=True, slots=True)
class Positions:
    """The places 0 to `length` of a list in memory; `owner` and `name` say whose list, so that others' cursors fail."""

    length: int
    owner: ObjectId
    name: str

    def window(self, request: PageRequest) -> range:
        """The indices that the cursors and the offset leave. Raises BadUserInput for a bad page or a foreign cursor."""
        request.check()
        start = 0 if request.after is None else self._index(request.after, "after") + 1
        stop = self.length if request.before is None else min(self.length, self._index(request.before, "before"))
        start = max(0, start, request.offset or 0)
        return range(start, max(start, stop))

    def page(self, request: PageRequest) -> tuple[range, Cursors, bool, bool]:
        """The indices of a page, their cursors, and whether the list goes on after and before it.

        Raises BadUserInput.
        """
        window = self.window(request)
        has_more = len(window) > request.size
        if request.is_backward:
            chosen = window[max(0, len(window) - request.size) :]
            sides = (request.before is not None, has_more)
        else:
            chosen = window[: request.size]
            sides = (has_more, min(window.start, self.length) > 0)
        return chosen, self.cursors(chosen), *sides

    def cursors(self, indices: Iterable[int]) -> Cursors:
        """The cursors of some places."""
        return Cursors("position", False, self._signature, [(index, self.owner) for index in indices])

    def _index(self, cursor: str, argument: str) -> int:
        index: int = decode(cursor, "position", False, self._signature, argument)[0]
        return index

    @property
    def _signature(self) -> str:
        return signature_of(self.name, {"owner": str(self.owner)})
