"""Connections that go only where the rules allow: the address that was checked is the address connected to.

Checking where the connection is made leaves no moment in which a name could lead elsewhere, and holds for every
redirect and every way to write an address.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

from evaluation.addresses import Address, AddressRules, ForbiddenAddress


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Resolves names itself, keeps the addresses that may be called, and connects to one of those."""

    def __init__(self, rules: AddressRules) -> None:
        self._rules = rules
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of the host that may be called and answers."""
        failure: httpcore.ConnectError | None = None
        for address in await self._permitted(host, port):
            try:
                return await self._backend.connect_tcp(str(address), port, timeout, local_address, socket_options)
            except httpcore.ConnectError as error:
                failure = error
        assert failure is not None
        raise failure

    async def connect_unix_socket(self, path: str, timeout: float | None = None, socket_options: Any = None) -> Any:
        """Never: no address leads to a file."""
        raise ForbiddenAddress("Sockets of the file system are not called.")

    async def sleep(self, seconds: float) -> None:
        """Wait, for the connection pool."""
        await asyncio.sleep(seconds)

    async def _permitted(self, host: str, port: int) -> list[Address]:
        found = await _resolved(host, port)
        permitted = found if self._rules.allows_host(host, port) else list(filter(self._rules.allows, found))
        if not permitted:
            raise ForbiddenAddress(
                f"{host} leads to an address that is loopback, private, link-local or otherwise not public; "
                "name it in PINSET_ALLOWED_TARGETS to allow it."
            )
        return permitted


async def _resolved(host: str, port: int) -> list[Address]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(f"The name does not resolve ({type(error).__name__}).") from None
    return list(dict.fromkeys(ipaddress.ip_address(address[4][0]) for address in found))


def guarded_transport(rules: AddressRules, connections: int) -> httpx.AsyncHTTPTransport:
    """A transport of httpx over guarded connections; proxies of the environment are not used."""
    transport = httpx.AsyncHTTPTransport(trust_env=False)
    # httpx offers no way to hand its connection pool another network, httpcore does.
    transport._pool = httpcore.AsyncConnectionPool(
        ssl_context=httpx.create_ssl_context(),
        max_connections=connections,
        max_keepalive_connections=100,
        keepalive_expiry=30.0,
        network_backend=GuardedBackend(rules),
    )
    return transport
