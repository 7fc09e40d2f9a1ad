"""JSON as files may hold it, and the canonical text whose SHA-256 is a digest."""

import hashlib
import json
import math
from typing import Any, Final, TypeAlias, cast

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
JSONObject: TypeAlias = dict[str, JSON]

_INTEGER_DIGITS: Final = 20


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number; numbers must be finite")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is too large for a 64-bit float")
    return value


def _integer(text: str) -> int:
    if len(text) > _INTEGER_DIGITS or not -(2**63) <= int(text) < 2**63:
        raise ValueError(f"the integer {text[:40]} does not fit in 64 bits; write it as a string")
    return int(text)


DECODER: Final = json.JSONDecoder(parse_constant=_constant, parse_float=_float, parse_int=_integer)


def parse(text: str) -> JSON:
    """One JSON value: finite numbers, integers within 64 bits, valid Unicode. Raises ValueError that says which."""
    try:
        return checked_unicode(cast(JSON, DECODER.decode(text)), text)
    except RecursionError:
        raise ValueError("the value nests too deeply") from None


def checked_unicode(value: JSON, text: str) -> JSON:
    """The value itself, proved to hold no lone surrogate; only an escape in its text can bring one in."""
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("a string holds a lone surrogate, which is not valid Unicode") from None
    return value


def canonical_text(value: JSON) -> str:
    """The one text of a value that digests are made of: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest_of(text: str) -> str:
    """SHA-256 of a canonical text, 64 lowercase hex digits."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def kind_of(value: JSON) -> str:
    """What a message calls the value's type."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    return names[type(value)]
