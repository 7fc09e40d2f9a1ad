"""Waiting for conditions, since tests do not sleep for a time and hope."""

import asyncio
import time
from collections.abc import Awaitable, Callable


async def eventually(condition: Callable[[], Awaitable[bool]], *, seconds: float = 5.0) -> None:
    """Return once the condition holds; fail where it does not within the time."""
    deadline = time.monotonic() + seconds
    while not await condition():
        assert time.monotonic() < deadline, f"the condition did not hold within {seconds:g} s"
        await asyncio.sleep(0.01)
