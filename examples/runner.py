"""A complete outside runner in plain httpx: it leases trials, holds them while it works, and reports them.

    python examples/runner.py http://127.0.0.1:8000/graphql robot

Replace `solve` by whatever executes your tasks.
"""

import asyncio
import sys
from typing import Any

import httpx

LEASE = """mutation($runner: String!, $count: Int!) {
  leaseTrials(input: {runner: $runner, count: $count, seconds: 30}) {
    leases { token prompt trial { id taskName repeat } } errors { message }
  }
}"""
EXTEND = "mutation($tokens: [String!]!) { extendLeases(input: {tokens: $tokens, seconds: 30}) { lost } }"
REPORT = """mutation($input: ReportTrialInput!) {
  reportTrial(input: $input) { trial { status reward } errors { code message } }
}"""
AT_ONCE = 8


async def solve(lease: dict[str, Any]) -> dict[str, Any]:
    """What the agent makes of a trial: at least one of output, response, reward and error."""
    return {"output": f"I was asked: {lease['prompt']}", "reward": 1.0}


async def ask(http: httpx.AsyncClient, query: str, **variables: Any) -> Any:
    """The one field of an operation's data; a server that is away for a while is asked again."""
    for pause in (0.5, 1, 2, 4, 8, None):
        try:
            answer = (await http.post("/graphql", json={"query": query, "variables": variables})).json()
            break
        except (httpx.TransportError, ValueError):
            if pause is None:
                raise
            await asyncio.sleep(pause)
    if answer.get("errors"):
        raise SystemExit(answer["errors"][0]["message"])
    return next(iter(answer["data"].values()))


async def work(http: httpx.AsyncClient, lease: dict[str, Any]) -> None:
    """Execute one trial; stop as soon as its lease is lost, since nobody would take the report."""
    task = asyncio.create_task(solve(lease))
    while not (await asyncio.wait({task}, timeout=10))[0]:
        if (await ask(http, EXTEND, tokens=[lease["token"]]))["lost"]:
            task.cancel()
            return
    error = task.exception()
    result = {"error": {"type": type(error).__name__, "message": str(error)}} if error else task.result()
    payload = await ask(http, REPORT, input={"lease": lease["token"], **result})
    print(lease["trial"]["taskName"], payload["trial"] or payload["errors"][0]["message"])


async def main(url: str, runner: str) -> None:
    """Lease and work until interrupted."""
    async with httpx.AsyncClient(base_url=url.removesuffix("/graphql"), timeout=30) as http:
        running: set[asyncio.Task[None]] = set()
        while True:
            leased: Any = {"leases": []}
            if len(running) < AT_ONCE:
                leased = await ask(http, LEASE, runner=runner, count=AT_ONCE - len(running))
            running |= {asyncio.create_task(work(http, lease)) for lease in leased["leases"]}
            if running:
                _, running = await asyncio.wait(running, timeout=1, return_when=asyncio.FIRST_COMPLETED)
            else:
                await asyncio.sleep(1)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
