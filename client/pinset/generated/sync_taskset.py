"""Typed operations, written by ariadne-codegen from the schema."""

from typing import Annotated, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode
from pinset.generated.fragments import SyncPlanFields


class SyncTaskset(BaseModel):
    sync_taskset: "SyncTasksetSyncTaskset" = Field(alias="syncTaskset")


class SyncTasksetSyncTaskset(BaseModel):
    plan: Optional["SyncTasksetSyncTasksetPlan"]
    revision: Optional["SyncTasksetSyncTasksetRevision"]
    errors: list[
        Annotated[
            Union[
                "SyncTasksetSyncTasksetErrorsUserError",
                "SyncTasksetSyncTasksetErrorsAlreadyExists",
                "SyncTasksetSyncTasksetErrorsConflict",
                "SyncTasksetSyncTasksetErrorsInUse",
                "SyncTasksetSyncTasksetErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


SyncTasksetSyncTasksetPlan = SyncPlanFields


class SyncTasksetSyncTasksetRevision(BaseModel):
    number: int
    digest: str
    ref: str
    member_count: int = Field(alias="memberCount")


class SyncTasksetSyncTasksetErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class SyncTasksetSyncTasksetErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class SyncTasksetSyncTasksetErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class SyncTasksetSyncTasksetErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class SyncTasksetSyncTasksetErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


