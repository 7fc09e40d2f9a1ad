"""Names of records and tags."""

import re
from typing import Final

from domain.errors import ErrorCode, InvalidInput, Path
from domain.limits import MAX_NAME_LENGTH

LATEST: Final = "latest"
DEFAULT_WORKSPACE: Final = "default"

NAME: Final = re.compile(r"[\w\-.]+")
DIGEST: Final = re.compile(r"[0-9a-f]{64}")

_RULE = f"1 to {MAX_NAME_LENGTH} letters, digits, '_', '-' or '.', and not '.' or '..'"


def is_digest(text: str) -> bool:
    """Whether the text has the form of a digest: 64 lowercase hex digits."""
    return DIGEST.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether the text is a legal name of a workspace, metric, task, taskset or job."""
    return len(text) <= MAX_NAME_LENGTH and NAME.fullmatch(text) is not None and text not in (".", "..")


def check_name(text: str, path: Path = ("name",), what: str = "name") -> str:
    """The text itself where it is a legal name, else InvalidInput. No Unicode normalisation takes place."""
    if not is_name(text):
        raise InvalidInput(f"{shown(text)} is not a legal {what}: use {_RULE}.", path)
    return text


def check_tag(text: str, path: Path = ("tag",)) -> str:
    """The text itself where it can be a tag; `latest` passes here, moving it by hand is refused elsewhere."""
    if len(text) > MAX_NAME_LENGTH or NAME.fullmatch(text) is None:
        raise InvalidInput(
            f"{shown(text)} is not a legal tag: use 1 to {MAX_NAME_LENGTH} letters, digits, '_', '-' or '.'.", path
        )
    if is_digest(text):
        raise InvalidInput("A tag may not look like a digest (64 lowercase hex digits).", path)
    return text


def check_movable_tag(text: str, path: Path = ("tag",)) -> str:
    """As `check_tag`, and not `latest`, which follows the newest revision by itself (TAG_RESERVED)."""
    if text == LATEST:
        raise InvalidInput(
            "The tag 'latest' moves by itself when content is published; choose another tag.",
            path,
            ErrorCode.TAG_RESERVED,
        )
    return check_tag(text, path)


def check_digest(text: str, path: Path = ("digest",)) -> str:
    """The text itself where it has the form of a digest, else InvalidInput; short forms are not accepted."""
    if not is_digest(text):
        raise InvalidInput(f"{shown(text)} is not a digest: use 64 lowercase hex digits.", path)
    return text


def shown(text: str) -> str:
    """A value as messages quote it: escaped, and short enough to read."""
    return ascii(text if len(text) <= 80 else text[:77] + "...")
