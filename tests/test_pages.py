"""Pages: the Relay algorithm over keyset cursors, against a plain model."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.errors import BadUserInput
from storage.cursors import encode, signature_of
from storage.driver import Database, Document, ObjectId
from storage.pages import Order, OrderField, PageRequest, Positions, Slice, fetch

pytestmark = pytest.mark.anyio

START = datetime(2026, 1, 1, tzinfo=UTC)
# Names whose order by code point, by UTF-16 unit and by locale differ.
NAMES = ["a", "B", "b", "é", "ß", "z", "Ω", "あ", "豈", "𐐀", "𝐀", "0", "_", "-", "."]

rows = st.lists(
    st.tuples(
        st.text(st.sampled_from(NAMES), min_size=1, max_size=3),
        st.integers(0, 3),
        st.sampled_from(["red", "blue"]),
    ),
    max_size=25,
    unique_by=lambda row: row[0],
)
orders = st.builds(Order, st.sampled_from(list(OrderField)), st.booleans())
sizes = st.none() | st.integers(0, 8)


async def fill(database: Database, drawn: Sequence[tuple[str, int, str]]) -> str:
    """A workspace of its own for one example."""
    workspace = uuid4().hex
    if drawn:
        await database["tasks"].insert_many([document(workspace, *row) for row in drawn])
    return workspace


def document(workspace: str, name: str, moment: int, color: str) -> dict[str, Any]:
    at = START + timedelta(milliseconds=moment)
    return {"workspace": workspace, "name": name, "project": color, "createdAt": at, "updatedAt": at}


def model(documents: Sequence[Document], order: Order) -> list[Document]:
    """The whole list in order."""
    key = (lambda row: row["name"]) if order.field == "name" else (lambda row: (row[order.field], row["_id"]))
    return sorted(documents, key=key, reverse=order.descending)


def relay(whole: list[Any], after: int | None, before: int | None, page: PageRequest) -> tuple[list[Any], bool, bool]:
    """The algorithm of the Relay specification over a list in memory; `offset` skips from the start."""
    start = 0 if after is None else after + 1
    edges = whole[max(start, page.offset or 0) : len(whole) if before is None else before]
    if page.last is not None:
        chosen = edges[max(0, len(edges) - page.last) :]
        return chosen, before is not None, len(edges) > page.last
    size = 100 if page.first is None else page.first
    return edges[:size], len(edges) > size, after is not None or bool(page.offset and whole)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    drawn=rows,
    order=orders,
    color=st.sampled_from([None, "red"]),
    ends=st.tuples(st.none() | st.integers(0, 24), st.none() | st.integers(0, 24)),
    size=sizes,
    from_end=st.booleans(),
    offset=st.none() | st.integers(0, 30),
)
async def test_any_page_agrees_with_a_plain_model(
    database: Database,
    drawn: list[tuple[str, int, str]],
    order: Order,
    color: str | None,
    ends: tuple[int | None, int | None],
    size: int | None,
    from_end: bool,
    offset: int | None,
) -> None:
    workspace = await fill(database, drawn)
    query = {"workspace": workspace} if color is None else {"workspace": workspace, "project": color}
    whole = model(await database["tasks"].find(query).to_list(None), order)
    after, before = (None if end is None or not whole else end % len(whole) for end in ends)
    page = PageRequest(
        first=None if from_end else size,
        last=(size or 0) if from_end else None,
        after=None if after is None else place(whole[after], query, order),
        before=None if before is None else place(whole[before], query, order),
        offset=offset if after is before is None and not from_end else None,
    )
    found = await fetch(database["tasks"], query, order, page)
    expected, has_next, has_previous = relay(whole, after, before, page)
    assert [row["_id"] for row in found.documents] == [row["_id"] for row in expected]
    assert list(found.cursors) == [place(row, query, order) for row in expected]
    assert (found.has_next, found.has_previous) == (has_next, has_previous)


def place(row: Document, query: dict[str, Any], order: Order) -> str:
    return encode(order.field, order.descending, row[order.field], row["_id"], signature_of("tasks", query))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=rows, order=orders, size=st.integers(1, 7), backward=st.booleans())
async def test_walking_a_list_page_by_page_loses_and_repeats_nothing(
    database: Database, drawn: list[tuple[str, int, str]], order: Order, size: int, backward: bool
) -> None:
    query = {"workspace": await fill(database, drawn)}
    whole = model(await database["tasks"].find(query).to_list(None), order)
    walked: list[Any] = []
    page = PageRequest(last=size) if backward else PageRequest(first=size)
    while True:
        found = await fetch(database["tasks"], query, order, page)
        ids = [row["_id"] for row in found.documents]
        walked = ids + walked if backward else walked + ids
        if not (found.has_previous if backward else found.has_next):
            break
        assert len(ids) == size
        page = replace(page, before=found.cursors[0]) if backward else replace(page, after=found.cursors[-1])
    assert walked == [row["_id"] for row in whole]


@pytest.mark.parametrize("field", [OrderField.NAME, OrderField.CREATED_AT])
@pytest.mark.parametrize("descending", [False, True])
async def test_rows_that_come_and_go_between_pages_move_no_other(
    database: Database, field: OrderField, descending: bool
) -> None:
    workspace = await fill(database, [(f"task-{index:02}", index % 3, "red") for index in range(0, 40, 2)])
    query, order = {"workspace": workspace}, Order(field, descending)
    before = [row["_id"] for row in model(await database["tasks"].find(query).to_list(None), order)]
    walked: list[Any] = []
    page = PageRequest(first=4)
    step = 0
    while True:
        found = await fetch(database["tasks"], query, order, page)
        walked += [row["_id"] for row in found.documents]
        if not found.has_next:
            break
        await database["tasks"].insert_one(document(workspace, f"task-{step * 8 + 1:02}", step % 3, "red"))
        # The row that the cursor names goes: its place stays.
        await database["tasks"].delete_one({"_id": found.documents[-1]["_id"]})
        page = PageRequest(first=4, after=found.cursors[-1])
        step += 1
    assert [identity for identity in walked if identity in before] == before
    assert len(walked) == len(set(walked))


async def three(database: Database) -> tuple[dict[str, Any], Slice]:
    query = {"workspace": await fill(database, [("a", 0, "red"), ("b", 0, "red"), ("c", 0, "red")])}
    return query, await fetch(database["tasks"], query, Order(), PageRequest())


@pytest.mark.parametrize(
    ("page", "argument"),
    [
        (PageRequest(first=-1), "first"),
        (PageRequest(first=1001), "first"),
        (PageRequest(last=-1), "last"),
        (PageRequest(last=1001), "last"),
        (PageRequest(first=1, last=1), "last"),
        (PageRequest(offset=-1), "offset"),
        (PageRequest(offset=10_001), "offset"),
        (PageRequest(offset=0, last=1), "offset"),
    ],
)
async def test_pages_that_cannot_be_meant_are_refused(database: Database, page: PageRequest, argument: str) -> None:
    with pytest.raises(BadUserInput) as refused:
        await fetch(database["tasks"], {}, Order(), page)
    assert refused.value.extensions["argument"] == argument


def at(argument: str, cursor: str) -> PageRequest:
    return PageRequest(after=cursor) if argument == "after" else PageRequest(before=cursor)


@pytest.mark.parametrize("argument", ["after", "before"])
async def test_offset_excludes_cursors(database: Database, argument: str) -> None:
    query, found = await three(database)
    page = replace(at(argument, found.cursors[0]), offset=0)
    with pytest.raises(BadUserInput, match="cursors exclude it"):
        await fetch(database["tasks"], query, Order(), page)


@pytest.mark.parametrize("argument", ["after", "before"])
async def test_cursors_of_another_list_filter_or_order_are_refused(database: Database, argument: str) -> None:
    query, found = await three(database)
    page = at(argument, found.cursors[0])
    for other, order in (
        (query, Order(descending=True)),
        (query, Order(OrderField.NAME)),
        (query, Order(OrderField.UPDATED_AT)),
        ({**query, "project": "red"}, Order()),
        ({"workspace": "other"}, Order()),
    ):
        with pytest.raises(BadUserInput, match="belongs to another") as refused:
            await fetch(database["tasks"], other, order, page)
        assert refused.value.extensions["argument"] == argument
    with pytest.raises(BadUserInput, match="another list"):
        await fetch(database["tasksets"], query, Order(), page)


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "%",
        "é",
        "\ud800",
        "YXJyYXljb25uZWN0aW9uOjA=",
        "bnVsbA",
        "[" * 50_000,
    ],
)
async def test_rubbish_is_no_cursor(database: Database, raw: str) -> None:
    with pytest.raises(BadUserInput):
        await fetch(database["tasks"], {}, Order(), PageRequest(after=raw))


HOSTILE: list[tuple[str, Any, Any]] = [
    ("createdAt", None, "0" * 24),
    ("createdAt", True, "0" * 24),
    ("createdAt", "2026", "0" * 24),
    ("createdAt", 2**70, "0" * 24),
    ("createdAt", 2**62, "0" * 24),
    ("createdAt", 1.5, "0" * 24),
    ("createdAt", 0, None),
    ("createdAt", 0, 5),
    ("createdAt", 0, "zz"),
    ("createdAt", 0, "twelve chars"),
    ("createdAt", {"$gt": 0}, "0" * 24),
    ("name", "\ud800", "0" * 24),
    ("name", 1, "0" * 24),
    ("name", ["a"], "0" * 24),
    ("number", 2**64, "0" * 24),
    ("parent", "0" * 23, "0" * 24),
]


@pytest.mark.parametrize(("field", "value", "identity"), HOSTILE)
async def test_a_forged_cursor_is_refused_before_it_reaches_the_database(
    database: Database, field: str, value: Any, identity: Any
) -> None:
    forged = encode(field, False, value, identity, signature_of("tasks", {}))
    with pytest.raises(BadUserInput, match="is not a cursor"):
        await fetch(database["tasks"], {}, Order(field), PageRequest(after=forged))


@given(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_no_text_breaks_the_reading_of_cursors(text: str) -> None:
    with pytest.raises(BadUserInput):
        Positions(3, ObjectId(), "members").window(PageRequest(after=text))


async def test_a_page_of_none_says_what_lies_beyond(database: Database) -> None:
    query, _ = await three(database)
    nothing = await fetch(database["tasks"], query, Order(), PageRequest(first=0))
    assert (nothing.documents, nothing.has_next, nothing.has_previous) == ([], True, False)
    nothing = await fetch(database["tasks"], query, Order(), PageRequest(last=0))
    assert (nothing.documents, nothing.has_next, nothing.has_previous) == ([], False, True)


async def test_an_offset_past_the_end_knows_whether_there_is_a_list(database: Database) -> None:
    query, _ = await three(database)
    beyond = await fetch(database["tasks"], query, Order(), PageRequest(offset=10))
    assert (beyond.documents, beyond.has_next, beyond.has_previous) == ([], False, True)
    empty = await fetch(database["tasks"], {"workspace": "none"}, Order(), PageRequest(offset=10))
    assert (empty.documents, empty.has_next, empty.has_previous) == ([], False, False)


@given(
    length=st.integers(0, 12),
    after=st.none() | st.integers(0, 11),
    before=st.none() | st.integers(0, 11),
    size=sizes,
    from_end=st.booleans(),
)
def test_pages_of_a_list_in_memory_agree_with_the_model(
    length: int, after: int | None, before: int | None, size: int | None, from_end: bool
) -> None:
    places = Positions(length, ObjectId(), "members")
    after = after if after is not None and after < length else None
    before = before if before is not None and before < length else None
    page = PageRequest(
        first=None if from_end else size,
        last=size if from_end else None,
        after=None if after is None else places.cursors([after])[0],
        before=None if before is None else places.cursors([before])[0],
    )
    chosen, cursors, has_next, has_previous = places.page(page)
    assert (list(chosen), has_next, has_previous) == relay(list(range(length)), after, before, page)
    assert [places.window(PageRequest(after=cursor)).start - 1 for cursor in cursors] == list(chosen)


def test_a_list_in_memory_refuses_the_cursors_of_another() -> None:
    owner = ObjectId()
    cursor = Positions(3, owner, "members").cursors([1])[0]
    for other in (Positions(3, ObjectId(), "members"), Positions(3, owner, "outdatedMembers")):
        with pytest.raises(BadUserInput, match="another list"):
            other.window(PageRequest(after=cursor))
