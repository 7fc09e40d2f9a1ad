"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from .base_model import BaseModel
from .fragments import MetricFields


class GetMetric(BaseModel):
    metric: Optional["GetMetricMetric"]


GetMetricMetric = MetricFields
