"""Named secrets of a worker: `PINSET_SECRET_X`, given only to the origins in `PINSET_SECRET_X_ORIGINS`."""

from collections.abc import Mapping
from typing import Final

import httpx

from evaluation.addresses import ForbiddenAddress

PREFIX: Final = "PINSET_SECRET_"
_ORIGINS: Final = "_ORIGINS"
_PORTS: Final = {"http": 80, "https": 443}
_SHORTEST_MASKED: Final = 8

Origin = tuple[str, str, int | None]


def origin_of(url: httpx.URL) -> Origin:
    """Scheme, host and port of an address, the default port written out."""
    return url.scheme, url.host.lower(), url.port or _PORTS.get(url.scheme)


class Secrets:
    """The secrets in an environment. Their values are in no message and no representation."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = {name: value for name, value in environment.items() if name.startswith(PREFIX)}

    def headers(self, name: str | None, url: httpx.URL) -> dict[str, str]:
        """The headers that carry a secret to an address; none without a name.

        Raises ForbiddenAddress where the secret is not set, or is not for the origin of the address.
        """
        if name is None:
            return {}
        value = self._environment.get(PREFIX + name, "")
        if not value:
            raise ForbiddenAddress(f"The secret {name} is not set: set {PREFIX}{name} where workers run.")
        if not (value.isascii() and value.isprintable() and " " not in value):
            raise ForbiddenAddress(f"The secret {name} holds characters that cannot stand in a header.")
        if origin_of(url) not in self._origins(name):
            raise ForbiddenAddress(
                f"The secret {name} may not be sent to {url.scheme}://{url.netloc.decode('ascii', 'replace')}: "
                f"list that origin in {PREFIX}{name}{_ORIGINS} to allow it."
            )
        return {"Authorization": f"Bearer {value}"}

    def masked(self, name: str | None, body: bytes) -> bytes:
        """An answer without the secret that was sent for it, where the other side repeats it."""
        value = self._environment.get(PREFIX + name, "").encode() if name else b""
        return body.replace(value, b"***") if len(value) >= _SHORTEST_MASKED else body

    def _origins(self, name: str) -> set[Origin]:
        listed = self._environment.get(PREFIX + name + _ORIGINS, "").replace(",", " ").split()
        return {origin_of(httpx.URL(origin)) for origin in listed}
