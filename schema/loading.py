"""Reading through the loaders of an operation: in bulk by parents, and without waiting by their children."""

from asyncio import Future
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar, cast

from strawberry.dataloader import DataLoader

Key = TypeVar("Key")
Value = TypeVar("Value")
Result = TypeVar("Result")


async def warm(loader: DataLoader[Key, Value], keys: Iterable[Key]) -> list[Value]:
    """The values of many keys in one batch; a later `load` of any of them is ready at once."""
    wanted = list(keys)
    missing = [key for key in dict.fromkeys(wanted) if loader.cache_map.get(key) is None]
    if missing:
        values = cast("list[Value]", await loader.load_fn(missing))
        loader.prime_many(dict(zip(missing, values, strict=True)))
    return [await loader.load(key) for key in wanted]


def then(value: Awaitable[Value], finish: Callable[[Value], Result]) -> Result:
    """Go on with a loaded value: at once where a parent has loaded it, else when it arrives.

    The type says what GraphQL sees, which awaits what is not ready yet.
    """
    if isinstance(value, Future) and value.done():
        return finish(value.result())
    return cast("Result", _later(value, finish))


async def _later(value: Awaitable[Value], finish: Callable[[Value], Any]) -> Any:
    result = finish(await value)
    return await result if isinstance(result, Awaitable) else result
