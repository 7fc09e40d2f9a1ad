"""Turning a mongod that has just started into a replica set of one that can be written to."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from domain.errors import StartupFailure
from storage.driver import Client, Document, OperationFailure, connect
from storage.launch import SET_NAME

_NOT_YET_INITIALIZED: Final = 94
_POLL_SECONDS: Final = 0.01


async def make_primary(url: str, host: str, *, deadline: float, still_runs: Callable[[], None]) -> None:
    """Initiate the set whose one member is `host` (the socket's path), or correct the host of a stored one.

    `deadline` is a reading of the monotonic clock; `still_runs` raises when mongod has ended. The connection
    is this function's own: what connects before the initiation has no sessions.
    """
    client = connect(url)
    try:
        stored = await _stored_configuration(client)
        if stored is None:
            await client.admin.command("replSetInitiate", _configuration(host, version=1))
        elif stored["members"][0]["host"] != host or len(stored["members"]) > 1:
            # A moved or copied data directory has another socket, and would wait for its old self for ever.
            changed = {**stored, **_configuration(host, version=stored["version"] + 1)}
            await client.admin.command("replSetReconfig", changed, force=True)
        while not (await client.admin.command("hello"))["isWritablePrimary"]:
            still_runs()
            if time.monotonic() > deadline:
                raise StartupFailure("The local MongoDB started but did not become writable in time.")
            await asyncio.sleep(_POLL_SECONDS)
    finally:
        client.close()


async def _stored_configuration(client: Client) -> Document | None:
    try:
        answer: Document = await client.admin.command("replSetGetConfig")
    except OperationFailure as error:
        if error.code == _NOT_YET_INITIALIZED:
            return None
        raise
    config: Document = answer["config"]
    return config


def _configuration(host: str, *, version: int) -> dict[str, object]:
    return {"_id": SET_NAME, "version": version, "members": [{"_id": 0, "host": host}]}
