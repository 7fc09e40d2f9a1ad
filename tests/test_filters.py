"""Filters of lists: what each finds, null and absent apart, and names in every script."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.content import EvaluatorDraft, HarborDraft, MetadataItem, SpecDraft, TaskDraft, TemplateDraft
from domain.errors import ErrorCode, Problems
from resolvers.context import Context
from resolvers.metrics import delete_metric
from resolvers.revisions import heads
from resolvers.tasks import create_task, replace_task
from resolvers.tasksets import create_taskset
from storage.driver import Database, ObjectId
from storage.filters import HeadFilter, MetadataMatch, head_query
from storage.pages import Order, OrderField, PageRequest
from storage.records import TASK
from tests.drafts import stored_metric, suite
from tests.operations import data, run

pytestmark = pytest.mark.anyio

TASKS = """
query ($filter: TaskFilter) {
  tasks(filter: $filter, orderBy: {field: NAME}) { nodes { name } totalCount }
}
"""
TASKSETS = """
query ($filter: TasksetFilter) {
  tasksets(filter: $filter, orderBy: {field: NAME}) { nodes { name } totalCount }
}
"""
METRICS = """
query ($filter: MetricFilter) {
  metrics(filter: $filter, orderBy: {field: NAME}) { nodes { name } totalCount }
}
"""

EVALUATOR = EvaluatorDraft("answer", metrics=["scorer"])
HARBOR = HarborDraft("default/files#a.tar", "0" * 64)
TEMPLATE = TemplateDraft("env", "template")

# Name, project, kind, metadata, tags.
STORED: list[tuple[str, str | None, SpecDraft, dict[str, Any], list[str]]] = [
    ("Alphabet", None, EVALUATOR, {"n": 1.0}, ["blessed"]),
    ("_hidden", "p", HARBOR, {}, ["blessed"]),
    ("a.b-c", "p", EVALUATOR, {"n": None, "deep": {"b": [1, 2], "a": {}}}, []),
    ("alpha", "", EvaluatorDraft("answer"), {"n": 1, "suite": "geo"}, ["dev"]),
    ("alphaXbeta", "P", TEMPLATE, {"n": "1", "suite": "geo"}, []),
    ("βeta", "p", TEMPLATE, {"n": True, "": "empty"}, ["dev", "blessed"]),
]
NAMES = [name for name, *_ in STORED]


async def store(context: Context) -> None:
    await stored_metric(context, "scorer")
    for name, project, spec, metadata, tags in STORED:
        items = [MetadataItem(key, value) for key, value in metadata.items()]
        await create_task(context, "default", name, project, TaskDraft(spec, items, tags))


def has(key: str, *value: Any) -> dict[str, Any]:
    return {"metadata": [{"key": key, "value": value[0]} if value else {"key": key}]}


CASES: list[tuple[dict[str, Any] | None, list[str]]] = [
    (None, NAMES),
    ({}, NAMES),
    (dict.fromkeys(("nameContains", "namePrefix", "kind", "project", "metadata", "metric", "tag", "createdAt")), NAMES),
    ({"nameContains": "", "namePrefix": "", "metadata": [], "createdAt": {}, "updatedAt": {"gte": None}}, NAMES),
    ({"nameContains": "alpha"}, ["alpha", "alphaXbeta"]),
    ({"nameContains": "ALPHA"}, []),
    ({"nameContains": "."}, ["a.b-c"]),
    ({"nameContains": "a.b"}, ["a.b-c"]),
    ({"nameContains": "-"}, ["a.b-c"]),
    ({"nameContains": "eta"}, ["alphaXbeta", "βeta"]),
    ({"nameContains": "β"}, ["βeta"]),
    ({"nameContains": "^a"}, []),
    ({"nameContains": ".*"}, []),
    ({"nameContains": "a/b"}, []),
    ({"namePrefix": "x" * 256}, []),
    ({"nameContains": "\u0000"}, []),
    ({"nameContains": "(" * 70_000}, []),
    ({"nameContains": "a" * 70_000}, []),
    ({"namePrefix": "alpha"}, ["alpha", "alphaXbeta"]),
    ({"namePrefix": "A"}, ["Alphabet"]),
    ({"namePrefix": "_"}, ["_hidden"]),
    ({"namePrefix": "β"}, ["βeta"]),
    ({"namePrefix": "b"}, []),
    ({"namePrefix": "\U0010ffff"}, []),
    ({"namePrefix": "a b"}, []),
    ({"namePrefix": "alpha", "nameContains": "beta"}, ["alphaXbeta"]),
    ({"kind": "EVALUATOR"}, ["Alphabet", "a.b-c", "alpha"]),
    ({"kind": "HARBOR"}, ["_hidden"]),
    ({"kind": "TEMPLATE"}, ["alphaXbeta", "βeta"]),
    ({"project": "p"}, ["_hidden", "a.b-c", "βeta"]),
    ({"project": ""}, ["alpha"]),
    ({"project": "none"}, []),
    ({"tag": "blessed"}, ["Alphabet", "_hidden", "βeta"]),
    ({"tag": "dev"}, ["alpha", "βeta"]),
    ({"tag": "latest"}, NAMES),
    ({"tag": ""}, []),
    ({"metric": "scorer"}, ["Alphabet", "a.b-c"]),
    ({"metric": "default/scorer"}, ["Alphabet", "a.b-c"]),
    ({"metric": "other/scorer"}, []),
    (has("n"), ["Alphabet", "a.b-c", "alpha", "alphaXbeta", "βeta"]),
    (has("n", None), ["a.b-c"]),
    (has("n", 1), ["alpha"]),
    (has("n", 1.0), ["Alphabet"]),
    (has("n", "1"), ["alphaXbeta"]),
    (has("n", True), ["βeta"]),
    (has("n", 2), []),
    (has("", "empty"), ["βeta"]),
    (has("deep", {"a": {}, "b": [1, 2]}), ["a.b-c"]),
    (has("deep", {"a": {}, "b": [2, 1]}), []),
    (has("N"), []),
    ({"metadata": [{"key": "n"}, {"key": "suite", "value": "geo"}]}, ["alpha", "alphaXbeta"]),
    ({"metadata": [{"key": "n", "value": 1}, {"key": "n", "value": "1"}]}, []),
    ({"kind": "TEMPLATE", "project": "p", "tag": "dev", "nameContains": "e", **has("n", True)}, ["βeta"]),
    ({"createdAt": {"gte": "2026-01-01T00:00:00Z"}}, NAMES),
    ({"createdAt": {"lte": "2026-01-01T00:00:00Z"}}, []),
    ({"createdAt": {"gte": "0001-01-01T00:00:00Z", "lte": "9999-12-31T23:59:59Z"}}, NAMES),
    ({"updatedAt": {"gte": "9999-01-01T00:00:00+01:00", "lte": "2000-01-01T00:00:00Z"}}, []),
]


async def test_each_filter_finds_exactly_what_it_says(context: Context) -> None:
    await store(context)
    for wanted, names in CASES:
        found = (await data(TASKS, {"filter": wanted}, context))["tasks"]
        assert [node["name"] for node in found["nodes"]] == names, wanted
        assert found["totalCount"] == len(names)
    found = (await data(TASKS, {}, context))["tasks"]
    assert found["totalCount"] == len(NAMES)


async def test_a_metric_that_is_no_reference_is_refused(context: Context) -> None:
    answer = await run(TASKS, {"filter": {"metric": "no metric"}}, context)
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["BAD_USER_INPUT"]
    assert answer["errors"][0]["extensions"]["argument"] == "filter.metric"


async def test_times_are_bounds_that_include_themselves(context: Context) -> None:
    await store(context)
    query = "{ tasks(orderBy: {field: CREATED_AT}) { nodes { name createdAt } } }"
    nodes = (await data(query, {}, context))["tasks"]["nodes"]
    at = nodes[2]["createdAt"]
    for bounds, expected in (
        ({"gte": at, "lte": at}, [node["name"] for node in nodes if node["createdAt"] == at]),
        ({"gte": at}, [node["name"] for node in nodes if node["createdAt"] >= at]),
        ({"lte": at}, [node["name"] for node in nodes if node["createdAt"] <= at]),
    ):
        found = (await data(TASKS, {"filter": {"createdAt": bounds}}, context))["tasks"]["nodes"]
        assert sorted(node["name"] for node in found) == sorted(expected)


async def test_a_filter_follows_the_latest_revision(context: Context) -> None:
    await store(context)
    await replace_task(context, "default", "alpha", None, TaskDraft(TEMPLATE, [MetadataItem("n", 2)]))
    found = [
        (await data(TASKS, {"filter": wanted}, context))["tasks"]["totalCount"] for wanted in (has("n", 1), has("n", 2))
    ]
    assert found == [0, 1]
    await replace_task(context, "default", "Alphabet", None, TaskDraft(TEMPLATE))
    assert (await data(TASKS, {"filter": {"metric": "scorer"}}, context))["tasks"]["totalCount"] == 1


async def test_a_value_of_eight_mebibytes_is_matched_whole(context: Context) -> None:
    value = "x" * (8 * 1024 * 1024 - 400)
    draft = TaskDraft(EvaluatorDraft("answer"), [MetadataItem("large", value)])
    await create_task(context, "default", "large", None, draft)
    found = [
        await heads(context, TASK, "default", HeadFilter(metadata=[match]), Order(), PageRequest())
        for match in (MetadataMatch("large", value), MetadataMatch("large", value[:-1] + "y"), MetadataMatch("large"))
    ]
    assert [len(page.items) for page in found] == [1, 0, 1]


async def test_more_metadata_than_a_list_could_be_filtered_by_is_refused(context: Context) -> None:
    items = [MetadataItem(str(index), None) for index in range(10_001)]
    with pytest.raises(Problems) as refused:
        await create_task(context, "default", "many", None, TaskDraft(EvaluatorDraft("answer"), items))
    (problem,) = refused.value.errors
    assert (problem.code, problem.path) == (ErrorCode.LIMIT_EXCEEDED, ("task", "metadata"))
    stored = await create_task(context, "default", "many", None, TaskDraft(EvaluatorDraft("answer"), items[:-1]))
    found = await data(TASKS, {"filter": has("9999", None)}, context)
    assert found["tasks"]["nodes"] == [{"name": stored.head.name}]


async def test_tasksets_and_metrics_have_their_filters(context: Context) -> None:
    await create_taskset(context, "default", "nightly", "p", suite(description="a", tags=["dev"]))
    await create_taskset(context, "default", "weekly", None, suite(description="b"))
    for wanted, names in (
        ({"project": "p"}, ["nightly"]),
        ({"tag": "dev"}, ["nightly"]),
        ({"namePrefix": "w"}, ["weekly"]),
        ({"nameContains": "ly"}, ["nightly", "weekly"]),
        (has("suite"), []),
    ):
        found = (await data(TASKSETS, {"filter": wanted}, context))["tasksets"]
        assert [node["name"] for node in found["nodes"]] == names, wanted
    for name in ("exact-a", "exact-b", "other"):
        await stored_metric(context, name)
    await delete_metric(context, "default", "other")
    for asked, names in (
        (None, ["exact-a", "exact-b"]),
        ({"type": "EXACT_MATCH", "namePrefix": "exact", "nameContains": "-b", "project": None}, ["exact-b"]),
        ({"type": "F1"}, []),
        ({"project": "p"}, []),
    ):
        found = (await data(METRICS, {"filter": asked}, context))["metrics"]
        assert [node["name"] for node in found["nodes"]] == names, asked
        assert found["totalCount"] == len(names)


SCRIPTS = "aAzZ09_-.éßΩЖאعあ漢\uffa1𐐀𝒳𠀀🄰"
NAMED = st.text("".join(letter for letter in SCRIPTS if letter.isalnum() or letter in "_-."), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.sets(NAMED, max_size=12), prefix=NAMED, part=NAMED)
async def test_prefixes_and_parts_agree_with_texts_in_every_script(
    database: Database, names: set[str], prefix: str, part: str
) -> None:
    workspace = str(ObjectId())
    if names:
        await database["tasks"].insert_many([{"workspace": workspace, "name": name} for name in names])
    for wanted, expected in (
        (HeadFilter(name_prefix=prefix), [name for name in names if name.startswith(prefix)]),
        (HeadFilter(name_contains=part), [name for name in names if part in name]),
        (HeadFilter(name_prefix=prefix, name_contains=part), [n for n in names if n.startswith(prefix) and part in n]),
    ):
        query = head_query(workspace, wanted)
        found = await database["tasks"].find(query, sort=Order(OrderField.NAME).keys()).to_list(None)
        assert [row["name"] for row in found] == sorted(expected)
