"""Typed operations, written by ariadne-codegen from the schema."""

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import MetricFields, PageFields


class ListMetrics(BaseModel):
    metrics: "ListMetricsMetrics"


class ListMetricsMetrics(BaseModel):
    nodes: list["ListMetricsMetricsNodes"]
    page_info: "ListMetricsMetricsPageInfo" = Field(alias="pageInfo")


ListMetricsMetricsNodes = MetricFields
ListMetricsMetricsPageInfo = PageFields
