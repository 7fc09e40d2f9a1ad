"""A schema that has one of everything a transport must carry, for tests that are not about Pinset's own types."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import strawberry

from domain.deadlines import writing_begins
from domain.errors import BadUserInput, InvalidInput
from resolvers.access import Viewer


@dataclass
class SmallContext:
    """Counts what the tests ask about."""

    viewer: Viewer
    request_id: str | None
    renewed: int = 0

    @property
    def rights(self) -> str:
        return self.viewer.name

    def renew(self) -> None:
        self.renewed += 1


@dataclass
class Probe:
    """What the resolvers did, and the switches that hold them."""

    contexts: list[SmallContext] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    open_streams: int = 0
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    def make_context(self, viewer: Viewer, request_id: str | None, _: str | None) -> SmallContext:
        context = SmallContext(viewer, request_id)
        self.contexts.append(context)
        return context


probe = Probe()


@strawberry.type
class PageInfo:
    has_next_page: bool = False


@strawberry.type
class Item:
    name: str

    @strawberry.field
    def parent(self) -> "Item":
        return self

    @strawberry.field
    def items(self, first: int | None = 100) -> "ItemConnection":
        return ItemConnection(nodes=[])


@strawberry.type
class ItemConnection:
    nodes: list[Item]
    page_info: PageInfo = strawberry.field(default_factory=PageInfo)


@strawberry.type
class Query:
    @strawberry.field
    def hello(self, name: str = "you") -> str:
        return f"Hello, {name}!"

    @strawberry.field
    def count(self, to: int) -> int:
        return to

    @strawberry.field
    def item(self) -> Item:
        return Item(name="one")

    @strawberry.field
    def items(self, first: int | None = None, last: int | None = None) -> ItemConnection:
        return ItemConnection(nodes=[])

    @strawberry.field
    def nodes(self, ids: list[strawberry.ID]) -> list[Item]:
        return []

    @strawberry.field
    def viewer(self, info: strawberry.Info) -> str:
        return str(info.context.viewer.name)

    @strawberry.field
    def broken(self) -> str | None:
        raise RuntimeError("mongodb://user:secret@db/ is down")

    @strawberry.field
    def broken_for_good(self) -> str:
        raise RuntimeError("secret")

    @strawberry.field
    def refused(self) -> str | None:
        raise BadUserInput("first must lie between 0 and 1000.", limit=1000)

    @strawberry.field
    def invalid(self) -> str | None:
        raise InvalidInput("not a name", ("name",))

    @strawberry.field
    def surrogate(self) -> str:
        return "\ud800"

    @strawberry.field
    def large(self, megabytes: int) -> str:
        return "x" * (megabytes * 1024 * 1024)

    @strawberry.field
    async def held(self) -> str:
        await probe.gate.wait()
        return "released"


@strawberry.type
class Mutation:
    @strawberry.mutation
    def write(self, text: str) -> str:
        probe.written.append(text)
        return text

    @strawberry.mutation
    async def hold(self) -> str:
        await probe.gate.wait()
        probe.written.append("held")
        return "held"

    @strawberry.mutation
    async def hold_writing(self) -> str:
        writing_begins()
        await probe.gate.wait()
        probe.written.append("held")
        return "held"


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def ticks(self, to: int = 3) -> AsyncGenerator[int, None]:
        probe.open_streams += 1
        try:
            for number in range(1, to + 1):
                yield number
                await asyncio.sleep(0)
        finally:
            probe.open_streams -= 1

    @strawberry.subscription
    async def quiet(self) -> AsyncGenerator[int, None]:
        probe.open_streams += 1
        try:
            yield 0
            await probe.gate.wait()
        finally:
            probe.open_streams -= 1

    @strawberry.subscription
    async def failing(self) -> AsyncGenerator[int, None]:
        yield 1
        raise RuntimeError("secret")


schema = strawberry.Schema(Query, Mutation, Subscription)
