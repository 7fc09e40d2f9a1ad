"""Who is calling: the one place where HTTP, server-sent events and WebSocket turn a credential into a viewer.

Open connections ask again before every operation and event, so a token that is revoked or expires stops working
there too.
"""

import hashlib
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final, Protocol

from domain.errors import ServiceUnavailable, Unauthenticated
from resolvers.access import EVERYTHING, OPEN_VIEWER, Viewer
from storage import tokens
from storage.driver import PyMongoError
from storage.records import TokenRecord
from storage.services import Services

ADMIN_VIEWER: Final = Viewer("admin", EVERYTHING)
_INVALID: Final = "The token is not valid. Check it, or ask an administrator for a new one."
_UNREACHABLE: Final = "MongoDB cannot be reached, so the token cannot be checked; try again."


class Authenticator(Protocol):
    """Turns the value of an `Authorization` header into a viewer."""

    async def authenticate(self, authorization: str | None) -> Viewer:
        """The caller behind a credential. Raises Unauthenticated where there is none or it is not valid (any more)."""


@dataclass(frozen=True, slots=True)
class OpenAuthenticator:
    """Everybody may do everything; for a server that only its own machine can reach."""

    async def authenticate(self, authorization: str | None) -> Viewer:
        """Every caller, whatever it shows."""
        return OPEN_VIEWER


class TokenAuthenticator:
    """Demands a token: the admin token, which is kept as its hash alone, or one that is stored."""

    def __init__(self, admin_token: str | None, services: Services | None = None) -> None:
        self._admin = None if admin_token is None else _hash(admin_token)
        self._services = services

    async def authenticate(self, authorization: str | None) -> Viewer:
        """The token's viewer. Raises Unauthenticated, and ServiceUnavailable where the token cannot be checked.

        Hashes are compared, in a time that depends neither on the token nor on where it differs.
        """
        token = bearer_token(authorization)
        if self._admin is not None and compare_digest(self._admin, _hash(token)):
            return ADMIN_VIEWER
        record = await self._stored(token)
        if record is None:
            raise Unauthenticated(_INVALID)
        return viewer_of(record)

    async def _stored(self, token: str) -> TokenRecord | None:
        if self._services is None:
            return None
        try:
            return await tokens.authenticate(self._services, token)
        except PyMongoError as error:
            raise ServiceUnavailable(_UNREACHABLE) from error


def viewer_of(record: TokenRecord) -> Viewer:
    """What a stored token makes of its bearer."""
    return Viewer(record.name, record.grants, str(record.id), record.expires_at)


def bearer_token(authorization: str | None) -> str:
    """The token of an `Authorization: Bearer …` header. Raises Unauthenticated where there is none."""
    if not authorization:
        raise Unauthenticated("This server demands a token: send 'Authorization: Bearer <token>'.")
    scheme, _, token = authorization.strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthenticated("The Authorization header must read 'Bearer <token>'.")
    return token.strip()


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
