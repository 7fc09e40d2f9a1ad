"""GraphiQL in the browser, from our own origin: nothing is loaded from anywhere else."""

from pathlib import Path
from typing import Final

from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

STATIC: Final = Path(__file__).with_name("static")
_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self' data:",
        "img-src 'self' data:",
        "worker-src 'self' blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
SECURITY_HEADERS: Final = {
    "content-security-policy": _POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-cache",
}


def page() -> Response:
    """The page itself."""
    headers = {**SECURITY_HEADERS, "vary": "accept"}
    return FileResponse(STATIC / "graphiql" / "page.html", headers=headers, media_type="text/html")


def files() -> StaticFiles:
    """The scripts and styles of the page."""
    return StaticFiles(directory=STATIC)
