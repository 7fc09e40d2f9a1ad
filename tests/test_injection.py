"""Operators of the database, line breaks and paths in whatever a client sends: data, and never anything else."""

import base64
import json
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import pytest
import structlog
from graphql import GraphQLEnumType, GraphQLInputObjectType, get_named_type, is_list_type, is_non_null_type

from domain.metrics import MetricType
from resolvers.context import Context
from resolvers.metrics import CreateMetric, create_metric, metrics
from resolvers.revisions import heads
from resolvers.tasks import create_task
from schema.build import build_schema
from server.app import create_app
from server.logging import configure
from server.settings import Settings
from storage.filters import HeadFilter, MetadataMatch, MetricFilter
from storage.pages import Order, PageRequest
from storage.records import TASK
from storage.services import Services
from tests.drafts import task
from tests.graphql_client import GraphQLClient
from tests.operations import run
from tests.schema_walk import document, root_fields
from tests.test_logging import Terminal

pytestmark = pytest.mark.anyio

METRIC: Final = MetricType.EXACT_MATCH
OPERATORS: Final[list[Any]] = [
    {"$gt": ""},
    {"$ne": None},
    {"$where": "sleep(10000)"},
    {"$expr": {"$function": {"body": "function() { return true }", "args": [], "lang": "js"}}},
    {"$regex": ".*"},
    [{"$gt": ""}],
    {"a.b": {"$exists": True}},
    {"__proto__": {"$gt": ""}, "constructor": 1},
]
TEXTS: Final = [
    "$where",
    "$$NOW",
    '{"$gt": ""}',
    "';return true;var x='",
    ".*",
    "a\x00b",
    "x\r\nSet-Cookie: a=b",
    "../../etc/passwd",
    "%2e%2e/",
    "$" * 300,
    "\u202e\u2028",
]


@pytest.fixture
async def stored(services: Services) -> Context:
    """One task, which nothing malicious may find."""
    context = Context(services)
    await create_task(context, "default", "plain", "p", task("?"))
    await create_metric(context, CreateMetric("default", "match", METRIC, {"reference": "x"}))
    return context


def spoilt(type_: Any, json_value: Any, text: str) -> Any:
    """A value of a type with something malicious at every place that takes JSON or text."""
    if is_non_null_type(type_):
        return spoilt(type_.of_type, json_value, text)
    if is_list_type(type_):
        return [spoilt(type_.of_type, json_value, text)]
    if isinstance(type_, GraphQLInputObjectType):
        fields = list(type_.fields.items())
        if type_.is_one_of:
            fields = fields[:1]
        return {name: spoilt(field.type, json_value, text) for name, field in fields}
    if isinstance(type_, GraphQLEnumType):
        return next(iter(type_.values))
    return {"JSON": json_value, "Boolean": False, "Int": 1, "Float": 1.0, "BigInt": 1, "DateTime": MOMENT}.get(
        get_named_type(type_).name, text
    )


MOMENT: Final = "2026-01-31T12:00:00.000Z"


def cases() -> Iterator[tuple[str, str]]:
    for kind in ("Query", "Mutation"):
        yield from ((kind, name) for name in root_fields(kind))


@pytest.mark.parametrize(("kind", "name"), list(cases()))
async def test_nothing_malicious_is_a_query_or_a_bug(stored: Context, kind: str, name: str) -> None:
    definition = root_fields(kind)[name]
    for index in range(max(len(OPERATORS), len(TEXTS))):
        operator, text = OPERATORS[index % len(OPERATORS)], TEXTS[index % len(TEXTS)]
        values = {argument: spoilt(each.type, operator, text) for argument, each in definition.args.items()}
        for argument in ("last", "before", "offset", "after"):
            values.pop(argument, None)
        answer = await run(document(kind, name, definition, values, depth=2), values, stored)
        codes = {error["extensions"]["code"] for error in answer.get("errors", ())}
        assert "INTERNAL_SERVER_ERROR" not in codes, (values, answer)
        found = (answer.get("data") or {}).get(name)
        if kind == "Query" and isinstance(found, dict) and set(values) - {"first"}:
            assert found.get("totalCount", 0) == 0, values
    tasks = await stored.services.database["tasks"].find({}, {"name": 1}).to_list(None)
    assert [document["name"] for document in tasks] == ["plain"]


@pytest.mark.parametrize("operator", OPERATORS)
async def test_an_object_is_no_text(stored: Context, operator: Any) -> None:
    answer = await run("query($n: String!) { task(name: $n) { id } }", {"n": operator}, stored)
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["BAD_USER_INPUT"]
    assert "data" not in answer


@pytest.mark.parametrize("operator", OPERATORS)
async def test_a_metadata_filter_compares_values(stored: Context, operator: Any) -> None:
    found = await heads(
        stored, TASK, "default", HeadFilter(metadata=[MetadataMatch("suite", operator)]), Order(), PageRequest()
    )
    assert found.items == ()


@pytest.mark.parametrize("text", [".*", "^p", "p|q", "[a-z]+", "$"])
async def test_a_part_of_a_name_is_no_pattern(stored: Context, text: str) -> None:
    found = await heads(stored, TASK, "default", HeadFilter(name_contains=text), Order(), PageRequest())
    assert found.items == ()
    listed = await metrics(stored, "default", MetricFilter(name_contains=text), Order(), PageRequest())
    assert listed.items == ()


@pytest.mark.parametrize("operator", OPERATORS)
async def test_json_comes_back_as_it_was_sent(stored: Context, operator: Any) -> None:
    labels = {"$set": operator, "a.b": operator, "": operator}
    record = await create_metric(stored, CreateMetric("default", "m", METRIC, {"reference": "x"}, labels=labels))
    assert record.labels == labels
    found = await metrics(stored, "default", MetricFilter(name_prefix="m"), Order(), PageRequest())
    assert next(item for item in found.items if item.name == "m").labels == labels


@pytest.mark.parametrize("value", [{"$gt": ""}, [1], None, True, 1e300, "x\x00"])
async def test_a_forged_cursor_is_refused(stored: Context, value: Any) -> None:
    raw = json.dumps([1, "name", 0, value, "0" * 24, "0" * 8])
    cursor = base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")
    query = "query($a: String) { tasks(orderBy: {field: NAME}, after: $a) { nodes { name } } }"
    answer = await run(query, {"a": cursor}, stored)
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["BAD_USER_INPUT"]


@pytest.fixture
async def client(services: Services) -> AsyncIterator[GraphQLClient]:
    app = create_app(Settings(), services, build_schema())
    client = GraphQLClient.over(app.asgi)
    yield client
    await client.http.aclose()


LINE_BREAKS: Final = ["a\nfake=1", "a\r\n2026-01-01 [error] fake", "a\u2028b", "\x1b[2Kb", "a\x85b"]


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Everything that is logged, at level info, as JSON."""
    before, handlers, level = structlog.get_config(), logging.getLogger().handlers, logging.getLogger().level
    stream = Terminal(is_terminal=False)
    monkeypatch.setattr(sys, "stderr", stream)
    configure("json", "info")
    structlog.configure(cache_logger_on_first_use=False)
    yield stream
    structlog.configure(**before)
    logging.getLogger().handlers = handlers
    logging.getLogger().setLevel(level)


@pytest.mark.parametrize("text", LINE_BREAKS)
async def test_nothing_a_client_sends_starts_a_line_of_the_log(log: Terminal, client: GraphQLClient, text: str) -> None:
    await client.execute("query Walk($n: String!) { task(name: $n) { id } }", {"n": text}, "Walk")
    create = "mutation($n: String!) { createWorkspace(input: {name: $n}) { errors { message } } }"
    await client.execute(create, {"n": text})
    await client.http.post("/graphql", json={"query": "{ __typename }"}, headers=[(b"x-request-id", text.encode())])
    logging.getLogger("pinset").warning("%s", text)
    log.seek(0)
    lines = log.read().split("\n")
    assert sum(bool(line) for line in lines) >= 4
    for line in lines:
        assert not line or isinstance(json.loads(line), dict)


@pytest.mark.parametrize("value", [b"a\r\nset-cookie: x=1", b"a b", b"\xff", b"a" * 65, b"../x"])
async def test_a_request_id_that_could_harm_is_replaced(client: GraphQLClient, value: bytes) -> None:
    response = await client.http.post("/graphql", json={"query": "{ __typename }"}, headers=[(b"x-request-id", value)])
    assert response.headers["x-request-id"] != value.decode("latin-1")
    assert len(response.headers["x-request-id"]) == 16
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize(
    "path",
    [
        "/static/../settings.py",
        "/static/%2e%2e/settings.py",
        "/static/..%2fsettings.py",
        "/static/%2e%2e%2fapp.py",
        "/static//etc/passwd",
        "/static/graphiql/../../app.py",
        "/static/\\..\\app.py",
        "/static/%00",
        "/blobs/../graphql",
        "/blobs/%2e%2e",
        "/blobs/" + "A" * 64,
    ],
)
async def test_paths_lead_nowhere_else(client: GraphQLClient, path: str) -> None:
    response = await client.http.get(client.http.base_url.copy_with(raw_path=path.encode()))
    assert response.status_code in (400, 404, 405), response.text
    assert "import" not in response.text
    assert "root:" not in response.text
