"""structlog, imported as if Rich were not installed.

It loads Rich wherever it finds it, which takes 0.1 s of a start, for tracebacks in colour that we never print.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _absent(*packages: str) -> Iterator[None]:
    hidden = [package for package in packages if package not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None there makes an import fail
    try:
        yield
    finally:
        for package in hidden:
            del sys.modules[package]


with _absent("rich", "colorama"):
    import structlog  # noqa: F401
