"""Numbers for Prometheus, and OpenTelemetry spans where they are configured.

`prometheus-client` writes the exposition format.
"""

import contextlib
import importlib
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Final, Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from domain.errors import StartupFailure
from schema.execution.documents import Operation, OperationKind
from storage.commands import CommandObserver

BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Transport(StrEnum):
    """How an operation came in."""

    HTTP = "http"
    SSE = "sse"
    WEBSOCKET = "websocket"


class Tracer(CommandObserver, Protocol):
    """Opens spans around operations and the commands that they send to MongoDB."""

    def span(self, operation: Operation, trace: Mapping[str, str]) -> contextlib.AbstractContextManager[object]:
        """A context manager whose body is the operation; `trace` are the headers that name the caller's span."""

    def close(self) -> None:
        """Send what is left; may take seconds."""


def start_tracing(endpoint: str | None) -> Tracer | None:
    """The tracer for a collector's URL, None without one. Raises StartupFailure where the extra is not installed."""
    if endpoint is None:
        return None
    try:
        tracing = importlib.import_module("server.tracing")
    except ImportError as error:
        raise StartupFailure(
            "PINSET_OTEL_ENDPOINT needs the extra `otel`: pip install 'pinset-server[otel]'."
        ) from error
    tracer: Tracer = tracing.OpenTelemetryTracer(tracing.provider(endpoint))
    return tracer


def trace_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """The headers of a request that name the span it belongs to."""
    return {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}


class Telemetry:
    """The metrics of one application, in a registry of its own so that several can live in one process."""

    def __init__(self, tracer: Tracer | None = None) -> None:
        self.registry = CollectorRegistry()
        self.tracer = tracer
        self.operations = Counter(
            "pinset_graphql_operations",
            "Operations executed.",
            ("kind", "transport", "outcome"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "pinset_graphql_operation_seconds",
            "Time to execute a query or a mutation.",
            ("kind",),
            buckets=BUCKETS,
            registry=self.registry,
        )
        self.errors = Counter(
            "pinset_graphql_errors", "Answers with an error of the code.", ("code",), registry=self.registry
        )
        self.sockets = Gauge("pinset_websockets_open", "WebSocket connections open now.", registry=self.registry)
        # Prometheus looks for the child of its labels under a lock, each time.
        self._counter = cache(self.operations.labels)
        self._histogram = cache(self.seconds.labels)
        self.subscriptions = Gauge(
            "pinset_subscriptions_open", "Subscriptions open now.", ("transport",), registry=self.registry
        )

    def span(self, operation: Operation, trace: Mapping[str, str]) -> contextlib.AbstractContextManager[object]:
        """A span around an operation; nothing where tracing is off."""
        return contextlib.nullcontext() if self.tracer is None else self.tracer.span(operation, trace)

    @contextlib.contextmanager
    def subscription(self, transport: Transport) -> Iterator[None]:
        """Counts a subscription as open while the body runs."""
        gauge = self.subscriptions.labels(transport.value)
        gauge.inc()
        try:
            yield
        finally:
            gauge.dec()

    def operation(self, kind: OperationKind, transport: Transport, codes: Sequence[str], seconds: float) -> None:
        """Count an executed operation with the codes of its errors."""
        self._counter(kind.value, transport.value, "error" if codes else "ok").inc()
        if kind is not OperationKind.SUBSCRIPTION:
            self._histogram(kind.value).observe(seconds)
        for code in codes:
            self.errors.labels(code).inc()

    def exposition(self) -> bytes:
        """All numbers in Prometheus' text format."""
        return generate_latest(self.registry)
