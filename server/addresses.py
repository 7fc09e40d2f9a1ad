"""Where a connection comes from, for the audit log and for limits."""

import ipaddress
from functools import lru_cache

from starlette.types import Scope


def client_address(scope: Scope) -> str | None:
    """The address of the client: the peer, or what a trusted proxy said of it. None where it is not an address."""
    client = scope.get("client")
    return _address(client[0]) if client else None


@lru_cache(maxsize=4_096)
def _address(host: str) -> str | None:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return None
