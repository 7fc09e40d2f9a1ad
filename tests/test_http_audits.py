"""The 61 server audits of the npm package graphql-http by their ids, the reference suite of GraphQL over HTTP."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.transport_fixtures import client

pytestmark = pytest.mark.anyio

GRAPHQL = "application/graphql-response+json"
JSON = "application/json"
TYPENAME = "{ __typename }"
UNKNOWN_FIELD = "{ 8f31403dfe404bccbb0e835f2629c6a7 }"
TYPE_BY_NAME = "query Type($name: String!) { __type(name: $name) { name } }"
COERCION = {"query": "query CoerceFailure($id: ID!){ __typename }", "variables": {"id": None}}
NOT_JSON = b'{ "not a JSON'
INVALID: list[object] = [{"obj": "ect"}, 0, False, ["array"]]
NOT_A_MAP: list[object] = ["string", 0, False, ["array"]]


@dataclass(frozen=True)
class Audit:
    """A request, and what its answer must be: a range of statuses, a media type, errors or none, data or none."""

    identity: str
    body: object = None
    accept: str | None = None
    statuses: range = range(200, 201)
    media: str | None = None
    content_type: str | None = JSON
    parameters: dict[str, str] | None = None
    no_errors: bool = False
    no_data: bool = False


BAD = range(400, 401)
CLIENT = range(400, 500)
FAILURE = range(400, 600)

AUDITS = [
    Audit("22EB", {"query": TYPENAME}, GRAPHQL, media=GRAPHQL),
    Audit("4655", {"query": TYPENAME}, JSON, media=JSON),
    Audit("47DE", {"query": TYPENAME}, "*/*", media=JSON),
    Audit("80D8", {"query": TYPENAME}, media=JSON),
    Audit("82A3", {"query": TYPENAME}),
    Audit("BF61", {"query": '{ __type(name: "Run🏃Swim🏊") { name } }'}, content_type=f"{JSON}; charset=utf-8"),
    Audit("78D5", {"query": TYPENAME}),
    Audit("2C94", {"query": TYPENAME}),
    Audit("5A70", parameters={"query": TYPENAME}),
    Audit("9C48", accept=GRAPHQL, parameters={"query": "mutation { __typename }"}, statuses=CLIENT),
    Audit("9ABE", {"query": TYPENAME}, content_type=None, statuses=CLIENT),
    Audit("03D4", {"query": TYPENAME}),
    Audit("A5BF", b"", statuses=BAD),
    Audit("423L", {"notquery": TYPENAME}, GRAPHQL, BAD),
    *(Audit(f"LKJ{index}", {"query": value}, statuses=BAD) for index, value in enumerate(INVALID)),
    Audit("34A2", {"query": TYPENAME}, GRAPHQL),
    Audit("13EE", {"query": TYPENAME}, JSON, no_errors=True),
    *(
        Audit(f"6C0{index}", {"query": TYPENAME, "operationName": value}, statuses=BAD)
        for index, value in enumerate(INVALID)
    ),
    Audit("8161", {"query": "query Query { __typename }", "operationName": "Query"}, GRAPHQL),
    Audit("B8B3", {"query": "query Query { __typename }", "operationName": "Query"}, JSON, no_errors=True),
    *(
        Audit(f"{identity}{index}", {"query": TYPENAME, key: None}, accept, no_errors=True)
        for index, key in enumerate(("variables", "operationName", "extensions"))
        for identity, accept in (("94B", GRAPHQL), ("022", JSON))
    ),
    *(
        Audit(f"476{index}", {"query": TYPENAME, "variables": value}, statuses=BAD)
        for index, value in enumerate(NOT_A_MAP)
    ),
    Audit("2EA1", {"query": TYPE_BY_NAME, "variables": {"name": "sometype"}}, GRAPHQL),
    Audit("28B9", {"query": TYPE_BY_NAME, "variables": {"name": "sometype"}}, JSON, no_errors=True),
    Audit("D6D5", None, GRAPHQL, parameters={"query": TYPE_BY_NAME, "variables": '{"name": "x"}'}, no_errors=True),
    Audit("6A70", None, JSON, parameters={"query": TYPE_BY_NAME, "variables": '{"name": "x"}'}, no_errors=True),
    *(
        Audit(f"58B{index}", {"query": TYPENAME, "extensions": value}, statuses=BAD)
        for index, value in enumerate(NOT_A_MAP)
    ),
    Audit("428F", {"query": TYPENAME, "extensions": {"some": "value"}}, GRAPHQL),
    Audit("1B7A", {"query": TYPENAME, "extensions": {"some": "value"}}, JSON, no_errors=True),
    Audit("B6DC", NOT_JSON, JSON, FAILURE),
    Audit("BCF8", NOT_JSON, JSON, BAD),
    Audit("B7N8", NOT_JSON, GRAPHQL, BAD),
    Audit("8764", {"qeury": TYPENAME}, statuses=FAILURE),
    Audit("3E3A", {"qeury": TYPENAME}, statuses=BAD),
    Audit("572B", {"query": "{"}, JSON),
    Audit("FDE2", {"query": UNKNOWN_FIELD}, JSON),
    Audit("7B9B", COERCION, JSON),
    Audit("865D", {"query": "{"}, GRAPHQL, FAILURE),
    Audit("556A", {"query": "{"}, GRAPHQL, BAD),
    Audit("D586", {"query": "{"}, GRAPHQL, BAD, no_data=True),
    Audit("51FE", {"query": UNKNOWN_FIELD}, GRAPHQL, FAILURE),
    Audit("74FF", {"query": UNKNOWN_FIELD}, GRAPHQL, BAD),
    Audit("5E5B", {"query": UNKNOWN_FIELD}, GRAPHQL, BAD, no_data=True),
    Audit("86EE", COERCION, GRAPHQL, BAD),
]


@pytest.mark.parametrize("audit", AUDITS, ids=[audit.identity for audit in AUDITS])
async def test_audit(audit: Audit) -> None:
    http = client().http
    http.headers.pop("accept")
    headers = {"accept": audit.accept} if audit.accept else {}
    if audit.parameters is not None:
        response = await http.get("/graphql", params=audit.parameters, headers=headers)
    else:
        content = audit.body if isinstance(audit.body, bytes) else json.dumps(audit.body).encode()
        if audit.content_type:
            headers["content-type"] = audit.content_type
        response = await http.post("/graphql", content=content, headers=headers)
    assert response.status_code in audit.statuses
    assert audit.media is None or audit.media in response.headers["content-type"]
    answer: dict[str, Any] = json.loads(response.content.decode("utf-8"))
    assert not (audit.no_errors and "errors" in answer)
    assert not (audit.no_data and "data" in answer)


def test_every_audit_is_here() -> None:
    assert len(AUDITS) == len({audit.identity for audit in AUDITS}) == 61
