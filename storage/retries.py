"""When a transaction is tried again, how long after, and what its failure means to whoever asked for it."""

import random
import time
from typing import Final

from domain.errors import Conflict, ErrorCode, InvalidInput, ServiceUnavailable
from domain.limits import MAX_TRANSACTION_BYTES, MEBIBYTE, TRANSACTION_SECONDS
from storage.driver import BulkWriteError, Document, OperationFailure, PyMongoError

FIRST_DELAY: Final = 0.002
LONGEST_DELAY: Final = 0.25
_DUPLICATE_KEY: Final = 11000
_TOO_LARGE: Final = frozenset({388, 10334, 17419, 17420})

# Someone else made the same record or the same ordinal: read again and decide anew.
_RACES: Final = frozenset({("workspace", "name"), ("parent", "number"), ("_id",), ("name",)})


class Retries:
    """The attempts at one transaction, from now on for 10 s; the pauses between them grow up to `longest_delay`."""

    def __init__(self, longest_delay: float = LONGEST_DELAY) -> None:
        self.deadline = time.monotonic() + TRANSACTION_SECONDS
        self._delay = FIRST_DELAY
        self._longest = longest_delay

    def pause(self, error: PyMongoError) -> float:
        """Seconds to wait before the next attempt. Raises what the error means where there shall be none."""
        if not _is_race(error):
            raise _explained(error) from error
        if time.monotonic() > self.deadline:
            raise Conflict(f"Others kept writing the same record for {TRANSACTION_SECONDS:g} s; try again.") from error
        delay, self._delay = self._delay, min(self._delay * 2, self._longest)
        return delay * random.uniform(0.5, 1.5)


def may_commit_again(error: PyMongoError, deadline: float) -> bool:
    """Whether MongoDB did not say what became of a commit, and there is time to ask again."""
    return error.has_error_label("UnknownTransactionCommitResult") and time.monotonic() <= deadline


def _is_race(error: PyMongoError) -> bool:
    details = _details(error)
    if details.get("code") == _DUPLICATE_KEY:
        return tuple(details.get("keyPattern") or {}) in _RACES
    return error.has_error_label("TransientTransactionError")


def _details(error: PyMongoError) -> Document:
    """What the server says of an error; a command with many writes stops at the first that fails."""
    if isinstance(error, BulkWriteError):
        failed: list[Document] = error.details.get("writeErrors", [])
        return failed[0] if failed else {}
    return (error.details or {}) if isinstance(error, OperationFailure) else {}


def _explained(error: PyMongoError) -> Exception:
    if _details(error).get("code") in _TOO_LARGE:
        return InvalidInput(
            f"The change does not fit in one transaction: it exceeds {MAX_TRANSACTION_BYTES // MEBIBYTE} MiB, or what "
            "the cache of this MongoDB holds; send it in smaller parts.",
            code=ErrorCode.LIMIT_EXCEEDED,
        )
    if error.has_error_label("UnknownTransactionCommitResult"):
        return ServiceUnavailable("MongoDB did not confirm the change in time; read the record before trying again.")
    return error
