"""One execution for all who get the same event by the same document, with the same variables and rights.

A thousand screens that watch one job cost one resolution an event, not a thousand.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Final, Generic, Protocol, TypeVar, runtime_checkable

# Long enough for everybody who waits for the event, too short for anybody to see that it is remembered.
SECONDS: Final = 1.0

Outcome = TypeVar("Outcome")


@runtime_checkable
class SharedEvent(Protocol):
    """An event whose answers are the same for all subscribers with the same rights."""

    def shared_as(self) -> Hashable:
        """What tells it from every other event."""


def variables_key(variables: Mapping[str, object]) -> str:
    """Variables as text: equal for equal ones."""
    return json.dumps(variables, sort_keys=True, separators=(",", ":"))


class Sharing(Generic[Outcome]):
    """Work under way or just done, by key."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[Outcome]] = {}

    async def get(self, key: Hashable, work: Callable[[], Awaitable[Outcome]]) -> Outcome:
        """The outcome of `work`, which the first caller starts; a caller that leaves does not end it."""
        task = self._tasks.get(key)
        if task is None:
            task = asyncio.ensure_future(_run(work))
            self._tasks[key] = task
            task.add_done_callback(lambda done: self._forget_later(key, done))
        return await asyncio.shield(task)

    def _forget_later(self, key: Hashable, task: asyncio.Task[Outcome]) -> None:
        if not task.cancelled():
            # Looked at, so that asyncio does not complain where every caller has left.
            task.exception()
        asyncio.get_running_loop().call_later(SECONDS, self._tasks.pop, key, None)


async def _run(work: Callable[[], Awaitable[Outcome]]) -> Outcome:
    return await work()
