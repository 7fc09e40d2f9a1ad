"""A server that answers what a test tells it, and a client that may call it."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, cast

from evaluation.addresses import AddressRules
from evaluation.outgoing import Outgoing
from evaluation.secrets import Secrets

LOCAL: Final = AddressRules(is_local=True)


@dataclass
class Scripted:
    """A server that answers with what it was told, in order, the last for ever; None hangs up, 'hang' is silent."""

    port: int
    answers: list[Any]
    seen: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode().split("\r\n")
                headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:] if line)}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                self.seen.append((lines[0].split()[1], headers, json.loads(body)))
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if answer is None:
                    return
                if answer == "hang":
                    await asyncio.sleep(60)
                writer.write(raw(answer))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def raw(answer: Any) -> bytes:
    """A response: a body, or (status, body), or (status, body, headers)."""
    status, body, headers = (*answer, {})[:3] if isinstance(answer, tuple) else (200, answer, {})
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    extra = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} X\r\nContent-Length: {len(content)}\r\n{extra}\r\n".encode() + content


@asynccontextmanager
async def scripted(*answers: Any) -> AsyncIterator[Scripted]:
    script = Scripted(0, list(answers))
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(cast("asyncio.Task[None]", asyncio.current_task()))
        with suppress(asyncio.CancelledError):
            await script.serve(reader, writer)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    script.port = server.sockets[0].getsockname()[1]
    try:
        yield script
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def outgoing(
    rules: AddressRules = LOCAL, environment: Mapping[str, str] = MappingProxyType({})
) -> AsyncIterator[Outgoing]:
    async with Outgoing(rules, Secrets(environment), first_pause_seconds=0.001) as client:
        yield client
