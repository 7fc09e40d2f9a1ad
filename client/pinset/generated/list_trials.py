"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Optional

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.fragments import PageFields, TrialFields


class ListTrials(BaseModel):
    job: Optional["ListTrialsJob"]


class ListTrialsJob(BaseModel):
    trials: "ListTrialsJobTrials"


class ListTrialsJobTrials(BaseModel):
    nodes: list["ListTrialsJobTrialsNodes"]
    page_info: "ListTrialsJobTrialsPageInfo" = Field(alias="pageInfo")


ListTrialsJobTrialsNodes = TrialFields
ListTrialsJobTrialsPageInfo = PageFields
