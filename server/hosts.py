"""Browsers as a danger: which `Host` we answer to, and which `Origin` may talk to us, on every route and WebSocket.

The Host check defeats DNS rebinding, where a page's own name is made to resolve to this machine; the Origin check keeps
other sites' pages out even where they need no preflight.
"""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

import orjson
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^\s:\[\]/@?#\\]+)(?::[0-9]{1,5})?")
DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_FOREIGN_HOST: Final = "This server does not answer to that Host; PINSET_ALLOWED_HOSTS names those that it does."
_FOREIGN_ORIGIN: Final = "Pages of that Origin may not use this server; PINSET_ALLOWED_ORIGINS names those that may."


class HostGuard:
    """An ASGI middleware in front of everything."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], origins: Iterable[str] = ()) -> None:
        self.app = app
        self.hosts = frozenset(host.lower().rstrip(".") for host in hosts)
        self.origins = frozenset(origin.lower().rstrip("/") for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refused = self._refusal(scope["headers"], scope["scheme"])
        if refused is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            await refused(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": "Host or Origin not allowed"})

    def _refusal(self, headers: Iterable[tuple[bytes, bytes]], scheme: str) -> Response | None:
        hosts = _values(headers, b"host")
        if len(hosts) != 1 or not self._is_our_name(hosts[0]):
            return refusal(
                421, "HOST_NOT_ALLOWED", "This server does not answer to that Host; see PINSET_ALLOWED_HOSTS."
            )
        for origin in _values(headers, b"origin"):
            if not self._may_call(origin.lower().rstrip("/"), hosts[0].lower(), scheme):
                return refusal(
                    403,
                    "ORIGIN_NOT_ALLOWED",
                    "Pages of that Origin may not use this server; see PINSET_ALLOWED_ORIGINS.",
                )
        return None

    def _is_our_name(self, host: str) -> bool:
        name = _name(host.lower())
        return name is not None and (name.rstrip(".") in self.hosts or "*" in self.hosts)

    def _may_call(self, origin: str, host: str, scheme: str) -> bool:
        return origin in self.origins or _is_same(origin, host, scheme)


def _values(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in headers if name == wanted]


def _is_same(origin: str, host: str, scheme: str) -> bool:
    """Whether a page of `origin` was loaded from this very server, also behind a proxy that ends TLS."""
    parts = urlsplit(origin)
    if parts.scheme not in ("http", "https") or parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        return False
    return parts.netloc != "" and _with_port(parts.netloc, parts.scheme) in (
        _with_port(host, parts.scheme),
        _with_port(host, scheme),
    )


def _with_port(netloc: str, scheme: str) -> str:
    return f"{netloc}:{DEFAULT_PORTS[scheme]}" if _name(netloc) == netloc else netloc


def _name(host: str) -> str | None:
    """The host without its port, an IPv6 address in its brackets; None where it is malformed."""
    found = _HOST.fullmatch(host)
    return found["name"] if found else None


def refusal(status: int, code: str, message: str) -> Response:
    """A refusal in the form of a GraphQL error, which every client can show."""
    body = orjson.dumps({"errors": [{"message": message, "extensions": {"code": code}}]})
    return Response(body, status, media_type="application/json")
