"""Spans: named by the kind of operation, below the caller's, without literals, above MongoDB's commands."""

import importlib
from collections.abc import Iterator
from typing import Any, cast

import pytest
from graphql import parse
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from domain.errors import StartupFailure
from schema.build import build_schema
from schema.execution.outline import Outlines
from server.app import assemble, create_app
from server.settings import Settings
from server.telemetry import Telemetry, start_tracing
from server.tracing import OpenTelemetryTracer
from storage.driver import Database, OperationFailure, connect
from storage.services import open_services
from tests.graphql_client import GraphQLClient
from tests.small_schema import probe, schema
from tests.transport_fixtures import ready

pytestmark = pytest.mark.anyio

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Traces:
    """What was recorded."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = OpenTelemetryTracer(provider)

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()


@pytest.fixture
def traces() -> Iterator[Traces]:
    found = Traces()
    yield found
    found.tracer.close()


def small_client(traces: Traces) -> GraphQLClient:
    app = assemble(Settings(), schema, cast("Any", probe.make_context), ready, telemetry=Telemetry(traces.tracer))
    return GraphQLClient.over(app.asgi)


async def test_an_operation_is_a_server_span_of_its_kind(traces: Traces) -> None:
    document = (
        'query Greet($to: Int!) { hello(name: "my secret") count(to: $to) item { ...I } } fragment I on Item { name }'
    )
    http = small_client(traces).http
    await http.post("/graphql", json={"query": document, "variables": {"to": 7}}, headers={"traceparent": PARENT})
    (span,) = traces.spans
    assert span.name == "query"
    assert span.kind is SpanKind.SERVER
    assert span.parent is not None
    assert f"{span.parent.span_id:016x}" == "b7ad6b7169203331"
    attributes = dict(span.attributes or {})
    text = str(attributes.pop("graphql.document"))
    assert attributes == {"graphql.operation.type": "query", "graphql.operation.name": "Greet"}
    assert 'hello(name: "")' in text
    assert "secret" not in str(span.to_json())


@pytest.mark.parametrize(
    ("document", "outline"),
    [
        (
            '{ a(x: "s", y: 12, z: 1.5, e: ENUM, n: null, b: true) }',
            '{ a(x: "", y: 0, z: 0, e: ENUM, n: null, b: true) }',
        ),
        ('{ a(x: ["s", 1], y: {k: "s"}) }', "{ a(x: [], y: { }) }"),
        (
            'query ($v: String = "s") { a(x: $v) @include(if: true) }',
            'query ($v: String = "") { a(x: $v) @include(if: true) }',
        ),
        ('{ a(x: """block""") }', '{ a(x: "") }'),
    ],
)
def test_outlines(document: str, outline: str) -> None:
    outlines, parsed = Outlines(), parse(document)
    assert " ".join(outlines.of(parsed).split()) == outline
    assert outlines.of(parsed) is outlines.of(parsed)


async def test_commands_are_client_spans_below_the_operation(
    traces: Traces, database: Database, mongodb_url: str
) -> None:
    client = connect(mongodb_url, observer=traces.tracer)
    services = await open_services(client, database.name)
    traces.exporter.clear()
    app = create_app(Settings(), services, build_schema(), tracer=traces.tracer)
    assert await GraphQLClient.over(app.asgi).data('{ task(name: "secret-name") { id } }') == {"task": None}
    operation = next(span for span in traces.spans if span.name == "query")
    commands = [span for span in traces.spans if span.parent and span.parent.span_id == operation.context.span_id]
    await services.close()
    with pytest.raises(OperationFailure):
        await client[database.name].command("noSuchCommand")
    client.close()
    assert "find tasks" in [span.name for span in commands]
    attributes = dict(next(span for span in commands if span.name == "find tasks").attributes or {})
    assert attributes == {
        "db.system.name": "mongodb",
        "db.operation.name": "find",
        "db.namespace": database.name,
        "db.collection.name": "tasks",
    }
    failed = next(span for span in traces.spans if span.name == "noSuchCommand")
    assert failed.status.status_code is StatusCode.ERROR
    assert dict(failed.attributes or {})["error.type"] == "CommandNotFound"
    assert "secret-name" not in str([span.to_json() for span in traces.spans])


def test_tracing_is_off_unless_configured() -> None:
    assert start_tracing(None) is None


def test_without_the_extra_the_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise ImportError("no module named opentelemetry")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(StartupFailure, match="otel"):
        start_tracing("http://localhost:4318")
