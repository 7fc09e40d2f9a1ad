"""The Python client and the command line of Pinset.

    from pinset import Pinset

    with Pinset() as client:
        client.tasks.create("france", {"evaluator": {"intent": "What is the capital of France?"}})

`AsyncPinset` has the same calls for programs that run an event loop.
"""

from pinset.asynchronous.client import AsyncPinset
from pinset.errors import MutationError, PinsetError, RequestError, Unreachable
from pinset.synchronous.client import Pinset

__all__ = ["AsyncPinset", "MutationError", "Pinset", "PinsetError", "RequestError", "Unreachable"]
