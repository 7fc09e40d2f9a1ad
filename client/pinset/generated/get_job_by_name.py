"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from pydantic import Field

from .base_model import BaseModel
from .fragments import JobFields


class GetJobByName(BaseModel):
    job_by_name: Optional["GetJobByNameJobByName"] = Field(alias="jobByName")


GetJobByNameJobByName = JobFields
