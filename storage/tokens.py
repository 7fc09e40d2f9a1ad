"""Tokens as documents. The secret itself is nowhere: what is stored is its SHA-256.

The secret has 256 random bits, so a hash without salt or stretching gives nothing away, and the time that looking
it up takes says nothing about any stored token.
"""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import structlog

from domain.audit import AuditAction, AuditedType
from domain.grants import EVERY_WORKSPACE, Grant, Scope
from storage.clock import now
from storage.driver import Document, ObjectId, PyMongoError, Session
from storage.ledger import note
from storage.pages import Order, PageRequest, fetch
from storage.records import Page, TokenRecord
from storage.services import Services
from storage.token_cache import USE_SECONDS

log = structlog.get_logger("pinset.tokens")

PREFIX: Final = "pinset_"
_SECRET_BYTES: Final = 32
_SECRET_LENGTH: Final = len(PREFIX) + 43
_NEWEST_FIRST: Final = Order("_id", descending=True)
# A year of seconds, for tokens that do not expire: they are read again now and then all the same.
_LONG: Final = 365 * 86_400.0

_IS_VALID: Final = {
    "revokedAt": None,
    "$expr": {"$or": [{"$eq": ["$expiresAt", None]}, {"$gt": ["$expiresAt", "$$NOW"]}]},
}
_WITH_TIME_LEFT: Final = {
    **dict.fromkeys(("name", "grants", "createdAt", "createdBy", "expiresAt", "lastUsedAt", "revokedAt"), 1),
    "hash": 1,
    "millisecondsLeft": {"$subtract": ["$expiresAt", "$$NOW"]},
}


def new_secret() -> str:
    """A secret that nobody has seen yet."""
    return PREFIX + secrets.token_urlsafe(_SECRET_BYTES)


def hash_of(secret: str) -> str:
    """What is stored of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


async def create(
    services: Services, name: str, grants: Sequence[Grant], expires_at: datetime | None, actor: str | None
) -> tuple[str, TokenRecord]:
    """Store a new token; answers its secret, which cannot be read again, and its record."""
    secret = new_secret()
    document = {
        "_id": ObjectId(),
        "name": name,
        "hash": hash_of(secret),
        "grants": [{"workspace": grant.workspace, "scopes": sorted(grant.scopes)} for grant in grants],
        "createdAt": now(),
        "createdBy": actor,
        "expiresAt": expires_at,
        "lastUsedAt": None,
        "revokedAt": None,
    }

    async def work(session: Session) -> None:
        await services.database["tokens"].insert_one(document, session=session)
        _note(AuditAction.CREATE, document)

    await services.transactions.run([f"token:{document['_id']}"], work)
    return secret, token_record(document)


async def revoke(services: Services, identity: ObjectId) -> None:
    """End a token for good: at once here, within two seconds on other servers. Doing it again changes nothing."""

    async def work(session: Session) -> None:
        ended = await services.database["tokens"].find_one_and_update(
            {"_id": identity, "revokedAt": None}, [{"$set": {"revokedAt": "$$NOW"}}], session=session
        )
        if ended is not None:
            _note(AuditAction.REVOKE, ended)

    await services.transactions.run([f"token:{identity}"], work)
    services.tokens.forget(identity)


async def authenticate(services: Services, secret: str) -> TokenRecord | None:
    """The valid token of a secret; None where there is none, where it has expired or was revoked.

    The database's clock decides about expiry. A use is recorded at most once a minute.
    """
    if len(secret) != _SECRET_LENGTH or not secret.startswith(PREFIX):
        return None
    digest = hash_of(secret)
    record = services.tokens.get(digest) or await _read(services, digest)
    if record is not None and services.tokens.is_use_due(record.id):
        services.tokens.spawn(_record_use(services, record.id))
    return record


async def find_many(services: Services, ids: Sequence[ObjectId]) -> dict[ObjectId, TokenRecord]:
    """Tokens by id, ended ones too; unknown ones are left out."""
    found = await services.database["tokens"].find({"_id": {"$in": list(ids)}}).to_list(None)
    return {document["_id"]: token_record(document) for document in found}


async def page(services: Services, workspaces: Sequence[str] | None, request: PageRequest) -> Page[TokenRecord]:
    """Tokens all of whose grants lie in the named workspaces (None: every token), newest first."""
    part = await fetch(services.database["tokens"], _within(workspaces), _NEWEST_FIRST, request)
    return Page(tuple(map(token_record, part.documents)), part.cursors, part.has_next, part.has_previous)


async def count(services: Services, workspaces: Sequence[str] | None) -> int:
    """How many tokens `page` lists in all."""
    return int(await services.database["tokens"].count_documents(_within(workspaces)))


def token_record(document: Document) -> TokenRecord:
    """A record of its document."""
    return TokenRecord(
        id=document["_id"],
        name=document["name"],
        grants=tuple(Grant(grant["workspace"], frozenset(map(Scope, grant["scopes"]))) for grant in document["grants"]),
        created_at=document["createdAt"],
        created_by=document["createdBy"],
        expires_at=document["expiresAt"],
        last_used_at=document["lastUsedAt"],
        revoked_at=document["revokedAt"],
    )


async def _read(services: Services, digest: str) -> TokenRecord | None:
    document = await services.database["tokens"].find_one({"hash": digest, **_IS_VALID}, _WITH_TIME_LEFT)
    if document is None or not secrets.compare_digest(document["hash"], digest):
        return None
    record = token_record(document)
    left = document["millisecondsLeft"]
    services.tokens.put(digest, record, _LONG if left is None else left / 1000)
    return record


async def _record_use(services: Services, identity: ObjectId) -> None:
    """Another server may have recorded a use within the last minute too."""
    before = {"$subtract": ["$$NOW", round(USE_SECONDS * 1000)]}
    is_due = {"$expr": {"$lte": [{"$ifNull": ["$lastUsedAt", "$createdAt"]}, before]}}
    query = {"_id": identity, "$or": [{"lastUsedAt": None}, is_due]}
    try:
        await services.database["tokens"].update_one(query, [{"$set": {"lastUsedAt": "$$NOW"}}])
    except PyMongoError as error:
        log.warning("token_use_not_recorded", error=type(error).__name__)


def _note(action: AuditAction, document: Document) -> None:
    """Those who administer a workspace see the tokens for it alone; wider ones show to who administers all."""
    names = [grant["workspace"] for grant in document["grants"]]
    workspace = names[0] if len(names) == 1 and names[0] != EVERY_WORKSPACE else None
    note(action, AuditedType.TOKEN, document["_id"], document["name"], workspace=workspace)


def _within(workspaces: Sequence[str] | None) -> dict[str, Any]:
    if workspaces is None:
        return {}
    return {"grants": {"$not": {"$elemMatch": {"workspace": {"$nin": sorted(workspaces)}}}}}
