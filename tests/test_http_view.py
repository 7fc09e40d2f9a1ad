"""What `/graphql` answers over HTTP, beyond the audits of the specification."""

import asyncio
import gzip
import json
from typing import Any

import httpx
import pytest

from domain.limits import MAX_ANSWER_BYTES, MAX_BODY_BYTES
from tests.graphql_client import GRAPHQL_JSON
from tests.small_schema import probe
from tests.transport_fixtures import client

pytestmark = pytest.mark.anyio

TWO_OPERATIONS = 'query A { hello } query B { hello(name: "B") }'


async def post(body: object, **headers: str) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"content-type": "application/json", "accept": GRAPHQL_JSON, **headers}
    return await client().http.post("/graphql", content=content, headers=headers)


def only_code(response: httpx.Response) -> Any:
    answer = response.json()
    assert "data" not in answer
    assert len(answer["errors"]) == 1
    return answer["errors"][0]["extensions"]["code"]


async def test_two_operations_without_a_name_are_not_guessed() -> None:
    result = await client().execute(TWO_OPERATIONS)
    assert result.response.status_code == 400
    assert result.codes == ["OPERATION_RESOLUTION_FAILURE"]
    assert "data" not in result.response.json()


async def test_the_named_operation_runs() -> None:
    result = await client().execute(TWO_OPERATIONS, operation_name="B")
    assert result.data == {"hello": "Hello, B!"}


@pytest.mark.parametrize("name", ["C", ""])
async def test_an_unknown_operation_name_is_refused(name: str) -> None:
    result = await client().execute(TWO_OPERATIONS, operation_name=name)
    assert result.codes == ["OPERATION_RESOLUTION_FAILURE"]


async def test_a_coercion_failure_is_a_request_error() -> None:
    result = await client().execute("query ($to: Int!) { count(to: $to) }", {"to": "x"})
    assert result.response.status_code == 400
    assert "data" not in result.response.json()
    assert result.codes == ["BAD_USER_INPUT"]


@pytest.mark.parametrize("body", [None, "str", 7, True, [], [{"query": "{hello}"}], {}, {"query": 7}])
async def test_bodies_that_are_no_request(body: object) -> None:
    response = await post(body)
    assert response.status_code == 400
    assert only_code(response) == "BAD_REQUEST"


@pytest.mark.parametrize("key", ["variables", "extensions"])
@pytest.mark.parametrize("value", [[], "{}", 7, False])
async def test_parameters_of_another_type(key: str, value: object) -> None:
    response = await post({"query": "{ hello }", key: value})
    assert response.status_code == 400
    assert only_code(response) == "BAD_REQUEST"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b'{"query":"\xff"}',
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"query": "{ hello }", "variables": {"a": "\\ud800"}}',
    ],
)
async def test_bodies_that_are_not_json(body: bytes) -> None:
    response = await post(body)
    assert response.status_code == 400
    assert only_code(response) == "BAD_REQUEST"


async def test_unknown_keys_are_ignored() -> None:
    response = await post({"query": "{ hello }", "id": 7, "extra": []})
    assert response.json() == {"data": {"hello": "Hello, you!"}}


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/json; charset=latin-1"],
)
async def test_other_content_types_are_415(content_type: str) -> None:
    response = await post({"query": "{ hello }"}, **{"content-type": content_type})
    assert response.status_code == 415
    assert only_code(response) == "UNSUPPORTED_MEDIA_TYPE"
    assert response.headers["accept"] == "application/json"


async def test_an_encoded_body_is_415() -> None:
    response = await post(gzip.compress(b'{"query":"{ hello }"}'), **{"content-encoding": "gzip"})
    assert response.status_code == 415
    assert only_code(response) == "UNSUPPORTED_ENCODING"
    assert response.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("application/json", "application/json"),
        ("application/graphql-response+json", GRAPHQL_JSON),
        ("application/json;q=0.5, application/graphql-response+json", GRAPHQL_JSON),
        ("application/graphql-response+json;q=0.4, application/json;q=0.5", "application/json"),
        ("application/graphql-response+json, text/event-stream, application/json", GRAPHQL_JSON),
        ("application/graphql-response+json, text/event-stream;q=0.1", GRAPHQL_JSON),
        ("text/html, */*;q=0.1", "application/json"),
    ],
)
async def test_accept(accept: str, media: str) -> None:
    response = await post({"query": "{ hello }"}, accept=accept)
    assert response.status_code == 200
    assert response.headers["content-type"] == f"{media}; charset=utf-8"


@pytest.mark.parametrize(
    "accept", ["image/png", "text/html", "application/json;q=0", "application/json;charset=latin-1"]
)
async def test_nothing_acceptable_is_406(accept: str) -> None:
    response = await post({"query": "{ hello }"}, accept=accept)
    assert response.status_code == 406
    assert only_code(response) == "NOT_ACCEPTABLE"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
async def test_other_methods_are_405(method: str) -> None:
    response = await client().http.request(method, "/graphql")
    assert response.status_code == 405
    assert response.headers["allow"] == "GET, POST"


async def test_a_mutation_by_get_is_405_and_changes_nothing() -> None:
    response = await client().http.get("/graphql", params={"query": 'mutation { write(text: "x") }'})
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    assert probe.written == []


async def test_a_query_by_get_with_variables() -> None:
    parameters = {"query": "query ($to: Int!) { count(to: $to) }", "variables": '{"to": 3}'}
    response = await client().http.get("/graphql", params=parameters)
    assert response.json() == {"data": {"count": 3}}


async def test_a_subscription_by_post_is_refused_and_told_how() -> None:
    result = await client().execute("subscription { ticks }")
    assert result.response.status_code == 400
    assert result.codes == ["BAD_REQUEST"]
    assert "text/event-stream" in result.errors[0]["message"]


async def test_a_bug_is_masked_and_its_neighbours_are_unharmed() -> None:
    result = await client().execute("{ broken hello }")
    assert result.response.status_code == 200
    assert result.data == {"broken": None, "hello": "Hello, you!"}
    assert result.codes == ["INTERNAL_SERVER_ERROR"]
    assert result.errors[0]["path"] == ["broken"]
    assert "secret" not in result.response.text


async def test_an_error_of_a_request_keeps_its_message_and_extensions() -> None:
    result = await client().execute("{ refused }")
    assert result.errors[0]["message"] == "first must lie between 0 and 1000."
    assert result.errors[0]["extensions"] == {"code": "BAD_USER_INPUT", "limit": 1000}


async def test_a_user_error_of_a_read_is_bad_user_input() -> None:
    result = await client().execute("{ invalid }")
    assert result.errors[0]["extensions"] == {"code": "BAD_USER_INPUT", "argumentPath": ["name"]}


async def test_a_null_that_reaches_the_root_is_no_request_error() -> None:
    result = await client().execute("{ brokenForGood }")
    assert result.response.status_code == 200
    assert "data" in result.response.json()
    assert result.codes == ["INTERNAL_SERVER_ERROR"]


async def test_text_that_is_not_unicode_does_not_leave_us() -> None:
    result = await client().execute("{ surrogate }")
    assert result.response.status_code == 500
    assert result.codes == ["INTERNAL_SERVER_ERROR"]


async def test_an_answer_within_its_limit_and_one_over_it() -> None:
    http = client()
    within = await http.execute("{ large(megabytes: 63) }")
    assert len(within.response.content) < MAX_ANSWER_BYTES
    assert within.errors == []
    over = await http.execute("{ large(megabytes: 64) }")
    assert over.codes == ["RESPONSE_TOO_LARGE"]
    assert over.errors[0]["extensions"]["limit"] == MAX_ANSWER_BYTES


async def test_a_body_at_its_limit_and_one_over_it() -> None:
    start = b'{"query": "{ hello }", "variables": {"x": "'
    fitting = start + b"x" * (MAX_BODY_BYTES - len(start) - 3) + b'"}}'
    assert len(fitting) == MAX_BODY_BYTES
    assert (await post(fitting)).json() == {"data": {"hello": "Hello, you!"}}
    response = await post(fitting + b" ")
    assert response.status_code == 413
    assert only_code(response) == "REQUEST_TOO_LARGE"


async def test_a_body_without_an_announced_length_is_counted_as_it_comes() -> None:
    sent = 0

    async def chunks() -> Any:
        nonlocal sent
        for _ in range(40):
            sent += 1
            yield b" " * (1024 * 1024)

    response = await client().http.post("/graphql", content=chunks(), headers={"content-type": "application/json"})
    assert response.status_code == 413
    assert sent <= 18


async def test_a_request_id_is_kept_or_made() -> None:
    assert (await post({"query": "{ hello }"}, **{"x-request-id": "abc-1"})).headers["x-request-id"] == "abc-1"
    made = (await post({"query": "{ hello }"}, **{"x-request-id": "a\tb"})).headers["x-request-id"]
    assert len(made) == 16


async def test_a_query_over_its_time_is_ended() -> None:
    http = client()
    http.engine.seconds = 0.05
    result = await http.execute("{ held }")
    assert result.response.status_code == 503
    assert result.codes == ["OPERATION_TIMEOUT"]


async def test_a_mutation_over_its_time_is_ended_before_it_writes() -> None:
    http = client()
    http.engine.seconds = 0.05
    result = await http.execute("mutation { hold }")
    assert result.codes == ["OPERATION_TIMEOUT"]
    probe.gate.set()
    await asyncio.sleep(0)
    assert probe.written == []


async def test_a_mutation_that_has_begun_to_write_is_never_cut() -> None:
    http = client()
    http.engine.seconds = 0.05
    running = asyncio.create_task(http.execute("mutation { holdWriting }"))
    await asyncio.wait({running}, timeout=0.2)
    assert not running.done()
    probe.gate.set()
    assert (await running).data == {"holdWriting": "held"}


async def test_every_operation_has_a_context_of_its_own() -> None:
    http = client()
    await http.execute("{ hello }")
    await http.execute("{ hello }")
    assert len(probe.contexts) == 2


async def test_other_paths_answer_json() -> None:
    response = await client().http.get("/nothing")
    assert response.status_code == 404
    assert only_code(response) == "NOT_FOUND"


async def test_of_two_headers_of_one_name_the_first_counts() -> None:
    headers = [("content-type", "application/json"), ("accept", GRAPHQL_JSON), ("accept", "text/html")]
    response = await client().http.post("/graphql", content=b'{"query": "{ hello }"}', headers=headers)
    assert response.status_code == 200
    assert response.headers["content-type"] == f"{GRAPHQL_JSON}; charset=utf-8"


async def test_a_slash_too_many_leads_to_the_right_path() -> None:
    response = await client().http.get("/graphql/", params={"query": "{ hello }"})
    assert response.status_code == 307
    assert httpx.URL(response.headers["location"]).path == "/graphql"
