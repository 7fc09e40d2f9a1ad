"""GraphiQL in a real browser that reaches nothing but this server; it runs where Chromium is there."""

import asyncio
import contextlib
import itertools
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from tests.transport_fixtures import running

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]

WRITE = "document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.setValue('subscription { ticks }')"
RUN = "document.querySelector('.graphiql-execute-button').click()"
ANSWERED = "document.querySelector('.graphiql-response').innerText.includes('\"ticks\": 3')"


class Page:
    """A page of a browser, spoken to by the DevTools protocol."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.ids = itertools.count(1)
        self.problems: list[str] = []

    async def call(self, method: str, **parameters: object) -> Any:
        """Send a command and wait for its result; what the page complains of meanwhile is kept."""
        identity = next(self.ids)
        await self.socket.send(json.dumps({"id": identity, "method": method, "params": parameters}))
        while True:
            message = json.loads(await asyncio.wait_for(self.socket.recv(), 60))
            if message.get("id") == identity:
                return message["result"]
            if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.problems.append(json.dumps(message["params"]))

    async def value(self, expression: str) -> Any:
        """The value of an expression in the page, awaited where it is a promise."""
        answer = await self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        return answer["result"].get("value")

    async def until(self, expression: str) -> None:
        """Wait for an expression to become true."""
        async with asyncio.timeout(60):
            while not await self.value(expression):  # noqa: ASYNC110
                await asyncio.sleep(0.1)


@contextlib.asynccontextmanager
async def browser(profile: Path) -> AsyncIterator[Page]:
    """A headless browser that resolves no name and so reaches this machine alone."""
    process = await asyncio.create_subprocess_exec(
        str(CHROMIUM),
        *("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--remote-allow-origins=*"),
        *(f"--user-data-dir={profile}", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "about:blank"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        line = b""
        while b"DevTools listening on" not in line:
            line = await asyncio.wait_for(process.stderr.readline(), 60)
        port = line.decode().split(":")[2].split("/")[0]
        async with httpx.AsyncClient() as http:
            pages = (await http.get(f"http://127.0.0.1:{port}/json/list")).json()
        target = next(page for page in pages if page["type"] == "page")
        async with connect(target["webSocketDebuggerUrl"], max_size=None) as socket:
            yield Page(socket)
    finally:
        process.kill()
        await process.communicate()


async def test_it_loads_reads_the_schema_and_subscribes(tmp_path: Path) -> None:
    async with running() as server, browser(tmp_path) as page:
        await page.call("Runtime.enable")
        await page.call("Log.enable")
        await page.call("Page.enable")
        await page.call("Page.navigate", url=f"http://{server.address}/graphql")
        await page.until("document.querySelector('.graphiql-container .CodeMirror') !== null")
        assert await page.value("document.title") == "Pinset · GraphiQL"
        await page.value("document.querySelector('.graphiql-sidebar button').click()")
        await page.until("document.body.innerText.includes('subscription: Subscription')")
        await page.value(WRITE)
        # The tab takes the operation's name once the editor's text has been read.
        await page.until("!document.querySelector('.graphiql-tab').innerText.includes('Tasksets')")
        await page.value(RUN)
        await page.until(ANSWERED)
        assert page.problems == []
