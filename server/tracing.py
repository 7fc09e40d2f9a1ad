"""OpenTelemetry spans for operations and for the commands that they send to MongoDB.

`opentelemetry-sdk` and its OTLP exporter (extra `otel`) are what collectors speak; they are loaded only where
PINSET_OTEL_ENDPOINT is set. Names follow the semantic conventions: an operation's span is named by its kind alone.
"""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from typing import Final

from opentelemetry import context as current
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.propagate import extract
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from schema.execution.documents import Operation
from schema.execution.outline import Outlines

MAX_DOCUMENT: Final = 10_000
MAX_OPEN: Final = 10_000


def provider(endpoint: str) -> TracerProvider:
    """Sends spans in batches to a collector; `endpoint` is its base URL (OTLP over HTTP)."""
    tracing = TracerProvider(resource=Resource.create({"service.name": "pinset"}))
    tracing.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces")))
    return tracing


class OpenTelemetryTracer:
    """Spans of one process."""

    def __init__(self, tracing: TracerProvider) -> None:
        self._provider = tracing
        self._tracer = tracing.get_tracer("pinset")
        self._outlines = Outlines()
        self._open: dict[int, Span] = {}
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def span(self, operation: Operation, headers: Mapping[str, str]) -> Iterator[None]:
        """A span around an operation, the child of the caller's where it sent `traceparent`."""
        attributes = {
            "graphql.operation.type": operation.kind.value,
            "graphql.document": self._outlines.of(operation.document)[:MAX_DOCUMENT],
        }
        if operation.name is not None:
            attributes["graphql.operation.name"] = operation.name
        with self._tracer.start_as_current_span(
            operation.kind.value, extract(headers), SpanKind.SERVER, attributes, record_exception=False
        ):
            yield

    def started(self, key: int, command: str, collection: str | None, database: str) -> None:
        """Begin the span of a MongoDB command within the operation that sends it."""
        attributes = {"db.system.name": "mongodb", "db.operation.name": command, "db.namespace": database}
        if collection is not None:
            attributes["db.collection.name"] = collection
        name = f"{command} {collection}" if collection else command
        span = self._tracer.start_span(name, current.get_current(), SpanKind.CLIENT, attributes)
        with self._lock:
            if len(self._open) < MAX_OPEN:
                self._open[key] = span

    def ended(self, key: int, failure: str | None) -> None:
        """End the span of a command."""
        with self._lock:
            span = self._open.pop(key, None)
        if span is not None:
            if failure is not None:
                span.set_attribute("error.type", failure)
                span.set_status(Status(StatusCode.ERROR, failure))
            span.end()

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()
