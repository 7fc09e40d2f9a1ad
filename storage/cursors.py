"""Cursors: where a row stands in one list and one order, opaque to clients and refused anywhere else."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias, overload

from domain.errors import BadUserInput
from domain.limits import MAX_INTEGER, MIN_INTEGER
from storage.driver import ObjectId

_VERSION: Final = 1
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)

_TIMES: Final = frozenset({"createdAt", "updatedAt", "at"})
_TEXTS: Final = frozenset({"name"})
_IDS: Final = frozenset({"parent"})

Key: TypeAlias = tuple[Any, ObjectId]

_text_of: Final = json.JSONEncoder(separators=(",", ":")).encode


def signature_of(collection: str, query: Mapping[str, Any]) -> str:
    """A fingerprint of what is listed, 8 hex digits: a cursor is good for the same filter only."""
    text = json.dumps([collection, query], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def encode(field: str, descending: bool, value: Any, identity: ObjectId, signature: str) -> str:
    """The cursor of one row: version, order, sort value, id, and the fingerprint of the list."""
    if field == "_id":
        value = None
    elif isinstance(value, datetime):
        value = (value - _EPOCH) // _MILLISECOND
    elif isinstance(value, ObjectId):
        value = str(value)
    raw = [_VERSION, field, int(descending), value, str(identity), signature]
    return base64.urlsafe_b64encode(_text_of(raw).encode()).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class Cursors(Sequence[str]):
    """The cursors of a page's rows, each written when it is looked at; most clients look at two of them.

    `keys` are the rows' sort values and ids.
    """

    field: str
    descending: bool
    signature: str
    keys: Sequence[Key]

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> "Cursors": ...

    def __getitem__(self, index: int | slice) -> "str | Cursors":
        if isinstance(index, slice):
            return replace(self, keys=self.keys[index])
        return encode(self.field, self.descending, *self.keys[index], self.signature)


def decode(cursor: str, field: str, descending: bool, signature: str, argument: str) -> Key:
    """The sort value and the id in a cursor. Raises BadUserInput, naming the argument, for any that is not ours."""
    try:
        raw = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True))
        version, ordered, reverse, value, identity, filtered = raw
    except (ValueError, TypeError, RecursionError):
        raise BadUserInput(f"`{argument}` is not a cursor of this list.", argument=argument) from None
    if [version, ordered, reverse] != [_VERSION, field, int(descending)]:
        raise BadUserInput(f"`{argument}` belongs to another order; start again without it.", argument=argument)
    if filtered != signature:
        raise BadUserInput(f"`{argument}` belongs to another list or filter; start again.", argument=argument)
    try:
        key = (_sort_value(field, value), _object_id(identity))
    except (ValueError, OverflowError):
        raise BadUserInput(f"`{argument}` is not a cursor of this list.", argument=argument) from None
    return key


def _sort_value(field: str, value: Any) -> Any:
    if field == "_id":
        return None
    if field in _TEXTS:
        return _text(value)
    if field in _IDS:
        return _object_id(value)
    number = _integer(value)
    return _EPOCH + number * _MILLISECOND if field in _TIMES else number


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("not a text")
    value.encode()
    return value


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not MIN_INTEGER <= value <= MAX_INTEGER:
        raise ValueError("not an integer of 64 bits")
    return value


def _object_id(value: Any) -> ObjectId:
    # The driver would make a new id of None, and take 12 characters for raw bytes.
    if not isinstance(value, str) or len(value) != 24 or not ObjectId.is_valid(value):
        raise ValueError("not an id")
    return ObjectId(value)
