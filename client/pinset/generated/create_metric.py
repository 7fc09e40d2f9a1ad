"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import MetricFields


class CreateMetric(BaseModel):
    create_metric: "CreateMetricCreateMetric" = Field(alias="createMetric")


class CreateMetricCreateMetric(BaseModel):
    metric: Optional["CreateMetricCreateMetricMetric"]
    errors: list[
        Annotated[
            Union[
                "CreateMetricCreateMetricErrorsUserError",
                "CreateMetricCreateMetricErrorsAlreadyExists",
                "CreateMetricCreateMetricErrorsConflict",
                "CreateMetricCreateMetricErrorsInUse",
                "CreateMetricCreateMetricErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


CreateMetricCreateMetricMetric = MetricFields


class CreateMetricCreateMetricErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class CreateMetricCreateMetricErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class CreateMetricCreateMetricErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class CreateMetricCreateMetricErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class CreateMetricCreateMetricErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


