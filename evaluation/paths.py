"""JSONPath: where an agent's answer holds its text. Finding belongs in the scoring pool's child processes."""

from functools import lru_cache
from typing import Any, Final, cast

from domain.canonical import JSON
from domain.errors import InvalidInput, Path
from domain.names import shown

MAX_PATH_LENGTH: Final = 1_000


class PathFailure(Exception):
    """A path that leads nowhere in an answer, or that cannot be followed."""


def check_path(text: str, path: Path = ()) -> None:
    """Raise InvalidInput where the text is no JSONPath, or has more than 1,000 characters."""
    if len(text) > MAX_PATH_LENGTH:
        raise InvalidInput(f"A JSONPath has at most {MAX_PATH_LENGTH:,} characters.", path)
    try:
        _parsed(text)
    except (Exception, RecursionError) as error:  # the parser raises bare Exception
        raise InvalidInput(f"{shown(text)} is not a JSONPath: {error}.", path) from None


def find(text: str, value: JSON) -> JSON:
    """The first value that the path leads to. Raises PathFailure where there is none.

    A filter may hold a regular expression: only for a child process of the scoring pool.
    """
    try:
        matches = _parsed(text).find(value)
    except MemoryError:
        raise
    except Exception as error:
        raise PathFailure(f"The path {shown(text)} could not be followed: {type(error).__name__}: {error}.") from None
    if not matches:
        raise PathFailure(f"The answer holds nothing at {shown(text)}.")
    return cast(JSON, matches[0].value)


@lru_cache(maxsize=128)
def _parsed(text: str) -> Any:
    from evaluation.languages import parse_path

    return parse_path(text)
