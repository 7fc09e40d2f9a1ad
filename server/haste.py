"""How the interpreter behaves while the server starts, and once it has settled."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# Seconds until a thread that waits for its turn asks for it. Loading modules never pauses by itself, and the thread
# that prepares MongoDB needs some hundred turns, each for a moment; later the thread of a commit needs one at each of
# its steps. Python's own 5 ms would add up.
_SHORT_TURN: Final = 0.0005
_USUAL_TURN: Final = sys.getswitchinterval()


@contextmanager
def haste() -> Iterator[None]:
    """In the body: short turns, and, until `settle`, no collections, which search what stays for good."""
    gc.disable()
    sys.setswitchinterval(_SHORT_TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(_USUAL_TURN)
        gc.enable()


def settle() -> None:
    """Take what has been loaded out of the collector's sight: full collections over the schema's objects cost pauses.

    No collection precedes it: it would take 0.2 s to find the one object in a hundred that is garbage by then. What
    requests make dies by itself, nearly all of it, so that the collector need not look as often as it would.
    """
    gc.freeze()
    gc.set_threshold(20_000, 50, 20)
    gc.enable()
