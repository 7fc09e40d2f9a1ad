"""Watching the commands that go to MongoDB, for tracing; values and filters are never passed on."""

from collections.abc import Mapping
from typing import Any, Final, Protocol

from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

_HOUSEKEEPING: Final = frozenset({"hello", "ismaster", "ping", "endSessions", "killCursors", "buildInfo"})


class CommandObserver(Protocol):
    """Is told of each command by a key of its own, from the driver's threads."""

    def started(self, key: int, command: str, collection: str | None, database: str) -> None:
        """A command is on its way."""

    def ended(self, key: int, failure: str | None) -> None:
        """It was answered; `failure` is the name of MongoDB's error."""


class CommandWatcher(CommandListener):
    """Tells an observer of every command but the driver's own housekeeping."""

    def __init__(self, observer: CommandObserver) -> None:
        self._observer = observer

    def started(self, event: CommandStartedEvent) -> None:
        """Name the command and its collection; getMore names it under another key."""
        if event.command_name not in _HOUSEKEEPING:
            collection = _collection(event.command_name, event.command)
            self._observer.started(_key(event), event.command_name, collection, event.database_name)

    def succeeded(self, event: CommandSucceededEvent) -> None:
        """It was answered."""
        if event.command_name not in _HOUSEKEEPING:
            self._observer.ended(_key(event), None)

    def failed(self, event: CommandFailedEvent) -> None:
        """It was answered with an error, or not at all."""
        if event.command_name not in _HOUSEKEEPING:
            self._observer.ended(_key(event), str(event.failure.get("codeName") or "NetworkError"))


def _collection(name: str, command: Mapping[str, Any]) -> str | None:
    value = command.get("collection" if name == "getMore" else name)
    return value if isinstance(value, str) else None


def _key(event: CommandStartedEvent | CommandSucceededEvent | CommandFailedEvent) -> int:
    return hash((event.request_id, event.connection_id))
