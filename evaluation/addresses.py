"""Which addresses outgoing requests may reach, decided on the address itself and not on how it is written."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self, TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_LOW_32_BITS: Final = 0xFFFFFFFF


class ForbiddenAddress(Exception):
    """A request to an address that this server does not call, or with a secret that may not go there."""


@dataclass(frozen=True, slots=True)
class AddressRules:
    """Public addresses may always be called; others where the server is itself local, or where they are named.

    `hosts` are names, `host` or `host:port`, lowercase; `networks` are addresses and networks.
    """

    is_local: bool = False
    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()

    @classmethod
    def of(cls, allowed: Iterable[str], is_local: bool = False) -> Self:
        """Rules from entries as `PINSET_ALLOWED_TARGETS` has them: names, addresses and networks."""
        hosts: set[str] = set()
        networks: list[Network] = []
        for entry in allowed:
            try:
                networks.append(ipaddress.ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                hosts.add(entry.lower())
        return cls(is_local, frozenset(hosts), tuple(networks))

    def allows_host(self, host: str, port: int) -> bool:
        """Whether the name itself is allowed, wherever it leads."""
        name = host.lower().rstrip(".")
        return self.is_local or name in self.hosts or f"{name}:{port}" in self.hosts

    def allows(self, address: Address) -> bool:
        """Whether an address may be called."""
        target = _embedded(address)
        return is_public(target) or any(one in network for network in self.networks for one in (address, target))


def is_public(address: Address) -> bool:
    """Whether an address is on the public internet: not loopback, private, link-local, shared or multicast."""
    target = _embedded(address)
    is_site_local = isinstance(target, ipaddress.IPv6Address) and target.is_site_local
    return target.is_global and not (target.is_multicast or target.is_reserved or is_site_local)


def _embedded(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for (mapped, 6to4, Teredo, NAT64, compatible), else itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    number = int(address)
    if address in _NAT64 or _LOW_32_BITS > number > 1:
        return ipaddress.IPv4Address(number & _LOW_32_BITS)
    return address
