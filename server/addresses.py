"""Where a connection comes from, for the audit log and for limits."""

import ipaddress

from starlette.types import Scope


def client_address(scope: Scope) -> str | None:
    """The address of the client: the peer, or what a trusted proxy said of it. None where it is not an address."""
    client = scope.get("client")
    if not client:
        return None
    try:
        return str(ipaddress.ip_address(client[0]))
    except ValueError:
        return None
