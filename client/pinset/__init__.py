"""The Python client and the command line of Pinset.

    from pinset import Pinset

    with Pinset() as client:
        client.tasks.create("france", {"evaluator": {"intent": "What is the capital of France?"}})

`AsyncPinset` has the same calls for programs that run an event loop. Both are loaded when first used: reading files
and starting a server need neither.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

from pinset.errors import MutationError, PinsetError, RequestError, Unreachable

if TYPE_CHECKING:
    from pinset.asynchronous.client import AsyncPinset
    from pinset.synchronous.client import Pinset

_CLIENTS: Final = {"AsyncPinset": "pinset.asynchronous.client", "Pinset": "pinset.synchronous.client"}

__all__ = ["AsyncPinset", "MutationError", "Pinset", "PinsetError", "RequestError", "Unreachable"]


def __getattr__(name: str) -> object:
    if name in _CLIENTS:
        return getattr(import_module(_CLIENTS[name]), name)
    raise AttributeError(f"module 'pinset' has no attribute {name!r}")
