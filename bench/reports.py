"""How fast trials are reported and scored: `python -m bench.reports [--url URL] [--trials N]`.

Without a URL it starts a MongoDB and two servers of its own. It prints, for one server and for both at once, the single
reports a second of 64 runners and their latencies, alone and with the leases in between; then the rate of a job of
outputs with instant scoring, and how long a query takes meanwhile.
"""

import argparse
import asyncio
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import orjson

RUNNERS: Final = 64
TASKS: Final = 1_000
# Leases that a runner takes at once; all runners together may hold a thousand.
HELD: Final = 10
ENVIRONMENT: Final = {**os.environ, "PINSET_LOG_LEVEL": "warning"}

SUBMIT: Final = "mutation($input: SubmitJobInput!) { submitJob(input: $input) { job { id } errors { message } } }"
LEASE: Final = """mutation($job: ID!, $count: Int!) {
  leaseTrials(input: {job: $job, runner: "bench", count: $count, seconds: 600}) {
    leases { token } errors { message }
  }
}"""
REPORT: Final = """mutation($lease: String!) {
  reportTrial(input: {lease: $lease, output: "done", reward: 1}) { trial { status } errors { message } }
}"""
PROGRESS: Final = "query($id: ID!) { job(id: $id) { status progress { total pending running completed failed } } }"
PAGE: Final = "{ jobs(first: 10) { nodes { name status progress { completed fraction } } totalCount } }"


class Caller:
    """One persistent HTTP connection; the usual clients need more time for a call than the server."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, body: bytes) -> bytes:
        """Send a GraphQL request and read its answer."""
        if self._streams is None:
            host, _, port = self.address.partition(":")
            self._streams = await asyncio.open_connection(host, int(port), limit=2**24)
        reader, writer = self._streams
        head = f"POST /graphql HTTP/1.1\r\nhost: {self.address}\r\ncontent-type: application/json\r\n"
        writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        headers = (await reader.readuntil(b"\r\n\r\n")).lower()
        size = int(headers.partition(b"content-length:")[2].partition(b"\r\n")[0])
        return await reader.readexactly(size)


async def ask(http: Caller, query: str, **variables: Any) -> Any:
    """The one field of an operation's data."""
    answer = orjson.loads(await http.post(orjson.dumps({"query": query, "variables": variables})))
    if answer.get("errors"):
        raise SystemExit(str(answer["errors"]))
    field = next(iter(answer["data"].values()))
    if isinstance(field, dict) and field.get("errors"):
        raise SystemExit(str(field["errors"]))
    return field


async def runner_job(http: Caller, trials: int) -> str:
    """A job of tasks that only runners execute."""
    spec = {"harbor": {"archiveRef": "default/bench#task", "archiveDigest": "0" * 64}}
    tasks = [{"name": f"task-{number}", "task": {"spec": spec}} for number in range(min(trials, TASKS))]
    given = {"tasks": tasks, "target": {"runner": {"name": "bench"}}, "maxConcurrency": 1000}
    return str((await ask(http, SUBMIT, input={**given, "repeats": -(-trials // TASKS)}))["job"]["id"])


class Runners:
    """64 runners of one job, spread over the servers, and the milliseconds that each of their reports took."""

    def __init__(self, servers: Sequence[str], job: str) -> None:
        self.job = job
        self.callers = [Caller(servers[number % len(servers)]) for number in range(RUNNERS)]
        self.taken: list[float] = []

    async def lease(self, http: Caller) -> list[str]:
        """The tokens of the next trials; none at the end."""
        return [lease["token"] for lease in (await ask(http, LEASE, job=self.job, count=HELD))["leases"]]

    async def report(self, http: Caller, tokens: Sequence[str]) -> None:
        """One trial a call."""
        for token in tokens:
            began = time.perf_counter()
            await ask(http, REPORT, lease=token)
            self.taken.append((time.perf_counter() - began) * 1000)

    async def report_alone(self) -> float:
        """Report all trials, taken in rounds; the seconds of reporting."""
        seconds = 0.0
        while any(held := await asyncio.gather(*map(self.lease, self.callers))):
            began = time.perf_counter()
            await asyncio.gather(*map(self.report, self.callers, held))
            seconds += time.perf_counter() - began
        return seconds

    async def report_and_lease(self) -> float:
        """Report all trials, each runner taking more as it needs them; the seconds."""

        async def work(http: Caller) -> None:
            while held := await self.lease(http):
                await self.report(http, held)

        began = time.perf_counter()
        await asyncio.gather(*map(work, self.callers))
        return time.perf_counter() - began


async def measure_reports(servers: Sequence[str], trials: int) -> None:
    """Print the rate and the latencies of reports, alone and with the leases in between."""
    for name, measured in (("alone", Runners.report_alone), ("and their leases", Runners.report_and_lease)):
        runners = Runners(servers, await runner_job(Caller(servers[0]), trials))
        seconds = await measured(runners)
        taken = sorted(runners.taken)
        print(
            f"{len(servers)} server(s), {RUNNERS} runners, {len(taken):,} single reports {name}: "
            f"{len(taken) / seconds:,.0f}/s, p50 {taken[len(taken) // 2]:.0f} ms, "
            f"p99 {taken[int(len(taken) * 0.99)]:.0f} ms"
        )


async def measure_outputs(http: Caller, trials: int) -> None:
    """Print how fast a worker scores outputs, and how long a page of jobs takes meanwhile."""
    rows = [{"expected": f"value {number}", "output": f"value {number}"} for number in range(trials)]
    metric = {"name": "bench-same", "metric": {"exactMatch": {"reference": "{{ item.expected }}"}}}
    create = "mutation($input: CreateMetricInput!) { createMetric(input: $input) { metric { id } } }"
    await ask(http, create, input=metric)
    given = {"dataset": {"rows": rows, "metrics": ["bench-same"]}, "maxConcurrency": 1000}
    began = time.perf_counter()
    job = (await ask(http, SUBMIT, input=given))["job"]["id"]
    submitted = time.perf_counter()
    waits: list[float] = []
    while (await ask(http, PROGRESS, id=job))["status"] not in ("COMPLETED", "ERROR", "CANCELLED"):
        asked = time.perf_counter()
        await ask(http, PAGE)
        waits.append((time.perf_counter() - asked) * 1000)
        await asyncio.sleep(0.1)
    seconds = time.perf_counter() - submitted
    waits.sort()
    print(
        f"job of {trials:,} outputs: submitted in {submitted - began:.1f} s, {trials / seconds:,.0f} trials/s; a page "
        f"of jobs meanwhile: p50 {statistics.median(waits):.0f} ms, p99 {waits[int(len(waits) * 0.99)]:.0f} ms"
    )


@contextlib.asynccontextmanager
async def two_servers() -> AsyncIterator[list[str]]:
    """Two servers on one private MongoDB, a worker beside the first."""
    with tempfile.TemporaryDirectory(prefix="pinset-bench-") as directory:
        first = _serve(directory, {})
        try:
            urls = [await _url(first)]
            lock = await asyncio.to_thread(_mongodb, directory)
            second = _serve(directory, {"PINSET_MONGODB_URL": lock, "PINSET_WORKER": "false"})
            try:
                yield [*urls, await _url(second)]
            finally:
                second.terminate()
                await asyncio.to_thread(second.wait)
        finally:
            first.terminate()
            await asyncio.to_thread(first.wait)


def _serve(directory: str, settings: dict[str, str]) -> "subprocess.Popen[bytes]":
    program = "import typer; from server.commands.serve import serve; typer.run(serve)"
    arguments = ["--port", "0", "--data-dir", directory]
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments], env={**ENVIRONMENT, **settings}, stdout=subprocess.PIPE
    )


async def _url(server: "subprocess.Popen[bytes]") -> str:
    assert server.stdout is not None
    while line := (await asyncio.to_thread(server.stdout.readline)).decode():
        if "http://" in line:
            return "http://" + line.partition("http://")[2].partition("/")[0]
    raise SystemExit("The server did not start.")


def _mongodb(directory: str) -> str:
    from pathlib import Path  # noqa: PLC0415

    from storage import local  # noqa: PLC0415

    return local.attach(Path(directory))


async def measure(urls: Sequence[str], trials: int, outputs: int) -> None:
    """Measure one server, then all of them."""
    servers = [url.removeprefix("http://").removesuffix("/graphql") for url in urls]
    await measure_reports(servers[:1], trials)
    if len(servers) > 1:
        await measure_reports(servers, trials)
    await measure_outputs(Caller(servers[0]), outputs)


async def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", action="append", help="a running server; repeat it for several on one database")
    parser.add_argument("--trials", type=int, default=5_000, help="trials to report (default 5000)")
    parser.add_argument("--outputs", type=int, default=20_000, help="outputs to score (default 20000)")
    arguments = parser.parse_args()
    if arguments.url:
        await measure(arguments.url, arguments.trials, arguments.outputs)
        return
    async with two_servers() as urls:
        await measure(urls, arguments.trials, arguments.outputs)


if __name__ == "__main__":
    asyncio.run(main())
