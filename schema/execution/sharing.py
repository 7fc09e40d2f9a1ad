"""One execution for all who get the same event by the same document, with the same variables and rights.

A thousand screens that watch one job cost one resolution an event, not a thousand.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

# Long enough for everybody who waits for the event, too short for anybody to see that it is remembered.
SECONDS: Final = 1.0

Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class SharedEvent:
    """An event whose answers are the same for all subscribers with the same rights.

    `identity` tells it from every other event; `present` makes the object that the subscription answers, and is called
    by those alone who resolve it.
    """

    identity: Hashable
    present: Callable[[], object]


def variables_key(variables: Mapping[str, object]) -> str:
    """Variables as text: equal for equal ones."""
    return json.dumps(variables, sort_keys=True, separators=(",", ":"))


class Sharing(Generic[Outcome]):
    """Work under way or just done, by key."""

    def __init__(self) -> None:
        self._done: dict[Hashable, Outcome] = {}
        self._tasks: dict[Hashable, asyncio.Task[Outcome]] = {}

    async def get(self, key: Hashable, work: Callable[[], Awaitable[Outcome] | Outcome]) -> Outcome:
        """The outcome of `work`, which the first caller starts; a caller that leaves does not end it."""
        if key in self._done:
            return self._done[key]
        task = self._tasks.get(key)
        if task is None:
            begun = work()
            if not isinstance(begun, Awaitable):
                self._remember(key, begun)
                return begun
            task = asyncio.ensure_future(_run(begun))
            self._tasks[key] = task
            task.add_done_callback(lambda done: self._finish(key, done))
        return await asyncio.shield(task)

    def _finish(self, key: Hashable, task: asyncio.Task[Outcome]) -> None:
        # An error is looked at, so that asyncio does not complain where every caller has left.
        if task.cancelled() or task.exception() is not None:
            asyncio.get_running_loop().call_later(SECONDS, self._tasks.pop, key, None)
            return
        del self._tasks[key]
        self._remember(key, task.result())

    def _remember(self, key: Hashable, outcome: Outcome) -> None:
        self._done[key] = outcome
        asyncio.get_running_loop().call_later(SECONDS, self._done.pop, key, None)


async def _run(work: Awaitable[Outcome]) -> Outcome:
    return await work
