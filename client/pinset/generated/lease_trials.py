"""Typed operations, written by ariadne-codegen from the schema."""

from datetime import datetime
from typing import Annotated, Any, Literal, Optional, Union

from pydantic import Field

from pinset.generated.base_model import BaseModel
from pinset.generated.enums import ErrorCode, TaskKind


class LeaseTrials(BaseModel):
    lease_trials: "LeaseTrialsLeaseTrials" = Field(alias="leaseTrials")


class LeaseTrialsLeaseTrials(BaseModel):
    leases: list["LeaseTrialsLeaseTrialsLeases"]
    errors: list[
        Annotated[
            Union[
                "LeaseTrialsLeaseTrialsErrorsUserError",
                "LeaseTrialsLeaseTrialsErrorsAlreadyExists",
                "LeaseTrialsLeaseTrialsErrorsConflict",
                "LeaseTrialsLeaseTrialsErrorsInUse",
                "LeaseTrialsLeaseTrialsErrorsNotFound",
            ],
            Field(discriminator="typename__"),
        ]
    ]


class LeaseTrialsLeaseTrialsLeases(BaseModel):
    token: str
    expires_at: datetime = Field(alias="expiresAt")
    prompt: Optional[str]
    trial: "LeaseTrialsLeaseTrialsLeasesTrial"
    spec: Union[
        "LeaseTrialsLeaseTrialsLeasesSpecTaskSpec",
        "LeaseTrialsLeaseTrialsLeasesSpecEvaluatorTaskSpec",
        "LeaseTrialsLeaseTrialsLeasesSpecHarborTaskSpec",
        "LeaseTrialsLeaseTrialsLeasesSpecTemplateTaskSpec",
    ] = Field(discriminator="typename__")


class LeaseTrialsLeaseTrialsLeasesTrial(BaseModel):
    id: str
    task_name: str = Field(alias="taskName")
    task_digest: str = Field(alias="taskDigest")
    repeat: int


class LeaseTrialsLeaseTrialsLeasesSpecTaskSpec(BaseModel):
    typename__: Literal["TaskSpec"] = Field(alias="__typename")
    kind: TaskKind


class LeaseTrialsLeaseTrialsLeasesSpecEvaluatorTaskSpec(BaseModel):
    typename__: Literal["EvaluatorTaskSpec"] = Field(alias="__typename")
    kind: TaskKind
    intent: str
    inputs: "LeaseTrialsLeaseTrialsLeasesSpecEvaluatorTaskSpecInputs"
    reference: Any


class LeaseTrialsLeaseTrialsLeasesSpecEvaluatorTaskSpecInputs(BaseModel):
    instruction: Optional[str]
    extra: Any


class LeaseTrialsLeaseTrialsLeasesSpecHarborTaskSpec(BaseModel):
    typename__: Literal["HarborTaskSpec"] = Field(alias="__typename")
    kind: TaskKind
    archive_ref: str = Field(alias="archiveRef")
    archive_digest: str = Field(alias="archiveDigest")
    instruction: Optional[str]
    config: Any


class LeaseTrialsLeaseTrialsLeasesSpecTemplateTaskSpec(BaseModel):
    typename__: Literal["TemplateTaskSpec"] = Field(alias="__typename")
    kind: TaskKind
    env: str
    template: str
    args: Any
    agent_config: Optional[Any] = Field(alias="agentConfig")
    runtime_config: Optional[Any] = Field(alias="runtimeConfig")
    validation: Optional[Any]


class LeaseTrialsLeaseTrialsErrorsUserError(BaseModel):
    typename__: Literal["InvalidInput", "Refused", "UserError"] = Field(
        alias="__typename"
    )
    message: str
    code: ErrorCode
    path: list[str]


class LeaseTrialsLeaseTrialsErrorsAlreadyExists(BaseModel):
    typename__: Literal["AlreadyExists"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str
    digest: Optional[str]


class LeaseTrialsLeaseTrialsErrorsConflict(BaseModel):
    typename__: Literal["Conflict"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    current_digest: Optional[str] = Field(alias="currentDigest")


class LeaseTrialsLeaseTrialsErrorsInUse(BaseModel):
    typename__: Literal["InUse"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    users: list[str]
    hidden_users: int = Field(alias="hiddenUsers")


class LeaseTrialsLeaseTrialsErrorsNotFound(BaseModel):
    typename__: Literal["NotFound"] = Field(alias="__typename")
    message: str
    code: ErrorCode
    path: list[str]
    ref: str


