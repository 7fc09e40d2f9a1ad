"""Each limit of an operation: what lies exactly at it runs, one more is refused with a code that states the limit."""

import pytest
from graphql import GraphQLSyntaxError, Lexer, Source, TokenKind
from hypothesis import given
from hypothesis import strategies as st

from domain.limits import MAX_ALIASES, MAX_QUERY_COST, MAX_QUERY_DEPTH, MAX_QUERY_TOKENS, MAX_ROOT_FIELDS
from schema.execution import documents as reading
from schema.execution.documents import Documents
from tests.graphql_client import socket_to
from tests.small_schema import schema
from tests.transport_fixtures import client, running

pytestmark = pytest.mark.anyio


def documents() -> Documents:
    return Documents(schema._schema)


def deep(fields: int) -> str:
    """A query of so many nested fields, the leaf included."""
    return "{ item " + "{ parent " * (fields - 2) + "{ name }" + " }" * (fields - 2) + " }"


def aliased(count: int) -> str:
    """A query with so many aliases below the root."""
    return "{ item { " + " ".join(f"a{number}: name" for number in range(count)) + " } }"


def root_fields(count: int) -> str:
    """A query of so many root fields, without aliases."""
    return "{ " + "hello " * count + "}"


def exactly(count: int) -> str:
    """A document of exactly so many tokens: every `name` is one."""
    return "{ item { " + "name " * (count - 5) + "} }"


LIMITS = [
    pytest.param(deep, MAX_QUERY_DEPTH, "QUERY_TOO_DEEP", id="depth"),
    pytest.param(aliased, MAX_ALIASES, "TOO_MANY_ALIASES", id="aliases"),
    pytest.param(root_fields, MAX_ROOT_FIELDS, "TOO_MANY_ROOT_FIELDS", id="root fields"),
]


@pytest.mark.parametrize(("document", "limit", "code"), LIMITS)
async def test_at_the_limit_and_one_over(document: object, limit: int, code: str) -> None:
    assert callable(document)
    assert (await client().execute(document(limit))).errors == []
    over = await client().execute(document(limit + 1))
    assert over.response.status_code == 400
    assert "data" not in over.response.json()
    assert over.codes == [code]
    assert over.errors[0]["extensions"] == {"code": code, "limit": limit, "actual": limit + 1}
    assert f"{limit:,}" in over.errors[0]["message"]


async def test_tokens_at_the_limit_and_one_over() -> None:
    within = documents().read(exactly(MAX_QUERY_TOKENS))
    assert "TOO_MANY_TOKENS" not in [getattr(error.original_error, "code", "") for error in within.errors]
    result = await client().execute(exactly(MAX_QUERY_TOKENS + 1))
    assert result.codes == ["TOO_MANY_TOKENS"]
    assert result.errors[0]["extensions"]["limit"] == MAX_QUERY_TOKENS


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ("{ " + " ".join(f"a{number}: hello" for number in range(5_000)) + " }", "TOO_MANY_TOKENS"),
        ("{ " + " ".join(f"a{number}: hello" for number in range(3_000)) + " }", "TOO_MANY_ALIASES"),
        ("{ " + "hello " * 200_000 + "}", "TOO_MANY_TOKENS"),
        ("{ item " + "{ parent " * 2_000 + "{ name }" + "}" * 2_001, "QUERY_TOO_DEEP"),
    ],
    ids=["aliases beyond tokens", "aliases", "tokens", "depth"],
)
async def test_far_over_a_limit(document: str, code: str) -> None:
    result = await client().execute(document)
    assert code in result.codes
    assert result.response.status_code == 400


async def test_limits_see_through_fragments() -> None:
    fragments = "fragment A on Query { item { parent { ...B } } } fragment B on Item "
    nested = "{ ...A } " + fragments + deep(15).removeprefix("{ item").removesuffix(" }")
    assert (await client().execute(nested)).codes == ["QUERY_TOO_DEEP"]
    spread = "{ item { ...A ...A } } fragment A on Item { " + " ".join(f"a{n}: name" for n in range(51)) + " }"
    assert (await client().execute(spread)).codes == ["TOO_MANY_ALIASES"]


async def test_fragments_that_multiply_are_measured_without_expanding_them() -> None:
    bomb = "{ item { ...F0 } } " + " ".join(
        f"fragment F{number} on Item {{ ...F{number + 1} ...F{number + 1} }}" for number in range(60)
    )
    bomb += " fragment F60 on Item { x: name }"
    result = await client().execute(bomb)
    assert result.codes == ["TOO_MANY_ALIASES"]
    assert result.errors[0]["extensions"]["actual"] == 2**60


async def test_a_fragment_cycle_is_named_by_validation() -> None:
    result = await client().execute("{ item { ...A } } fragment A on Item { parent { ...A } }")
    assert result.codes == ["GRAPHQL_VALIDATION_FAILED"]


def cost(document: str, variables: dict[str, object] | None = None) -> int:
    read = documents().read(document)
    assert read.errors == ()
    return next(iter(read.operations.values())).cost(variables or {})


@pytest.mark.parametrize(
    ("document", "variables", "expected"),
    [
        ("{ hello }", {}, 0),
        ("{ item { name } }", {}, 1),
        ("{ item { parent { name } } }", {}, 2),
        ("{ items { nodes { name } } }", {}, 1 + 100),
        ("{ items(first: null) { nodes { name } } }", {}, 1 + 100),
        ("{ items(first: 10) { nodes { name } pageInfo { hasNextPage } } }", {}, 1 + 10 + 1),
        ("{ items(first: 0) { nodes { name } } }", {}, 1),
        ("{ items(first: -5) { nodes { name } } }", {}, 1),
        ("{ items(last: 7) { nodes { name } } }", {}, 1 + 7),
        ("{ items(first: 1000000) { nodes { name } } }", {}, 1 + 1000),
        ("{ items(first: 10) { nodes { parent { name } } } }", {}, 1 + 10 * 2),
        ("{ items(first: 10) { nodes { items(first: 5) { nodes { name } } } } }", {}, 1 + 10 * (1 + 1 + 5)),
        ("query ($n: Int) { items(first: $n) { nodes { name } } }", {"n": 30}, 1 + 30),
        ("query ($n: Int) { items(first: $n) { nodes { name } } }", {}, 1 + 100),
        ("query ($n: Int) { items(first: $n) { nodes { name } } }", {"n": None}, 1 + 100),
        ("query ($n: Int = 20) { items(first: $n) { nodes { name } } }", {}, 1 + 20),
        ("query ($n: Int = 20) { items(first: $n) { nodes { name } } }", {"n": 4}, 1 + 4),
        ("query ($n: Int) { items(first: $n) { nodes { name } } }", {"n": "x"}, 1 + 100),
        ('{ nodes(ids: ["a", "b"]) { name } }', {}, 2),
        ("query ($i: [ID!]!) { nodes(ids: $i) { name } }", {"i": ["a", "b", "c"]}, 3),
        ("query ($i: [ID!]!) { nodes(ids: $i) { name } }", {"i": "a"}, 1),
        ("{ items(first: 3) { ...P } } fragment P on ItemConnection { nodes { name } }", {}, 1 + 3),
        ("{ ... on Query { items(first: 3) { nodes { name } } } }", {}, 1 + 3),
    ],
)
def test_cost(document: str, variables: dict[str, object], expected: int) -> None:
    assert cost(document, variables) == expected


async def test_cost_at_the_limit_and_one_over() -> None:
    document = "query ($a: Int, $b: Int, $c: Int) { items(first: $a) { nodes { items(first: $b) { nodes { name } } } } "
    document += "more: items(first: $c) { nodes { name } } }"
    within = await client().execute(document, {"a": 199, "b": 1000, "c": 600})
    assert cost(document, {"a": 199, "b": 1000, "c": 600}) == MAX_QUERY_COST
    assert within.errors == []
    over = await client().execute(document, {"a": 199, "b": 1000, "c": 601})
    assert over.codes == ["QUERY_TOO_COSTLY"]
    assert over.errors[0]["extensions"]["limit"] == MAX_QUERY_COST
    assert over.errors[0]["extensions"]["actual"] == MAX_QUERY_COST + 1


async def test_the_same_limits_on_each_transport() -> None:
    async with running() as server, socket_to(server.address) as socket:
        await socket.start()
        await socket.subscribe("1", deep(16))
        message = await socket.receive()
        assert message["type"] == "error"
        assert message["payload"][0]["extensions"]["code"] == "QUERY_TOO_DEEP"
    events = await client().http.get("/graphql", params={"query": deep(16)}, headers={"accept": "text/event-stream"})
    assert events.status_code == 200
    assert '"QUERY_TOO_DEEP"' in events.text
    assert events.text.endswith("event: complete\ndata: \n\n")


def test_a_document_is_read_once() -> None:
    known = documents()
    first = known.read("{ hello }")
    assert known.known("{ hello }") is first
    assert known.known("{ hello  }") is None


def test_the_memory_of_documents_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_DOCUMENTS", 5)
    known = documents()
    for number in range(8):
        known.read(f'{{ hello(name: "{number}") }}')
    assert len(known._known) == 5
    assert known._tokens == sum(document.tokens for document in known._known.values())


def test_reading_a_document_again_does_not_count_it_twice() -> None:
    known = documents()
    for _ in range(3):
        known.read("{ hello }")
    assert known._tokens == known.read("{ hello }").tokens


PIECES = ["name", *"{}()$!:@|=[]&", "...", "-12", "3.5e-7", "0", " ", ",", "\n", "# a comment { }\n", "#\n"]
STRINGS = ['"a b"', '""', '"\\""', '"#"', '"\\\\"', '"""x " y "" z"""', '"""\\""" still """', '""""""']


@given(st.lists(st.sampled_from(PIECES + STRINGS), max_size=60))
def test_tokens_are_counted_as_the_parser_counts_them(pieces: list[str]) -> None:
    text = " ".join(pieces)
    lexer, count = Lexer(Source(text)), 0
    while lexer.advance().kind is not TokenKind.EOF:
        count += 1
    counted = [match for match in reading._TOKEN.finditer(text) if match.lastgroup != "comment"]
    assert len(counted) == count


@given(st.text(alphabet='"\\#{}a1.-\n ', max_size=40))
def test_what_the_parser_reads_is_never_counted_higher(text: str) -> None:
    lexer, count = Lexer(Source(text)), 0
    try:
        while lexer.advance().kind is not TokenKind.EOF:
            count += 1
    except GraphQLSyntaxError:
        return
    assert len([match for match in reading._TOKEN.finditer(text) if match.lastgroup != "comment"]) == count
