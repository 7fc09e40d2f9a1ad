"""Typed operations, written by ariadne-codegen from the schema."""

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import JobFields, PageFields


class ListJobs(BaseModel):
    jobs: "ListJobsJobs"


class ListJobsJobs(BaseModel):
    nodes: list["ListJobsJobsNodes"]
    page_info: "ListJobsJobsPageInfo" = Field(alias="pageInfo")


ListJobsJobsNodes = JobFields
ListJobsJobsPageInfo = PageFields
