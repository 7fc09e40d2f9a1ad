"""JSON at the door, the canonical text, and the digest that is its SHA-256.

The text is what NeMo Platform 0.6.0 hashes (compact, sorted keys, ASCII), so that equal content has equal
digests there and here.
"""

import hashlib
import json
import math
from typing import Final, TypeAlias, cast

from domain.errors import ErrorCode, InvalidInput, Path
from domain.limits import MAX_CONTENT_BYTES, MAX_INTEGER, MAX_JSON_DEPTH, MEBIBYTE, MIN_INTEGER

_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"


def check_json(value: object, path: Path = ()) -> JSON:
    """The value itself, proved to be JSON that survives storage and hashing.

    Refused, each with its path: NaN and infinities, integers outside 64 bits, lone surrogates in values and keys,
    nesting over 64, keys that are not strings, and anything that is not JSON. Raises InvalidInput.
    """
    _walk(value, path, 1)
    return cast(JSON, value)


def _walk(value: object, path: Path, depth: int) -> None:
    if value is None or value is True or value is False:
        return
    if isinstance(value, str):
        _check_text(value, path)
    elif isinstance(value, int):
        if not MIN_INTEGER <= value <= MAX_INTEGER:
            raise InvalidInput("Integers must lie between -2^63 and 2^63-1; send larger ones as strings.", path)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput("Numbers must be finite: NaN, Infinity and overflowing floats are refused.", path)
    elif isinstance(value, dict):
        _check_depth(depth, path)
        for key, item in value.items():
            if not isinstance(key, str):
                raise InvalidInput("Object keys must be strings.", path)
            _check_text(key, path, "key")
            _walk(item, (*path, key), depth + 1)
    elif isinstance(value, list | tuple):
        _check_depth(depth, path)
        for index, item in enumerate(value):
            _walk(item, (*path, index), depth + 1)
    else:
        raise InvalidInput(f"{type(value).__name__} is not a JSON value.", path)


def _check_depth(depth: int, path: Path) -> None:
    if depth > MAX_JSON_DEPTH:
        raise InvalidInput(
            f"Values nest at most {MAX_JSON_DEPTH} levels.", path[:MAX_JSON_DEPTH], ErrorCode.LIMIT_EXCEEDED
        )


def _check_text(text: str, path: Path, what: str = "string") -> None:
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"The {what} holds a lone surrogate at character {error.start + 1}, which is not valid Unicode.", path
        ) from None


def parse_json(text: str | bytes) -> object:
    """Parse with the standard library: integers stay exact and every failure is a ValueError.

    orjson is not used here: it turns 2^64 into a float silently. Raises InvalidInput with the parser's position.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise InvalidInput("The JSON nests too deeply.", code=ErrorCode.LIMIT_EXCEEDED) from None
    except ValueError as error:
        raise InvalidInput(f"Not valid JSON: {error}.") from None


def canonical_text(value: JSON) -> str:
    """The one text of a checked value: sorted keys, no spaces, ASCII."""
    return _ENCODER.encode(value)


def bounded_text(value: JSON, path: Path = (), what: str = "content") -> str:
    """The canonical text, at most 8 MiB. Raises InvalidInput (LIMIT_EXCEEDED) with the size found."""
    text = canonical_text(value)
    if len(text) > MAX_CONTENT_BYTES:
        raise InvalidInput(
            f"The {what} has {len(text):,} bytes of canonical text; at most {MAX_CONTENT_BYTES // MEBIBYTE} MiB "
            f"({MAX_CONTENT_BYTES:,} bytes) are allowed.",
            path,
            ErrorCode.LIMIT_EXCEEDED,
        )
    return text


def digest_of(text: str) -> str:
    """SHA-256 of a canonical text, 64 lowercase hex digits."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()
