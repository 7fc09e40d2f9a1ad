"""What a transaction leaves in the audit log: entries gathered while it works, written just before it commits.

So an entry exists if, and only if, what it tells of happened. Nothing ever changes or removes one.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from domain.audit import AuditAction, AuditedType
from storage.clock import now
from storage.driver import BlockingDatabase, BlockingSession, Database, ObjectId, Session


@dataclass(frozen=True, slots=True)
class Origin:
    """Who does something, and from where: the name and id of the token, the client's address, the request's id."""

    actor: str | None = None
    token: str | None = None
    address: str | None = None
    request_id: str | None = None


_NOBODY: Final = Origin()
_ORIGIN: Final[ContextVar[Origin]] = ContextVar("origin", default=_NOBODY)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of one transaction: its entries, and who wants to know whether it was committed."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    endings: list[Callable[[bool], None]] = field(default_factory=list)

    def end(self, is_committed: bool) -> None:
        """Tell them."""
        for ending in self.endings:
            ending(is_committed)


_ATTEMPT: Final[ContextVar[Attempt | None]] = ContextVar("attempt", default=None)


@contextmanager
def acting(origin: Origin) -> Iterator[None]:
    """Whatever is written while the body runs is recorded as this caller's doing."""
    before = _ORIGIN.set(origin)
    try:
        yield
    finally:
        _ORIGIN.reset(before)


def current_origin() -> Origin:
    """On whose behalf the present code runs."""
    return _ORIGIN.get()


@contextmanager
def attempting() -> Iterator[Attempt]:
    """Gathers what `note` and `when_over` leave while the body runs, and tells those who wait for its end."""
    attempt = Attempt()
    before = _ATTEMPT.set(attempt)
    try:
        yield attempt
    except BaseException:
        attempt.end(False)
        raise
    else:
        attempt.end(True)
    finally:
        _ATTEMPT.reset(before)


def when_over(ending: Callable[[bool], None]) -> bool:
    """Have a function called with whether the present transaction was committed; False where there is none."""
    attempt = _ATTEMPT.get()
    if attempt is None:
        return False
    attempt.endings.append(ending)
    return True


def note(
    action: AuditAction,
    type: AuditedType,
    record: ObjectId,
    ref: str,
    *,
    workspace: str | None,
    before: str | None = None,
    after: str | None = None,
    detail: str | None = None,
    origin: Origin | None = None,
) -> None:
    """Record one thing done to one record, inside the transaction that does it.

    `before` and `after` are digests, `detail` names what was moved (a tag). `origin` is for work that another task
    does on a caller's behalf. Raises RuntimeError outside a transaction, where an entry would be lost.
    """
    attempt = _ATTEMPT.get()
    if attempt is None:
        raise RuntimeError(f"{action} of {ref} was not written in a transaction")
    origin = origin or current_origin()
    attempt.entries.append(
        {
            "_id": ObjectId(),
            "at": now(),
            "action": action.value,
            "actor": origin.actor,
            "token": origin.token,
            "address": origin.address,
            "request": origin.request_id,
            "workspace": workspace,
            "type": type.value,
            "record": record,
            "ref": ref,
            "before": before,
            "after": after,
            "detail": detail,
        }
    )


async def write(database: Database, session: Session, entries: list[dict[str, Any]]) -> None:
    """Append the entries, as part of the transaction that they tell of."""
    if entries:
        await database["audit"].insert_many(entries, session=session)


def write_here(database: BlockingDatabase, session: BlockingSession, entries: list[dict[str, Any]]) -> None:
    """As `write`, in a thread that may wait."""
    if entries:
        database["audit"].insert_many(entries, session=session)
