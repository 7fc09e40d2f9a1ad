"""Lists over GraphQL: any filter, order and page against a plain model, and the cases that others ran into."""

import asyncio
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.content import MetadataItem
from domain.grants import Grant, Scope
from resolvers.access import Viewer
from resolvers.context import Context
from resolvers.tasks import create_task
from resolvers.workspaces import create_workspace
from storage.driver import Document, ObjectId
from storage.filters import facets_of
from tests.drafts import stored_metric, stored_tasks, task
from tests.operations import data, run

pytestmark = pytest.mark.anyio

START = datetime(2026, 1, 1, tzinfo=UTC)
LIST = """
query (
  $filter: TaskFilter, $orderBy: DefinitionOrder,
  $first: Int, $after: String, $last: Int, $before: String, $offset: Int
) {
  tasks(
    filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before, offset: $offset
  ) {
    edges { cursor node { name } }
    nodes { name }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
  }
}
"""


def head(index: int, chance: random.Random) -> dict[str, Any]:
    """A task of the model; a handful share each time."""
    return {
        "_id": ObjectId(f"{chance.getrandbits(96):024x}"),
        "workspace": "default",
        "name": f"{chance.choice(['a', 'B', 'ß', 'あ', '𐐀', '_'])}{chance.choice('xyz')}{index}",
        "project": chance.choice([None, "p", "q"]),
        "number": 1,
        "digest": "0" * 64,
        "revision": ObjectId(),
        "createdAt": START + timedelta(milliseconds=chance.randrange(4)),
        "updatedAt": START + timedelta(milliseconds=chance.randrange(4)),
        "kind": chance.choice(["evaluator", "harbor"]),
        "facets": facets_of([MetadataItem("n", chance.choice([1, 1.0, None]))]),
        "metrics": chance.choice([[], ["default/m"]]),
        "tags": [{"name": chance.choice(["dev", "prod"]), "number": 1, "digest": "0" * 64}],
    }


STORED = [head(index, random.Random(index)) for index in range(40)]
NUMBER = {"metadata": [{"key": "n", "value": 1}]}
FILTERS: list[tuple[dict[str, Any] | None, Any]] = [
    (None, lambda row: True),
    ({"project": "p"}, lambda row: row["project"] == "p"),
    ({"kind": "HARBOR"}, lambda row: row["kind"] == "harbor"),
    ({"tag": "dev"}, lambda row: row["tags"][0]["name"] == "dev"),
    ({"metric": "m"}, lambda row: row["metrics"] == ["default/m"]),
    (NUMBER, lambda row: row["facets"] == facets_of([MetadataItem("n", 1)])),
    ({"nameContains": "x"}, lambda row: "x" in row["name"]),
    ({"namePrefix": "あ"}, lambda row: row["name"].startswith("あ")),
    ({"createdAt": {"gte": "2026-01-01T00:00:00.001Z"}}, lambda row: row["createdAt"] > START),
    ({"project": "q", "tag": "prod"}, lambda row: row["project"] == "q" and row["tags"][0]["name"] == "prod"),
    ({"project": "nobody's"}, lambda row: False),
]
FIELDS = {"NAME": "name", "CREATED_AT": "createdAt", "UPDATED_AT": "updatedAt"}
PLACES = st.none() | st.integers(0, 39)


@pytest.fixture
async def listed(context: Context) -> Context:
    await context.services.database["tasks"].insert_many([dict(row) for row in STORED])
    return context


def ordered(rows: list[dict[str, Any]], field: str, descending: bool) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (row[FIELDS[field]], row["_id"]), reverse=descending)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    chosen=st.sampled_from(FILTERS),
    field=st.sampled_from(list(FIELDS)),
    descending=st.booleans(),
    size=st.none() | st.integers(0, 12),
    from_end=st.booleans(),
    ends=st.tuples(PLACES, PLACES),
    offset=st.none() | st.integers(0, 45),
)
async def test_any_list_agrees_with_a_plain_model(
    listed: Context,
    chosen: tuple[dict[str, Any] | None, Any],
    field: str,
    descending: bool,
    size: int | None,
    from_end: bool,
    ends: tuple[int | None, int | None],
    offset: int | None,
) -> None:
    wanted, holds = chosen
    order = {"field": field, "direction": "DESC" if descending else "ASC"}
    asked: dict[str, Any] = {"filter": wanted, "orderBy": order}
    whole = [row["name"] for row in ordered([row for row in STORED if holds(row)], field, descending)]
    cursors = [edge["cursor"] for edge in (await data(LIST, asked, listed))["tasks"]["edges"]]
    assert len(cursors) == len(whole)
    after, before = (None if end is None or not whole else end % len(whole) for end in ends)
    page: dict[str, Any] = {"last": size or 0} if from_end else {"first": size}
    page["after"] = None if after is None else cursors[after]
    page["before"] = None if before is None else cursors[before]
    if after is before is None and not from_end:
        page["offset"] = offset
    found = (await data(LIST, {**asked, **page}, listed))["tasks"]

    start = max(0 if after is None else after + 1, page.get("offset") or 0)
    within = whole[start : len(whole) if before is None else before]
    limit = page["last"] if from_end else 100 if size is None else size
    expected = within[max(0, len(within) - limit) :] if from_end else within[:limit]
    assert [node["name"] for node in found["nodes"]] == expected
    assert [edge["node"]["name"] for edge in found["edges"]] == expected
    assert found["totalCount"] == len(whole)
    shown = [edge["cursor"] for edge in found["edges"]]
    assert shown == [cursors[whole.index(name)] for name in expected]
    over = len(within) > limit
    skipped = after is not None or bool(page.get("offset") and whole)
    assert found["pageInfo"] == {
        "hasNextPage": before is not None if from_end else over,
        "hasPreviousPage": over if from_end else skipped,
        "startCursor": shown[0] if shown else None,
        "endCursor": shown[-1] if shown else None,
    }


async def test_an_order_is_the_same_whether_or_not_it_is_spelled_out(listed: Context) -> None:
    pages: list[list[str]] = []
    spelled = {"field": "CREATED_AT", "direction": "ASC"}
    orders: list[dict[str, Any]] = [{}, {"orderBy": None}, {"orderBy": {}}, {"orderBy": spelled}]
    for order in orders:
        first = (await data(LIST, {**order, "first": 7}, listed))["tasks"]
        second = (await data(LIST, {**order, "first": 7, "after": first["pageInfo"]["endCursor"]}, listed))["tasks"]
        pages.append([node["name"] for node in (*first["nodes"], *second["nodes"])])
    assert all(names == pages[0] for names in pages)
    assert pages[0] == [row["name"] for row in ordered(STORED, "CREATED_AT", False)[:14]]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"first": -1}, "first"),
    ({"first": 1001}, "first"),
    ({"last": -1}, "last"),
    ({"last": 1001}, "last"),
    ({"first": 1, "last": 1}, "last"),
    ({"first": 0, "last": 0}, "last"),
    ({"offset": -1}, "offset"),
    ({"offset": 10_001}, "offset"),
    ({"offset": 1, "last": 1}, "offset"),
    ({"after": "rubbish"}, "after"),
    ({"before": ""}, "before"),
    ({"after": "YXJyYXljb25uZWN0aW9uOjA="}, "after"),
]


@pytest.mark.parametrize(("page", "argument"), REFUSED)
async def test_a_page_that_cannot_be_meant_is_refused(context: Context, page: dict[str, Any], argument: str) -> None:
    answer = await run(LIST, page, context)
    (error,) = answer["errors"]
    assert error["extensions"]["code"] == "BAD_USER_INPUT"
    assert error["extensions"]["argument"] == argument
    assert "padding" not in error["message"]


async def test_a_cursor_serves_its_own_list_alone(listed: Context) -> None:
    cursor = (await data(LIST, {"first": 1}, listed))["tasks"]["pageInfo"]["endCursor"]
    for other in (
        {"filter": {"project": "p"}},
        {"orderBy": {"field": "NAME"}},
        {"orderBy": {"direction": "DESC"}},
    ):
        for argument in ("after", "before"):
            answer = await run(LIST, {**other, argument: cursor}, listed)
            (error,) = answer["errors"]
            assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("BAD_USER_INPUT", argument)
    for document in (
        "query ($after: String) { tasksets(after: $after) { totalCount } }",
        'query ($after: String) { tasks(workspace: "other", after: $after) { totalCount } }',
        "query ($after: String) { workspaces(after: $after) { totalCount } }",
    ):
        await create_workspace(listed, f"w{len(document)}", None)
        answer = await run(document.replace('"other"', f'"w{len(document)}"'), {"after": cursor}, listed)
        assert [error["extensions"]["code"] for error in answer["errors"]] == ["BAD_USER_INPUT"]


async def test_nothing_is_counted_that_is_not_asked_for(listed: Context) -> None:
    database = listed.services.database
    for fields, kinds in (("nodes { name }", ["find"]), ("totalCount nodes { name }", ["aggregate", "find"])):
        await database.command("profile", 2)
        try:
            await data(f"{{ tasks(first: 3) {{ {fields} }} }}", {}, listed)
        finally:
            await database.command("profile", 0)
        entries: list[Document] = await database["system.profile"].find({"ns": f"{database.name}.tasks"}).to_list(None)
        await database.drop_collection("system.profile")
        assert sorted(next(iter(entry["command"])) for entry in entries) == kinds


async def test_lists_of_a_workspace_that_may_not_be_read_are_empty(context: Context) -> None:
    await create_workspace(context, "secret", None)
    await create_task(context, "secret", "t", None, task("a"))
    document = """query ($workspace: String!) {
      tasks(workspace: $workspace) { totalCount nodes { name } }
      tasksets(workspace: $workspace) { totalCount nodes { name } }
      metrics(workspace: $workspace) { totalCount nodes { name } }
      workspace(name: $workspace) { name }
    }"""
    viewer = Viewer("limited", (Grant("default", frozenset({Scope.READ})),))
    answers = [
        await data(document, {"workspace": name}, Context(context.services, viewer)) for name in ("secret", "absent")
    ]
    nothing = {"totalCount": 0, "nodes": []}
    assert answers == [{"tasks": nothing, "tasksets": nothing, "metrics": nothing, "workspace": None}] * 2


async def test_workspaces_are_listed_with_their_counts(context: Context) -> None:
    await stored_metric(context)
    await stored_tasks(context, 3)
    for name in ("b", "a"):
        await create_workspace(context, name, f"Workspace {name}.")
    document = """query ($first: Int, $after: String) { workspaces(first: $first, after: $after) {
      nodes { name description taskCount tasksetCount metricCount jobCount }
      totalCount pageInfo { hasNextPage endCursor }
    } }"""
    first = (await data(document, {"first": 2}, context))["workspaces"]
    rest = (await data(document, {"after": first["pageInfo"]["endCursor"]}, context))["workspaces"]
    counts = {"taskCount": 0, "tasksetCount": 0, "metricCount": 0, "jobCount": 0}
    assert first["nodes"] + rest["nodes"] == [
        {"name": "a", "description": "Workspace a.", **counts},
        {"name": "b", "description": "Workspace b.", **counts},
        {"name": "default", "description": None, **counts, "taskCount": 3, "metricCount": 1},
    ]
    assert (first["totalCount"], first["pageInfo"]["hasNextPage"], rest["pageInfo"]["hasNextPage"]) == (3, True, False)


CREATE = """mutation ($input: CreateTaskInput!) {
  createTask(input: $input) { revision { number digest } errors { code } }
}"""
REPLACE = """mutation ($input: ReplaceTaskInput!) {
  replaceTask(input: $input) { revision { number digest } outcome errors { code ... on Conflict { currentDigest } } }
}"""
TASKSET = """mutation ($input: CreateTasksetInput!) {
  createTaskset(input: $input) { revision { digest members { nodes { ref digest } } } errors { code } }
}"""


def content(intent: str, **more: Any) -> dict[str, Any]:
    return {"spec": {"evaluator": {"intent": intent}}, **more}


async def test_equal_publishes_at_the_same_time_cut_one_revision(context: Context) -> None:
    await data(CREATE, {"input": {"name": "t", "task": content("1")}}, context)
    answers = await asyncio.gather(
        *(data(REPLACE, {"input": {"name": "t", "task": content("2")}}, Context(context.services)) for _ in range(50))
    )
    outcomes = sorted(answer["replaceTask"]["outcome"] for answer in answers)
    assert outcomes == ["PUBLISHED"] + ["UNCHANGED"] * 49
    assert len({answer["replaceTask"]["revision"]["digest"] for answer in answers}) == 1
    shown = await data('{ task(name: "t") { revisions { totalCount } } }', {}, Context(context.services))
    assert shown["task"]["revisions"]["totalCount"] == 2


async def test_a_member_named_by_a_tag_is_pinned_to_where_the_tag_points(context: Context) -> None:
    first = await data(CREATE, {"input": {"name": "t", "task": content("1", tags=["blessed"])}}, context)
    blessed = first["createTask"]["revision"]["digest"]
    second = await data(REPLACE, {"input": {"name": "t", "task": content("2")}}, context)
    latest = second["replaceTask"]["revision"]["digest"]
    pins: dict[str, str] = {}
    for name, ref in (("tagged", "t#blessed"), ("bare", "t"), ("exact", f"t#{blessed}"), ("newest", "t#latest")):
        made = await data(TASKSET, {"input": {"name": name, "taskset": {"tasks": [ref]}}}, Context(context.services))
        (member,) = made["createTaskset"]["revision"]["members"]["nodes"]
        pins[name] = member["digest"]
    assert pins == {"tagged": blessed, "exact": blessed, "bare": latest, "newest": latest}


async def test_a_digest_resolves_whatever_tags_do(context: Context) -> None:
    first = await data(CREATE, {"input": {"name": "t", "task": content("1", tags=["x"])}}, context)
    digest = first["createTask"]["revision"]["digest"]
    await data(REPLACE, {"input": {"name": "t", "task": content("2", tags=["x"])}}, context)
    document = "query ($ref: String!) { taskRevision(ref: $ref) { number tags content } }"
    shown = (await data(document, {"ref": f"t#{digest}"}, Context(context.services)))["taskRevision"]
    assert (shown["number"], shown["tags"], shown["content"]["spec"]["intent"]) == (1, [], "1")
    moved = (await data(document, {"ref": "t#x"}, Context(context.services)))["taskRevision"]
    assert (moved["number"], moved["tags"]) == (2, ["latest", "x"])


async def test_of_two_replaces_that_expect_the_same_digest_one_wins(context: Context) -> None:
    first = await data(CREATE, {"input": {"name": "t", "task": content("1")}}, context)
    expected = first["createTask"]["revision"]["digest"]
    answers = await asyncio.gather(
        *(
            data(
                REPLACE,
                {"input": {"name": "t", "task": content(intent), "expectedDigest": expected}},
                Context(context.services),
            )
            for intent in ("2", "3")
        )
    )
    (won,) = [answer["replaceTask"] for answer in answers if not answer["replaceTask"]["errors"]]
    (lost,) = [answer["replaceTask"] for answer in answers if answer["replaceTask"]["errors"]]
    assert (won["outcome"], lost["revision"], lost["outcome"]) == ("PUBLISHED", None, None)
    assert lost["errors"] == [{"code": "CONFLICT", "currentDigest": won["revision"]["digest"]}]


async def test_equal_content_under_two_names_is_two_tasks(context: Context) -> None:
    await create_workspace(context, "other", None)
    digests = [
        (await data(CREATE, {"input": {**place, "task": content("same")}}, context))["createTask"]["revision"]["digest"]
        for place in ({"name": "a"}, {"name": "b"}, {"name": "a", "workspace": "other"})
    ]
    assert len(set(digests)) == 1
    assert [node["name"] for node in (await data(LIST, {}, context))["tasks"]["nodes"]] == ["a", "b"]


async def test_any_revision_can_be_read_and_compared(context: Context) -> None:
    for intent in ("1", "2", "3"):
        await data(REPLACE, {"input": {"name": "t", "task": content(intent)}}, context)
    document = """{ task(name: "t") {
      revision(by: {number: 1}) { number content }
      diff(from: {number: 1}, to: {number: 3}) { patch }
      revisions(first: 2) { nodes { number } pageInfo { hasNextPage } }
    } }"""
    shown = (await data(document, {}, Context(context.services)))["task"]
    assert (shown["revision"]["number"], shown["revision"]["content"]["spec"]["intent"]) == (1, "1")
    assert shown["diff"]["patch"] == [{"op": "replace", "path": "/spec/intent", "value": "3"}]
    assert shown["revisions"] == {"nodes": [{"number": 3}, {"number": 2}], "pageInfo": {"hasNextPage": True}}
