"""Legal names out of the texts that files use as identifiers.

The rule: every character that is no letter, digit, `_`, `-` or `.` becomes `-`; the names `.` and `..` become `-` and
`--`; a text over 255 characters keeps its first 246 and ends in `-` and 8 hex digits of its SHA-256.
`HumanEval/0` becomes `HumanEval-0`. Two rows that reach one name are refused by `unique`, never merged.
"""

import hashlib
import re
from typing import Final

from pinset.files.problems import FileProblem

MAX_NAME_LENGTH: Final = 255
LEGAL: Final = re.compile(r"[\w\-.]+")
_ILLEGAL: Final = re.compile(r"[^\w\-.]")


def is_legal(text: str) -> bool:
    """Whether the text can be the name of a record as it stands."""
    return len(text) <= MAX_NAME_LENGTH and LEGAL.fullmatch(text) is not None and text not in (".", "..")


def legal_name(text: str) -> str:
    """The name that a text is stored under: itself where that is legal. Raises FileProblem for an empty text."""
    if not text:
        raise FileProblem("A name may not be empty.")
    if is_legal(text):
        return text
    name = _ILLEGAL.sub("-", text)
    if name in (".", ".."):
        name = "-" * len(name)
    if len(name) > MAX_NAME_LENGTH:
        tail = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        name = f"{name[: MAX_NAME_LENGTH - 9]}-{tail}"
    return name


def shown(text: str) -> str:
    """A value as messages quote it: escaped, and short enough to read."""
    return ascii(text if len(text) <= 80 else text[:77] + "...")
