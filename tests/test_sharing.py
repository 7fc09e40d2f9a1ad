"""One execution for all who get the same event by the same document, with the same variables and rights."""

import asyncio
from collections.abc import AsyncGenerator
from functools import partial

import pytest
import strawberry

from resolvers.access import OPEN_VIEWER, Viewer
from schema.execution import sharing
from schema.execution.answers import Answer
from schema.execution.engine import Engine
from schema.execution.sharing import SharedEvent, Sharing
from tests.small_schema import SmallContext
from tests.transport_fixtures import until

pytestmark = pytest.mark.anyio

resolved: list[str] = []


@strawberry.type
class Event:
    number: int

    @strawberry.field
    async def told(self, info: strawberry.Info, to: str = "all") -> str:
        resolved.append(f"{self.number} to {info.context.viewer.name}")
        await asyncio.sleep(0)
        return to


@strawberry.type
class Query:
    @strawberry.field
    def nothing(self) -> int:
        return 0


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def events(self) -> AsyncGenerator[Event, None]:
        for number in (1, 2):
            yield SharedEvent(number, partial(Event, number=number))  # type: ignore[misc]


schema = strawberry.Schema(Query, subscription=Subscription)
DOCUMENT = "subscription ($to: String!) { events { number told(to: $to) } }"


async def follow(engine: Engine, document: str, to: str, viewer: Viewer) -> list[Answer]:
    variables = {"to": to}
    operation = await engine.prepare(document, None, variables)
    events = engine.subscribe(operation, variables, SmallContext(viewer, None))
    return [answer async for answer in events]


async def test_equal_subscribers_share_each_event() -> None:
    resolved.clear()
    engine = Engine(schema)
    answers = await asyncio.gather(*(follow(engine, DOCUMENT, "x", OPEN_VIEWER) for _ in range(50)))
    expected = [{"events": {"number": number, "told": "x"}} for number in (1, 2)]
    assert all([answer.data for answer in found] == expected for found in answers)
    assert resolved == ["1 to anonymous", "2 to anonymous"]


async def test_other_variables_documents_and_rights_share_nothing() -> None:
    resolved.clear()
    engine = Engine(schema)
    other = Viewer("other", ())
    await asyncio.gather(
        follow(engine, DOCUMENT, "x", OPEN_VIEWER),
        follow(engine, DOCUMENT, "y", OPEN_VIEWER),
        follow(engine, DOCUMENT + " ", "x", OPEN_VIEWER),
        follow(engine, DOCUMENT, "x", other),
    )
    assert sorted(resolved) == sorted(["1 to anonymous", "2 to anonymous"] * 3 + ["1 to other", "2 to other"])


async def test_a_subscriber_that_leaves_does_not_end_the_work_of_others() -> None:
    work, gate = Sharing[int](), asyncio.Event()

    async def slowly() -> int:
        await gate.wait()
        return 7

    first = asyncio.create_task(work.get("key", slowly))
    second = asyncio.create_task(work.get("key", slowly))
    await asyncio.sleep(0)
    first.cancel()
    gate.set()
    assert await second == 7


async def test_what_is_done_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "SECONDS", 0.01)
    work = Sharing[int]()

    async def seven() -> int:
        return 7

    async def broken() -> int:
        raise RuntimeError("broken")

    assert await work.get("a", seven) == 7
    with pytest.raises(RuntimeError):
        await work.get("b", broken)
    assert await work.get("c", lambda: 8) == 8
    assert await work.get("c", broken) == 8
    await until(lambda: not work._tasks and not work._done)
