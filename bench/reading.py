"""Reading a taskset of 1,000 members with full specs in one request, as ratios measured in one run.

    python -m bench.reading [MEMBERS] [ROUNDS]

The floor is the driver plus JSON alone: the same documents fetched and encoded, no GraphQL. Everything else is a
multiple of it: the engine in process with an empty cache and with a warm one, and over HTTP on a real socket.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import httpx
import orjson

from domain.content import EvaluatorDraft, MetadataItem, TaskDraft, TasksetDraft
from resolvers.context import Context
from resolvers.tasks import create_task
from resolvers.tasksets import create_taskset
from schema.build import build_schema
from server.app import create_app
from server.logging import configure
from server.settings import Settings
from storage import local
from storage.driver import connect
from storage.services import Services, open_services
from tests.graphql_client import GraphQLClient, serving

QUERY: Final = """
query($first: Int!) { taskset(name: "bench") { latest { members(first: $first) { nodes {
  name digest isOutdated: position
  revision { number digest spec { kind ... on EvaluatorTaskSpec {
    intent prompt inputs { instruction extra } reference views metrics { ref } } } metadata { key value } }
} } } } }
"""


async def store(services: Services, members: int) -> None:
    """The tasks and the taskset that is read."""
    context = Context(services)
    await asyncio.gather(*(create_task(context, "default", f"t{n}", None, draft(n)) for n in range(members)))
    await create_taskset(context, "default", "bench", None, TasksetDraft(None, [f"t{n}" for n in range(members)]))


def draft(number: int) -> TaskDraft:
    """A task of about a kilobyte."""
    extra = {"context": "x" * 400, "number": number}
    return TaskDraft(
        EvaluatorDraft("Answer.", f"Question {number}? " + "y" * 300, extra, {"expected": str(number)}),
        [MetadataItem("suite", "bench"), MetadataItem("n", number)],
    )


async def measure(work: Callable[[], Awaitable[object]], rounds: int) -> float:
    """The median of some rounds, in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        await work()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


async def floor(services: Services, members: int) -> bytes:
    """What no server on this driver can undercut: two finds, and the answer encoded."""
    head = await services.database["tasksets"].find_one({"name": "bench"})
    assert head is not None
    pins = await services.database["taskset_revisions"].find_one({"_id": head["revision"]})
    assert pins is not None
    ids = pins["memberIds"][:members]
    rows = await services.database["task_revisions"].find({"_id": {"$in": ids}}).to_list(None)
    digests = [row["digest"] for row in rows]
    texts = await services.database["contents"].find({"_id": {"$in": digests}}).to_list(None)
    return orjson.dumps([orjson.loads(text["text"]) for text in texts])


async def main(members: int, rounds: int) -> None:
    """Store, measure, print."""
    with tempfile.TemporaryDirectory() as directory:
        mongodb = await local.start(Path(directory))
        client = connect(mongodb.url)
        services = await open_services(client)
        await store(services, members)
        application = create_app(Settings(), services, build_schema())
        graphql = GraphQLClient.over(application.asgi)
        variables = {"first": members}

        async def cold() -> object:
            services.caches.clear()
            return await graphql.execute(QUERY, variables)

        lowest = await measure(lambda: floor(services, members), rounds)
        figures = {
            "driver and JSON alone": lowest,
            "in process, empty cache": await measure(cold, rounds),
            "in process, warm cache": await measure(lambda: graphql.execute(QUERY, variables), rounds),
        }
        async with serving(application.asgi) as address, httpx.AsyncClient(base_url=f"http://{address}") as http:
            body = {"query": QUERY, "variables": variables}
            figures["over HTTP, warm cache"] = await measure(lambda: http.post("/graphql", json=body), rounds)
        for name, milliseconds in figures.items():
            print(f"{name:28} {milliseconds:8.1f} ms   {milliseconds / lowest:5.2f} x")
        await graphql.http.aclose()
        await services.close()
        client.close()
        await mongodb.stop()


if __name__ == "__main__":
    configure("console", "warning")
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000, int(sys.argv[2]) if len(sys.argv) > 2 else 15))
