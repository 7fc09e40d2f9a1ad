"""The garbage collector: at rest while the server starts, and seldom at work afterwards."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collections() -> Iterator[None]:
    """No collection during the body, or until `settle`: importing makes objects that stay, which each would search."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def settle() -> None:
    """Take what has been loaded out of the collector's sight: full collections over the schema's objects cost pauses.

    No collection precedes it: it would take 0.2 s to find the one object in a hundred that is garbage by then. What
    requests make dies by itself, nearly all of it, so that the collector need not look as often as it would.
    """
    gc.freeze()
    gc.set_threshold(20_000, 50, 20)
    gc.enable()
