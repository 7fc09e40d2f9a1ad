"""revisionPublished: each publish once, in order, on every server, and nothing left behind when its readers go."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from domain.grants import Grant, Scope
from resolvers import news
from resolvers.access import Viewer
from resolvers.context import Context
from resolvers.news import Newsroom
from resolvers.tasks import create_task, delete_task, replace_task
from resolvers.tasksets import create_taskset
from resolvers.workspaces import create_workspace
from schema.build import build_schema
from schema.execution.answers import Answer
from server.app import create_app
from server.settings import Settings
from storage import news as storage
from storage.driver import Database, OperationFailure, connect
from storage.services import Services, open_services
from tests.drafts import suite, task
from tests.graphql_client import Socket, serving, socket_to
from tests.operations import engine
from tests.transport_fixtures import until

pytestmark = pytest.mark.anyio

FOLLOW = """
subscription ($workspace: String! = "default") {
  revisionPublished(workspace: $workspace) { __typename ref number digest isLatest }
}
"""
DETAILS = """
subscription {
  revisionPublished {
    ref tags content
    ... on TaskRevision { task { name project updatedAt } metadata { key } spec { kind } }
    ... on TasksetRevision { taskset { name } memberCount members { nodes { name revision { number } } } }
  }
}
"""


@pytest.fixture
async def elsewhere(mongodb_url: str, database: Database, services: Services) -> AsyncIterator[Services]:
    """Another server on the same database."""
    client = connect(mongodb_url)
    opened = await open_services(client, database.name)
    yield opened
    await opened.close()
    client.close()


class Reader:
    """A subscriber that keeps what it was told."""

    def __init__(self, context: Context, document: str = FOLLOW, **variables: str) -> None:
        self.context = context
        self.events: list[Any] = []
        self.errors: list[Any] = []
        self._task = asyncio.create_task(self._read(document, variables))

    async def _read(self, document: str, variables: dict[str, str]) -> None:
        operation = await engine().prepare(document, None, variables)
        async with contextlib.aclosing(engine().subscribe(operation, variables, self.context)) as answers:
            async for answer in answers:
                self.errors += answer.errors
                if answer.data is not None:
                    self.events.append(answer.data["revisionPublished"])

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})

    def has_seen(self, count: int) -> bool:
        return len(self.events) == count

    @property
    def refs(self) -> list[tuple[str, int]]:
        """The record and ordinal of each event."""
        return [(event["ref"].partition("#")[0], event["number"]) for event in self.events]


@contextlib.asynccontextmanager
async def reading(*contexts: Context, document: str = FOLLOW) -> AsyncIterator[list[Reader]]:
    """Subscribers that are being told."""
    readers = [Reader(context, document) for context in contexts]
    rooms = {id(room): room for room in (room_of(context.services) for context in contexts)}
    try:
        await until(lambda: sum(map(len, rooms.values())) == len(readers))
        yield readers
    finally:
        for reader in readers:
            await reader.stop()


def room_of(services: Services) -> Newsroom:
    return services.shared(Newsroom)


async def test_a_subscriber_is_told_of_each_revision_once(context: Context) -> None:
    await create_task(context, "default", "before", None, task("before"))
    async with reading(Context(context.services)) as (reader,):
        created = await create_task(context, "default", "t", None, task("one"))
        await replace_task(context, "default", "t", None, task("one"))
        replaced = await replace_task(context, "default", "t", None, task("two"))
        await create_taskset(context, "default", "s", None, suite("t"))
        await until(lambda: len(reader.events) == 3)
        assert reader.events[:2] == [
            {
                "__typename": "TaskRevision",
                "ref": f"default/t#{published.revision.digest}",
                "number": number,
                "digest": published.revision.digest,
                "isLatest": reader.events[number - 1]["isLatest"],
            }
            for number, published in ((1, created), (2, replaced))
        ]
        assert reader.events[2]["__typename"] == "TasksetRevision"
        assert (reader.events[1]["isLatest"], reader.errors) == (True, [])


async def test_everything_of_a_revision_can_be_asked_for(context: Context) -> None:
    async with reading(Context(context.services), document=DETAILS) as (reader,):
        await create_task(context, "default", "t", "p", task("one", tags=["dev"]))
        await until(lambda: len(reader.events) == 1)
        await create_taskset(context, "default", "s", None, suite("t"))
        await until(lambda: len(reader.events) == 2)
    first, second = reader.events
    assert first["tags"] == ["dev", "latest"]
    assert (first["task"]["name"], first["task"]["project"]) == ("t", "p")
    assert first["spec"] == {"kind": "EVALUATOR"}
    assert first["content"]["spec"]["inputs"] == {"instruction": "one"}
    assert second["members"]["nodes"] == [{"name": "t", "revision": {"number": 1}}]
    assert (second["memberCount"], second["taskset"], reader.errors) == (1, {"name": "s"}, [])


async def test_publishes_of_two_servers_reach_the_subscribers_of_both(context: Context, elsewhere: Services) -> None:
    other = Context(elsewhere)
    async with reading(Context(context.services), Context(elsewhere), Context(elsewhere)) as readers:
        for number in range(1, 11):
            writer = context if number % 2 else other
            await asyncio.gather(
                *(replace_task(writer, "default", name, None, task(f"{name} {number}")) for name in ("a", "b", "c"))
            )
        await until(lambda: all(len(reader.events) >= 30 for reader in readers))
    for reader in readers:
        assert len(reader.refs) == 30
        for name in ("a", "b", "c"):
            numbers = [number for ref, number in reader.refs if ref == f"default/{name}"]
            assert numbers == list(range(1, 11))


async def test_other_workspaces_are_not_told_of(context: Context) -> None:
    await create_workspace(context, "other", None)
    async with reading(Context(context.services)) as (reader,):
        await create_task(context, "other", "hidden", None, task("a"))
        await create_task(context, "default", "shown", None, task("b"))
        await until(lambda: len(reader.events) == 1)
    assert reader.refs == [("default/shown", 1)]


@pytest.mark.parametrize("name", ["secret", "absent"])
async def test_a_workspace_that_may_not_be_read_does_not_exist(context: Context, name: str) -> None:
    await create_workspace(context, "secret", None)
    viewer = Viewer("reader", (Grant("default", frozenset({Scope.READ})),))
    answers = [answer async for answer in stream(Context(context.services, viewer), name)]
    assert [answer.errors[0]["extensions"] for answer in answers] == [
        {"code": "BAD_USER_INPUT", "argument": "workspace"}
    ]
    assert answers[0].errors[0]["message"] == f"There is no workspace '{name}'."
    assert len(room_of(context.services)) == 0


async def stream(context: Context, workspace: str = "default") -> AsyncGenerator[Answer, None]:
    variables = {"workspace": workspace}
    operation = await engine().prepare(FOLLOW, None, variables)
    async with contextlib.aclosing(engine().subscribe(operation, variables, context)) as answers:
        async for answer in answers:
            yield answer


async def test_what_came_while_the_feed_was_lost_is_told_in_order(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = context.services.feed
    losses: list[object] = []

    def break_off(event: object) -> None:
        losses.append(event)
        if len(losses) == 2:
            monkeypatch.undo()
        raise OperationFailure("the place in the log is gone", 286)

    async with reading(Context(context.services)) as (reader,):
        await create_task(context, "default", "t", None, task("1"))
        await until(lambda: len(reader.events) == 1)
        monkeypatch.setattr(feed, "_tell", break_off)
        for number in range(2, 9):
            await replace_task(context, "default", "t", None, task(str(number)))
        await until(lambda: len(losses) == 2)
        await replace_task(context, "default", "t", None, task("9"))
        await until(lambda: len(reader.events) >= 9)
        await create_task(context, "default", "end", None, task("end"))
        await until(lambda: len(reader.events) >= 10)
    assert reader.refs == [*(("default/t", number) for number in range(1, 10)), ("default/end", 1)]


async def test_a_revision_that_is_gone_before_it_is_read_is_left_out(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = storage.read
    gate = asyncio.Event()

    async def late(*arguments: Any) -> Any:
        await gate.wait()
        return await read(*arguments)

    monkeypatch.setattr(storage, "read", late)
    async with reading(Context(context.services)) as (reader,):
        await create_task(context, "default", "gone", None, task("1"))
        await delete_task(context, "default", "gone", force=False)
        gate.set()
        await create_task(context, "default", "kept", None, task("2"))
        await until(lambda: len(reader.events) == 1)
    assert reader.refs == [("default/kept", 1)]


async def test_a_subscriber_that_is_overtaken_is_told_so(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "TAIL_ITEMS", 3)
    answers = stream(Context(context.services))
    first = asyncio.ensure_future(anext(answers))
    await until(lambda: len(room_of(context.services)) == 1)
    async with reading(Context(context.services)) as (prompt,):
        for number in range(6):
            await create_task(context, "default", f"t{number}", None, task(str(number)))
            await until(partial(prompt.has_seen, number + 1))
    rest = [await first, *[answer async for answer in answers]]
    assert [bool(answer.errors) for answer in rest] == [False, True]
    assert rest[1].errors[0]["extensions"] == {"code": "SUBSCRIBER_BEHIND", "limit": 3}


async def test_a_read_that_fails_is_tried_again(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    read = storage.read
    calls: list[int] = []

    async def unsteady(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise OperationFailure("not now")
        return await read(*arguments)

    monkeypatch.setattr(storage, "read", unsteady)
    async with reading(Context(context.services)) as (reader,):
        await create_task(context, "default", "t", None, task("1"))
        await until(lambda: len(reader.events) == 1)
    assert len(calls) >= 2


async def test_a_reader_that_breaks_down_ends_its_streams_and_begins_anew(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any) -> Any:
        raise KeyError("a bug")

    monkeypatch.setattr(storage, "read", broken)
    answers = stream(Context(context.services))
    first = asyncio.ensure_future(anext(answers))
    await until(lambda: len(room_of(context.services)) == 1)
    await create_task(context, "default", "t", None, task("1"))
    assert [error["extensions"] for error in (await first).errors] == [{"code": "SERVICE_UNAVAILABLE"}]
    assert [answer async for answer in answers] == []
    monkeypatch.undo()
    async with reading(Context(context.services)) as (reader,):
        await create_task(context, "default", "u", None, task("2"))
        await until(lambda: len(reader.events) == 1)
    assert reader.refs == [("default/u", 1)]


async def test_a_subscription_while_the_feed_is_down_misses_nothing(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = context.services.feed
    gate = asyncio.Event()
    read = feed._read

    async def later() -> None:
        await gate.wait()
        await read()

    def break_off(_: object) -> None:
        raise OperationFailure("the place in the log is gone", 286)

    monkeypatch.setattr(feed, "_read", later)
    monkeypatch.setattr(feed, "_tell", break_off)
    await create_task(context, "default", "before", None, task("0"))
    await until(lambda: not feed.is_live)
    async with reading(Context(context.services)) as (reader,):
        await create_task(context, "default", "t", None, task("1"))
        monkeypatch.undo()
        gate.set()
        await until(lambda: len(reader.events) == 1)
        await create_task(context, "default", "u", None, task("2"))
        await until(lambda: len(reader.events) == 2)
    assert reader.refs == [("default/t", 1), ("default/u", 1)]


@contextlib.asynccontextmanager
async def server_of(services: Services) -> AsyncIterator[str]:
    """A real server over open services."""
    app = create_app(Settings(), services, build_schema())
    async with serving(app.asgi) as address:
        yield address


async def complete(socket: Socket) -> None:
    await socket.send(type="complete", id="1")


async def close(socket: Socket) -> None:
    await socket.connection.close()


async def abort(socket: Socket) -> None:
    socket.connection.transport.abort()


@pytest.mark.parametrize("leave", [complete, close, abort])
async def test_however_a_client_leaves_nothing_stays(
    context: Context, leave: Callable[[Socket], Awaitable[None]]
) -> None:
    room = room_of(context.services)
    async with server_of(context.services) as address:
        before = len(asyncio.all_tasks())
        async with socket_to(address) as socket:
            await socket.start()
            await socket.subscribe("1", FOLLOW)
            await until(lambda: len(room) == 1)
            await create_task(context, "default", "t", None, task("1"))
            message = await socket.receive()
            assert message["payload"]["data"]["revisionPublished"]["number"] == 1
            await leave(socket)
            await until(lambda: len(room) == 0)
        await until(lambda: len(asyncio.all_tasks()) <= before)


async def test_it_is_served_as_an_event_stream_too(context: Context) -> None:
    app = create_app(Settings(), context.services, build_schema())
    room = room_of(context.services)
    async with serving(app.asgi) as address:
        reader, writer = await asyncio.open_connection(*address.split(":"))
        body = b'{"query": "subscription { revisionPublished { ref } }"}'
        head = (
            f"POST /graphql HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await until(lambda: len(room) == 1)
        published = await create_task(context, "default", "t", None, task("1"))
        text = await asyncio.wait_for(reader.readuntil(published.revision.digest.encode()), 10)
        assert b"text/event-stream" in text
        writer.transport.abort()
        await until(lambda: len(room) == 0)


@pytest.mark.slow
async def test_five_hundred_subscribers_on_two_servers(
    context: Context, elsewhere: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []
    read = storage.read

    async def counted(database: Database, insertions: Any) -> Any:
        reads.append(len(insertions))
        return await read(database, insertions)

    monkeypatch.setattr(storage, "read", counted)
    rooms = [room_of(context.services), room_of(elsewhere)]
    async with server_of(context.services) as one, server_of(elsewhere) as other, contextlib.AsyncExitStack() as stack:
        before = len(asyncio.all_tasks())
        sockets: list[Socket] = []
        for address in (one, other):
            for _ in range(5):
                sockets.append(await (await stack.enter_async_context(socket_to(address))).start())
        for socket in sockets:
            for index in range(50):
                await socket.subscribe(str(index), FOLLOW)
        await until(lambda: [len(room) for room in rooms] == [250, 250])
        for number in range(1, 6):
            await replace_task(context, "default", "a", None, task(f"a {number}"))
            await replace_task(Context(elsewhere), "default", "b", None, task(f"b {number}"))
        told = await asyncio.gather(*(receive(socket, 50 * 10) for socket in sockets))
        assert sum(reads) == 2 * 10
        for events in told:
            assert set(events) == {str(index) for index in range(50)}
            for seen in events.values():
                assert sorted(seen) == [("default/a", n) for n in range(1, 6)] + [("default/b", n) for n in range(1, 6)]
                assert [n for ref, n in seen if ref == "default/a"] == [1, 2, 3, 4, 5]
                assert [n for ref, n in seen if ref == "default/b"] == [1, 2, 3, 4, 5]
        for socket in sockets:
            await socket.connection.close()
        await until(lambda: [len(room) for room in rooms] == [0, 0])
        await until(lambda: len(asyncio.all_tasks()) <= before)


async def receive(socket: Socket, count: int) -> dict[str, list[tuple[str, int]]]:
    """What each of the socket's subscriptions was told, `count` messages in all."""
    events: dict[str, list[tuple[str, int]]] = {}
    for _ in range(count):
        message = await socket.receive()
        assert message["type"] == "next", message
        event = message["payload"]["data"]["revisionPublished"]
        events.setdefault(message["id"], []).append((event["ref"].partition("#")[0], event["number"]))
    return events
