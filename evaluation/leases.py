"""Lease tokens: each names its job and trial, and carries a secret that nobody can guess or use twice."""

import base64
import secrets
from dataclasses import dataclass
from typing import Final

from domain.errors import ErrorCode, InvalidInput, Path, Refused
from storage.driver import ObjectId

MAX_LEASE_SECONDS: Final = 3_600.0
MAX_LEASES: Final = 1_000
_IDENTITY_BYTES: Final = 12
_SECRET_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class LeaseToken:
    """A token, and the trial and job that it is for."""

    text: str
    job: ObjectId
    trial: ObjectId


def new_token(job: ObjectId, trial: ObjectId) -> LeaseToken:
    """A token that no other lease has."""
    raw = job.binary + trial.binary + secrets.token_bytes(_SECRET_BYTES)
    return LeaseToken(base64.urlsafe_b64encode(raw).decode().rstrip("="), job, trial)


def parse_token(text: str, path: Path = ("lease",)) -> LeaseToken:
    """The trial that a token is for. Raises Refused (LEASE_LOST) for what was never a token."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
    except ValueError:
        raw = b""
    if len(raw) != 2 * _IDENTITY_BYTES + _SECRET_BYTES:
        raise lost(path)
    return LeaseToken(text, ObjectId(raw[:_IDENTITY_BYTES]), ObjectId(raw[_IDENTITY_BYTES : 2 * _IDENTITY_BYTES]))


def lost(path: Path = ("lease",)) -> Refused:
    """The error of a lease that does not hold any more."""
    return Refused(
        "The lease does not hold (any more): it expired, was revoked, or its trial was reported. Nothing was changed; "
        "stop working on this trial and lease another.",
        path,
        ErrorCode.LEASE_LOST,
    )


def check_seconds(seconds: float) -> None:
    """Refuse a lease time that is not above 0 and at most an hour. Raises InvalidInput."""
    if not 0 < seconds <= MAX_LEASE_SECONDS:
        raise InvalidInput(
            f"`seconds` lies above 0 and at most at {MAX_LEASE_SECONDS:,.0f}; extend the lease to hold it longer.",
            ("seconds",),
        )


def check_count(count: int) -> None:
    """Refuse a number of leases that is not within 1 and 1,000. Raises InvalidInput."""
    if not 1 <= count <= MAX_LEASES:
        raise InvalidInput(f"`count` lies between 1 and {MAX_LEASES:,}; {count} does not.", ("count",))
