# Written by client/generate.py; change pinset/asynchronous/metrics.py instead.
"""Metrics: immutable scorers, one definition a name."""

from collections.abc import Iterator, Mapping
from typing import Any

from pinset.errors import not_found, raise_for
from pinset.generated.input_types import CreateMetricInput, DeleteMetricInput, MetricFilter
from pinset.generated.list_metrics import ListMetricsMetrics
from pinset.inputs import UNSET, Nullable, present
from pinset.models import Metric
from pinset.synchronous.operations import GeneratedClient
from pinset.synchronous.pages import every


class Metrics:
    """The stored scorers of a workspace."""

    def __init__(self, api: GeneratedClient, workspace: str) -> None:
        self._api = api
        self._workspace = workspace

    def create(
        self,
        name: str,
        metric: Mapping[str, Any],
        *,
        description: str | None = None,
        labels: Mapping[str, Any] | None = None,
        project: Nullable = UNSET,
        workspace: str | None = None,
    ) -> Metric:
        """Store a definition, such as `{"exactMatch": {"reference": "{{item.expected}}"}}`. Raises AlreadyExists."""
        given = present(
            workspace=workspace or self._workspace,
            name=name,
            project=project,
            description=UNSET if description is None else description,
            labels=UNSET if labels is None else dict(labels),
            metric=dict(metric),
        )
        payload = (self._api.create_metric(CreateMetricInput.model_validate(given))).create_metric
        raise_for(payload.errors)
        assert payload.metric is not None
        return payload.metric

    def retrieve(self, name: str, *, workspace: str | None = None) -> Metric:
        """One metric, retired ones too. Raises NotFound."""
        found = (self._api.get_metric(workspace or self._workspace, name)).metric
        if found is None:
            raise not_found(f"The metric {name!r}")
        return found

    def list(self, *, workspace: str | None = None, page_size: int = 100, **filters: Any) -> Iterator[Metric]:
        """Every metric that is not retired; `filters` are those of `MetricFilter` in snake_case."""
        chosen = MetricFilter(**filters)

        def fetch(after: str | None, first: int) -> ListMetricsMetrics:
            answer = self._api.list_metrics(workspace or self._workspace, filter_=chosen, first=first, after=after)
            return answer.metrics

        for row in every(fetch, page_size):
            yield row

    def delete(self, name: str, *, workspace: str | None = None) -> None:
        """Free the name, or retire the metric where a revision names it. Raises NotFound."""
        given = DeleteMetricInput(workspace=workspace or self._workspace, name=name)
        raise_for((self._api.delete_metric(given)).delete_metric.errors)
