"""The worker that `pinset serve` runs beside itself: started, started again when it dies, and ended with the server."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

import structlog

from server.settings import PREFIX, Settings

log = structlog.get_logger("pinset.children")

_GRACE_SECONDS: Final = 15.0
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 30.0
_ROOT: Final = Path(__file__).resolve().parent.parent


@contextlib.asynccontextmanager
async def worker_beside(settings: Settings, mongodb_url: str, ready: asyncio.Event) -> AsyncIterator[None]:
    """A worker on the same database while the body runs; none where the settings say so.

    It starts once the server is `ready`: until then the processor has better things to do.
    """
    if not settings.worker:
        yield
        return
    keeper = asyncio.create_task(_keep(_environment(settings, mongodb_url), ready))
    try:
        yield
    finally:
        keeper.cancel()
        await asyncio.gather(keeper, return_exceptions=True)


def _environment(settings: Settings, mongodb_url: str) -> Mapping[str, str]:
    """What the server was started with, so that options of its command line reach the worker too."""
    given = {
        "MONGODB_URL": mongodb_url,
        "DATABASE": settings.database,
        "HOST": settings.host,
        "ALLOWED_TARGETS": ",".join(settings.allowed_targets),
        "LOG_LEVEL": settings.log_level,
        "LOG_FORMAT": settings.log_format,
    }
    # The worker finds its modules where the server found them, also in a checkout that is not installed.
    path = os.pathsep.join(filter(None, (str(_ROOT), *sys.path)))
    return {**os.environ, **{PREFIX + name: value for name, value in given.items()}, "PYTHONPATH": path}


async def _keep(environment: Mapping[str, str], ready: asyncio.Event) -> None:
    await ready.wait()
    pause, loop = _FIRST_PAUSE, asyncio.get_running_loop()
    while True:
        started = loop.time()
        status = await _run_once(environment)
        pause = _FIRST_PAUSE if loop.time() - started > _LONGEST_PAUSE else min(pause * 2, _LONGEST_PAUSE)
        log.warning("the worker ended and is started again", status=status, pause_seconds=pause)
        await asyncio.sleep(pause)


async def _run_once(environment: Mapping[str, str]) -> int:
    # In a session of its own, so that Ctrl-C reaches the server alone, which then ends the worker in order.
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "server.working",
        env=dict(environment),
        stdin=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        return await process.wait()
    except asyncio.CancelledError:
        await asyncio.shield(_end(process))
        raise


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close its input and wait; kill it where it does not end by itself."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(_GRACE_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
