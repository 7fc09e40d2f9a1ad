"""Trusted documents: by id, alone, and from the two forms that tools write."""

import json
from pathlib import Path

import pytest

from domain.errors import StartupFailure
from server.documents import document_id, load
from tests.transport_fixtures import client

pytestmark = pytest.mark.anyio

HELLO = "query Hello($name: String!) { hello(name: $name) }\n"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "hello.graphql").write_text(HELLO)
    (tmp_path / "notes.txt").write_text("not a document")
    return tmp_path


async def test_a_document_by_its_id(directory: Path) -> None:
    http = client(trusted_documents=directory).http
    body = {"documentId": document_id(HELLO), "variables": {"name": "id"}}
    assert (await http.post("/graphql", json=body)).json() == {"data": {"hello": "Hello, id!"}}
    parameters = {"documentId": document_id(HELLO), "variables": '{"name": "GET"}'}
    assert (await http.get("/graphql", params=parameters)).json() == {"data": {"hello": "Hello, GET!"}}


@pytest.mark.parametrize("identity", ["sha256:" + "0" * 64, "hello", "", document_id(HELLO).upper()])
async def test_an_unknown_id_is_one_well_formed_error(directory: Path, identity: str) -> None:
    response = await client(trusted_documents=directory).http.post("/graphql", json={"documentId": identity})
    answer = response.json()
    assert response.status_code == 200
    assert list(answer) == ["errors"]
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["PERSISTED_QUERY_NOT_FOUND"]


@pytest.mark.parametrize("body", [{"documentId": 7}, {"documentId": "x", "query": "{ hello }"}])
async def test_an_id_of_another_type_or_beside_a_query_is_no_request(body: dict[str, object]) -> None:
    assert (await client().http.post("/graphql", json=body)).status_code == 400


async def test_only_trusted_documents_run_by_id_or_by_their_exact_text(directory: Path) -> None:
    http = client(trusted_documents=directory, only_trusted=True)
    assert (await http.execute("{ hello }")).codes == ["DOCUMENT_NOT_TRUSTED"]
    assert (await http.execute("{ __schema { types { name } } }")).codes == ["DOCUMENT_NOT_TRUSTED"]
    assert (await http.execute(HELLO, {"name": "text"})).data == {"hello": "Hello, text!"}
    page = await http.http.get("/graphql", headers={"accept": "text/html"})
    assert page.status_code == 406


def test_a_manifest_as_tools_write_it(tmp_path: Path) -> None:
    plain = document_id(HELLO).removeprefix("sha256:")
    (tmp_path / "persisted.json").write_text(json.dumps({plain: HELLO}))
    assert load(tmp_path).texts == {document_id(HELLO): HELLO}


@pytest.mark.parametrize("manifest", ['{"0": "{ hello }"}', '{"0": 7}', "[]", "{", "\xff"])
def test_a_manifest_that_cannot_be_used_stops_the_start(tmp_path: Path, manifest: str) -> None:
    (tmp_path / "persisted.json").write_text(manifest, "latin-1")
    with pytest.raises(StartupFailure, match=r"persisted\.json"):
        load(tmp_path)


def test_a_directory_that_is_not_there_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(StartupFailure, match="not a directory"):
        load(tmp_path / "missing")


def test_without_a_directory_nothing_is_registered() -> None:
    assert load(None).texts == {}
