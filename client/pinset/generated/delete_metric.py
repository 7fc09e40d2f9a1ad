"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode


class DeleteMetric(BaseModel):
    delete_metric: "DeleteMetricDeleteMetric" = Field(alias="deleteMetric")


class DeleteMetricDeleteMetric(BaseModel):
    deleted_id: Optional[str] = Field(alias="deletedId")
    errors: list[
        Annotated[
            Union[
                "DeleteMetricDeleteMetricErrorsUserError",
                "DeleteMetricDeleteMetricErrorsAlreadyExists",
                "DeleteMetricDeleteMetricErrorsConflict",
                "DeleteMetricDeleteMetricErrorsInUse",
                "DeleteMetricDeleteMetricErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


class DeleteMetricDeleteMetricErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class DeleteMetricDeleteMetricErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class DeleteMetricDeleteMetricErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class DeleteMetricDeleteMetricErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class DeleteMetricDeleteMetricErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


