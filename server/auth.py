"""Who is calling: the one place where HTTP, server-sent events and WebSocket turn a credential into a viewer.

Open connections ask again before every operation and event, so a token that is revoked or expires stops working
there too.
"""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Protocol

from domain.errors import Unauthenticated
from resolvers.access import EVERYTHING, OPEN_VIEWER, Viewer

ADMIN_VIEWER = Viewer("admin", EVERYTHING)


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
    """Demands a token. The admin token is compared by its hash, in a time that does not depend on it."""

    def __init__(self, admin_token: str | None) -> None:
        self._admin = None if admin_token is None else _hash(admin_token)

    async def authenticate(self, authorization: str | None) -> Viewer:
        """The admin; everybody else is refused."""
        token = bearer_token(authorization)
        if self._admin is not None and hmac.compare_digest(self._admin, _hash(token)):
            return ADMIN_VIEWER
        raise Unauthenticated("The token is not valid. Check it, or ask an administrator for a new one.")


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
