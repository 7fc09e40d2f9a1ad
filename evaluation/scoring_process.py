"""The pool's end of one child process: starting it, its pipes, and its end."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

import structlog

from evaluation.messages import LENGTH, MAX_MESSAGE_BYTES, Message

ENDING_SECONDS: Final = 5.0
_START_SECONDS: Final = 60.0
# A child ends itself; this is how much later the pool ends one that does not. Imports fall into it.
_GRACE_SECONDS: Final = 30.0
_ROOMS: Final = str(Path(__file__).resolve().parent.parent)

log = structlog.get_logger(__name__)


class ScoringProcess:
    """One child process. It gets no environment but what Python needs, so that there are no secrets in it."""

    def __init__(self, process: asyncio.subprocess.Process, seconds: float) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._requests = process.stdin
        self._answers = process.stdout
        self._seconds = seconds
        self._was_slow = False

    @classmethod
    async def start(cls, seconds: float, memory_bytes: int) -> Self:
        """Start a child and wait until it is ready; one that does not come up is logged and tried again."""
        while True:
            child = cls(await _spawn(seconds, memory_bytes), seconds)
            try:
                ready = await child._read(_START_SECONDS)
            except BaseException:
                await child.end()
                raise
            if ready is not None:
                return child
            log.error("scoring child did not start", status=await child.end(ENDING_SECONDS))
            await asyncio.sleep(1)

    async def send(self, frames: Sequence[bytes]) -> None:
        """Write requests; a child that is gone is noticed where its answers are read."""
        with suppress(ConnectionError):
            for frame in frames:
                self._requests.write(frame)
                await self._requests.drain()

    async def answers(self, count: int) -> AsyncIterator[Message]:
        """As many answers as come; fewer where the child ends, falls silent or talks nonsense."""
        for _ in range(count):
            answer = await self._read(self._seconds + _GRACE_SECONDS)
            if answer is None:
                return
            yield answer

    async def end(self, grace_seconds: float = 0.0) -> int:
        """End the process and say how it ended, as return codes do; a silent one counts as timed out.

        `grace_seconds` is for one that is ending by itself, so that its own status is seen.
        """
        if grace_seconds and not self._was_slow:
            with suppress(TimeoutError):
                async with asyncio.timeout(grace_seconds):
                    await self._process.wait()
        with suppress(ProcessLookupError):
            self._process.kill()
        status = await self._process.wait()
        self._requests.close()
        return -signal.SIGALRM if self._was_slow else status

    async def _read(self, seconds: float) -> Message | None:
        try:
            async with asyncio.timeout(seconds):
                (length,) = LENGTH.unpack(await self._answers.readexactly(LENGTH.size))
                if length > MAX_MESSAGE_BYTES:
                    return None
                message: Any = json.loads(await self._answers.readexactly(length))
        except TimeoutError:
            self._was_slow = True
            return None
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            return None
        return message if isinstance(message, dict) else None


async def _spawn(seconds: float, memory_bytes: int) -> asyncio.subprocess.Process:
    # A session of its own keeps Ctrl-C for the server, which closes the pipe when it goes.
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-B",
        "-m",
        "evaluation.scoring_child",
        str(seconds),
        str(memory_bytes),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=_environment(),
        start_new_session=True,
    )


def _environment() -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join([_ROOMS, *(entry for entry in sys.path if entry)]),
        "PYTHONSAFEPATH": "1",
        "PYTHONUTF8": "1",
        # A thread for every processor would take gigabytes of address space for nothing.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
