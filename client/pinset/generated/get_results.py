"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import (  # noqa: F401
    JobFields,
    JobFieldsProgress,
    JobFieldsTarget,
    StatisticFields,
)


class GetResults(BaseModel):
    job: Optional["GetResultsJob"]


class GetResultsJob(JobFields):
    summary: "GetResultsJobSummary"


class GetResultsJobSummary(BaseModel):
    taskset_digest: Optional[str] = Field(alias="tasksetDigest")
    reward: "GetResultsJobSummaryReward"
    statistics: list["GetResultsJobSummaryStatistics"]
    pass_rates: list["GetResultsJobSummaryPassRates"] = Field(alias="passRates")
    failures: list["GetResultsJobSummaryFailures"]


GetResultsJobSummaryReward = StatisticFields
GetResultsJobSummaryStatistics = StatisticFields


class GetResultsJobSummaryPassRates(BaseModel):
    k: int
    any_pass: Optional[float] = Field(alias="anyPass")
    all_pass: Optional[float] = Field(alias="allPass")
    tasks: int


class GetResultsJobSummaryFailures(BaseModel):
    type_: str = Field(alias="type")
    count: int


