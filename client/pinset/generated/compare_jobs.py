"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ComparisonClass
from pinset.generated.fragments import PageFields


class CompareJobs(BaseModel):
    job: Optional["CompareJobsJob"]


class CompareJobsJob(BaseModel):
    compare: Optional["CompareJobsJobCompare"]


class CompareJobsJobCompare(BaseModel):
    base: "CompareJobsJobCompareBase"
    candidate: "CompareJobsJobCompareCandidate"
    same_content: int = Field(alias="sameContent")
    changed_content: int = Field(alias="changedContent")
    only_in_base: int = Field(alias="onlyInBase")
    only_in_candidate: int = Field(alias="onlyInCandidate")
    mean_delta: Optional[float] = Field(alias="meanDelta")
    confidence_95: Optional[list[float]] = Field(alias="confidence95")
    tasks: "CompareJobsJobCompareTasks"


class CompareJobsJobCompareBase(BaseModel):
    id: str
    name: str


class CompareJobsJobCompareCandidate(BaseModel):
    id: str
    name: str


class CompareJobsJobCompareTasks(BaseModel):
    nodes: list["CompareJobsJobCompareTasksNodes"]
    page_info: "CompareJobsJobCompareTasksPageInfo" = Field(alias="pageInfo")


class CompareJobsJobCompareTasksNodes(BaseModel):
    name: str
    class_: ComparisonClass = Field(alias="class")
    base_digest: Optional[str] = Field(alias="baseDigest")
    candidate_digest: Optional[str] = Field(alias="candidateDigest")
    delta: Optional[float]
    base: Optional["CompareJobsJobCompareTasksNodesBase"]
    candidate: Optional["CompareJobsJobCompareTasksNodesCandidate"]


class CompareJobsJobCompareTasksNodesBase(BaseModel):
    mean: Optional[float]
    scored: int


class CompareJobsJobCompareTasksNodesCandidate(BaseModel):
    mean: Optional[float]
    scored: int


CompareJobsJobCompareTasksPageInfo = PageFields
