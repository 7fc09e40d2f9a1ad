"""A busy run with tokens and secrets, and then a search for them in everything that it left behind."""

import asyncio
import contextlib
import hashlib
import json
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import httpx
import pytest
import structlog
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from websockets.exceptions import ConnectionClosed

from evaluation.addresses import AddressRules
from evaluation.outgoing import Outgoing
from evaluation.secrets import Secrets
from evaluation.worker import Worker
from schema.build import build_schema
from server.app import create_app
from server.logging import configure
from server.settings import Settings, load_settings
from server.tracing import OpenTelemetryTracer
from storage.driver import Database, connect
from storage.services import Services, open_services
from tests.conditions import eventually
from tests.graphql_client import GraphQLClient, serving, socket_to
from tests.scripted_server import scripted
from tests.test_logging import Terminal

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

ADMIN_TOKEN: Final = "admin-correct-horse-battery-staple"
WORKER_SECRET: Final = "sk-worker-0123456789abcdef"
GUESSED: Final = "pinset_" + "Q" * 43

_CREATE = """
mutation($name: String!) {
  createToken(input: {name: $name, grants: [{workspace: "default", scopes: [WRITE, RUN]}]}) {
    secret token { id } errors { message }
  }
}
"""
_SUBMIT = """
mutation($url: String!) {
  submitJob(input: {
    dataset: {rows: [{q: "1"}, {q: "2"}], metrics: ["m"], promptTemplate: "{{ item.q }}"}
    target: {model: {model: {url: $url, name: "m", apiKeySecret: "KEY"}}}
    maxAttempts: 1
  }) { job { id target { config } } errors { message } }
}
"""
_JOB = """
query($id: ID!) { job(id: $id) { status target { config } trials { nodes { output response error { message } } } } }
"""
_METRIC = 'mutation { createMetric(input: {name: "m", metric: {exactMatch: {reference: "x"}}}) { errors { message } } }'


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Everything that is logged, down to level debug."""
    before, handlers, level = structlog.get_config(), logging.getLogger().handlers, logging.getLogger().level
    stream = Terminal(is_terminal=False)
    monkeypatch.setattr(sys, "stderr", stream)
    configure("json", "debug")
    structlog.configure(cache_logger_on_first_use=False)
    yield stream
    structlog.configure(**before)
    logging.getLogger().handlers = handlers
    logging.getLogger().setLevel(level)


class Run:
    """A server whose answers, spans, log and database are kept for the search."""

    def __init__(self, services: Services, exporter: InMemorySpanExporter, address: str) -> None:
        self.services = services
        self.exporter = exporter
        self.address = address
        self.answers: list[str] = []

    async def post(self, token: str | None, query: str, accept: str = "application/json", **variables: Any) -> Any:
        """Send an operation over HTTP; the answer is kept."""
        headers = {"accept": accept} if token is None else {"accept": accept, "authorization": f"Bearer {token}"}
        async with httpx.AsyncClient() as http:
            answer = await http.post(
                f"http://{self.address}/graphql", json={"query": query, "variables": variables}, headers=headers
            )
        self.answers.append(answer.text + str(answer.headers))
        return answer.json() if accept == "application/json" else None

    async def left_behind(self, log: Terminal) -> dict[str, str]:
        """Everything that somebody could read afterwards, by where it lies."""
        async with httpx.AsyncClient(headers={"authorization": f"Bearer {ADMIN_TOKEN}"}) as http:
            numbers = (await http.get(f"http://{self.address}/metrics")).text
        database = self.services.database
        stored = {name: await database[name].find().to_list(None) for name in await database.list_collection_names()}
        log.seek(0)
        return {
            "log": log.read(),
            "metrics": numbers,
            "spans": str([span.to_json() for span in self.exporter.get_finished_spans()]),
            "database": repr(stored),
            "answers": "\n".join(self.answers),
        }


@pytest.fixture
async def busy(database: Database, mongodb_url: str, log: Terminal) -> AsyncIterator[Run]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = OpenTelemetryTracer(provider)
    client = connect(mongodb_url, observer=tracer)
    services = await open_services(client, database.name)
    settings = Settings(auth="tokens", admin_token=ADMIN_TOKEN)
    app = create_app(settings, services, build_schema(), tracer=tracer)
    async with serving(app.asgi) as address:
        yield Run(services, exporter, address)
    await services.close()
    client.close()
    tracer.close()


async def created(run: Run) -> tuple[str, str]:
    """A token's secret and id, from the one answer that may show it."""
    answer = (await run.post(ADMIN_TOKEN, _CREATE, name="ci"))["data"]["createToken"]
    run.answers.pop()
    return answer["secret"], answer["token"]["id"]


async def work(run: Run, token: str) -> None:
    """Operations of all kinds, right and wrong, by every transport."""
    await run.post(token, _METRIC)
    await run.post(token, "{ viewer { name grants { workspace scopes } } tasks { nodes { name } } }")
    await run.post(token, "{ nope }")
    await run.post(token, 'mutation { createWorkspace(input: {name: "x"}) { errors { message } } }')
    await run.post(token, "query($n: String!) { task(name: $n) { id } }", n="x")
    await run.post(GUESSED, "{ __typename }")
    await run.post(None, "{ __typename }")
    await run.post(ADMIN_TOKEN, "{ tokens { nodes { id name lastUsedAt } } auditLog { nodes { ref actor } } }")
    await run.post(token, "{ __typename }", accept="text/event-stream")
    blob = b"some bytes"
    digest = hashlib.sha256(blob).hexdigest()
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {token}"}) as http:
        url = f"http://{run.address}/blobs/{digest}"
        for headers in ({"content-type": "application/octet-stream"}, {"content-type": "text/plain"}):
            run.answers.append((await http.put(url, content=blob, headers=headers)).text)
        run.answers.append((await http.get(url)).text)
    async with socket_to(run.address) as socket:
        await socket.start({"authorization": f"Bearer {token}"})
        await socket.subscribe("1", "{ viewer { name } }")
        run.answers.append(json.dumps([await socket.receive(), await socket.receive()]))
    with contextlib.suppress(ConnectionClosed):
        async with socket_to(run.address) as socket:
            await socket.start({"authorization": f"Bearer {GUESSED}"})


async def evaluate(run: Run, token: str) -> None:
    """A job whose target repeats the secret that it was called with, once in a refusal and once in an answer."""
    echo = {"choices": [{"message": {"role": "assistant", "content": WORKER_SECRET}}]}
    async with scripted((401, {"error": f"bad key {WORKER_SECRET}"}), echo) as target:
        environment = {"PINSET_SECRET_KEY": WORKER_SECRET, "PINSET_SECRET_KEY_ORIGINS": target.url}
        async with Outgoing(AddressRules(is_local=True), Secrets(environment), 0.001) as outgoing:
            worker = asyncio.create_task(Worker(run.services, outgoing, "worker").run())
            submitted = (await run.post(token, _SUBMIT, url=target.url))["data"]["submitJob"]
            assert submitted["errors"] == []
            identity = submitted["job"]["id"]

            async def is_over() -> bool:
                return bool((await run.post(token, _JOB, id=identity))["data"]["job"]["status"] == "COMPLETED")

            await eventually(is_over, seconds=30)
            worker.cancel()
            await asyncio.wait({worker})
        assert {seen[1]["authorization"] for seen in target.seen} == {f"Bearer {WORKER_SECRET}"}


async def test_no_token_and_no_secret_is_left_behind(busy: Run, log: Terminal) -> None:
    token, identity = await created(busy)
    await work(busy, token)
    await evaluate(busy, token)
    revoke = "mutation($id: ID!) { revokeToken(input: {id: $id}) { errors { message } } }"
    await busy.post(ADMIN_TOKEN, revoke, id=identity)
    await busy.post(token, "{ __typename }")
    found = await busy.left_behind(log)
    assert all(len(text) > 500 for text in found.values())
    for secret in (ADMIN_TOKEN, token, token.removeprefix("pinset_"), GUESSED, WORKER_SECRET):
        assert [place for place, text in found.items() if secret in text] == []


def test_settings_do_not_show_their_secrets() -> None:
    settings = load_settings(admin_token=ADMIN_TOKEN, mongodb_url="mongodb://user:hunter2hunter2@db/")
    for text in (repr(settings), str(settings), settings.model_dump_json()):
        assert ADMIN_TOKEN not in text
        assert "hunter2" not in text


async def test_a_masked_error_shows_nothing_and_its_id_is_in_the_log(
    services: Services, log: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any) -> None:
        raise RuntimeError(f"cannot reach mongodb://user:{WORKER_SECRET}@db/")

    monkeypatch.setattr("resolvers.revisions.head", broken)
    monkeypatch.setattr("schema.task_queries.shared.head", broken, raising=False)
    app = create_app(Settings(), services, build_schema())
    client = GraphQLClient.over(app.asgi)
    answer = await client.execute('{ task(name: "x") { id } }')
    await client.http.aclose()
    assert answer.codes == ["INTERNAL_SERVER_ERROR"]
    assert WORKER_SECRET not in answer.response.text
    assert "mongodb" not in answer.response.text
