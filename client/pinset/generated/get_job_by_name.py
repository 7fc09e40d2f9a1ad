"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import JobFields


class GetJobByName(BaseModel):
    job_by_name: Optional["GetJobByNameJobByName"] = Field(alias="jobByName")


GetJobByNameJobByName = JobFields
