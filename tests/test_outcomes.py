"""The outcomes table of the platform's documents, row by row, in our codes: over GraphQL, as clients see it."""

from typing import Any

import pytest

from tests.graphql_client import GraphQLClient

pytestmark = pytest.mark.anyio

CREATE_METRIC = """
mutation($name: String!, $reference: String!) {
  createMetric(input: { name: $name, metric: { exactMatch: { reference: $reference } } }) {
    metric { ref digest isRetired } errors { code path message }
  }
}
"""
DELETE_METRIC = "mutation($name: String!) { deleteMetric(input: { name: $name }) { deletedId errors { code path } } }"
CREATE_TASK = """
mutation($input: CreateTaskInput!) {
  createTask(input: $input) { task { name } revision { number digest } errors { code path } }
}
"""
REPLACE_TASK = """
mutation($input: ReplaceTaskInput!) {
  replaceTask(input: $input) {
    outcome task { project } revision { number digest tags isLatest }
    errors { code path ... on Conflict { currentDigest } }
  }
}
"""
DELETE_TASK = """
mutation($name: String!, $force: Boolean! = false) {
  deleteTask(input: { name: $name, force: $force }) {
    deletedId errors { code path ... on InUse { users hiddenUsers } }
  }
}
"""
TAG_TASK = """
mutation($input: TagTaskInput!) {
  tagTask(input: $input) { task { tags { name number } } revision { number } errors { code path } }
}
"""
CREATE_TASKSET = """
mutation($input: CreateTasksetInput!) {
  createTaskset(input: $input) {
    revision { number digest members { nodes { position ref } } } errors { code path ... on NotFound { ref } }
  }
}
"""
REPLACE_TASKSET = """
mutation($input: ReplaceTasksetInput!) {
  replaceTaskset(input: $input) {
    outcome revision { number members { nodes { ref } } } errors { code path }
  }
}
"""
MEMBERS = """
{
  tasksetRevision(ref: "s") {
    members { nodes { name isDangling isOutdated revision { number spec { ... on EvaluatorTaskSpec { prompt } } }
                      task { latest { number } } } }
  }
}
"""
READ = """
query($name: String!, $by: RevisionSelector) { task(name: $name) { revision(by: $by) { number tags } } }
"""


def task(instruction: str, **more: Any) -> dict[str, Any]:
    """A task input of one instruction."""
    return {"spec": {"evaluator": {"intent": "Answer.", "inputs": {"instruction": instruction}, **more}}}


async def create(client: GraphQLClient, name: str, content: dict[str, Any]) -> Any:
    """The payload of createTask."""
    return (await client.data(CREATE_TASK, {"input": {"name": name, "task": content}}))["createTask"]


async def replace(client: GraphQLClient, name: str, content: dict[str, Any], **more: Any) -> Any:
    """The payload of replaceTask."""
    return (await client.data(REPLACE_TASK, {"input": {"name": name, "task": content, **more}}))["replaceTask"]


async def pin(client: GraphQLClient, name: str, *tasks: str) -> Any:
    """The payload of createTaskset."""
    variables = {"input": {"name": name, "taskset": {"tasks": list(tasks)}}}
    return (await client.data(CREATE_TASKSET, variables))["createTaskset"]


async def repin(client: GraphQLClient, name: str, *tasks: str) -> Any:
    """The payload of replaceTaskset."""
    variables = {"input": {"name": name, "taskset": {"tasks": list(tasks)}}}
    return (await client.data(REPLACE_TASKSET, variables))["replaceTaskset"]


def codes(payload: Any) -> list[tuple[str, str]]:
    """Code and path of each error."""
    return [(error["code"], ".".join(error["path"])) for error in payload["errors"]]


async def test_put_new_equal_and_reverted_content(client: GraphQLClient) -> None:
    created = await replace(client, "t", task("one"))
    assert (created["outcome"], created["revision"]["number"]) == ("CREATED", 1)
    published = await replace(client, "t", task("two"))
    assert (published["outcome"], published["revision"]["tags"]) == ("PUBLISHED", ["latest"])
    equal = await replace(client, "t", {**task("two"), "tags": ["kept"]})
    assert (equal["outcome"], equal["revision"]["number"], equal["revision"]["tags"]) == (
        "UNCHANGED",
        2,
        ["kept", "latest"],
    )
    reverted = await replace(client, "t", task("one"))
    assert (reverted["outcome"], reverted["revision"]["number"]) == ("PUBLISHED", 3)
    assert reverted["revision"]["digest"] == created["revision"]["digest"]


async def test_post_existing_name(client: GraphQLClient) -> None:
    await create(client, "t", task("one"))
    again = await create(client, "t", task("two"))
    assert codes(again) == [("ALREADY_EXISTS", "input.name")]
    assert again["task"] is None


async def test_compare_and_set(client: GraphQLClient) -> None:
    first = await create(client, "t", task("one"))
    second = await replace(client, "t", task("two"), expectedDigest=first["revision"]["digest"])
    assert second["errors"] == []
    lost = await replace(client, "t", task("three"), expectedDigest=first["revision"]["digest"])
    assert codes(lost) == [("CONFLICT", "input.expectedDigest")]
    assert lost["errors"][0]["currentDigest"] == second["revision"]["digest"]
    missing = await replace(client, "other", task("x"), expectedDigest="0" * 64)
    assert (codes(missing), missing["errors"][0]["currentDigest"]) == ([("CONFLICT", "input.expectedDigest")], None)
    absent = await replace(client, "t", task("three"), expectedDigest=None)
    assert absent["outcome"] == "PUBLISHED"


async def test_project_absent_is_kept_and_null_clears(client: GraphQLClient) -> None:
    assert (await replace(client, "t", task("one"), project="p"))["task"]["project"] == "p"
    assert (await replace(client, "t", task("two")))["task"]["project"] == "p"
    cleared = await replace(client, "t", task("two"), project=None)
    assert (cleared["outcome"], cleared["task"]["project"]) == ("UNCHANGED", None)


@pytest.mark.parametrize(
    ("ref", "code"), [("nobody", "NOT_FOUND"), ("a/b/c", "INVALID_INPUT"), ("m#x", "INVALID_INPUT")]
)
async def test_an_invalid_metric_reference(client: GraphQLClient, ref: str, code: str) -> None:
    refused = await create(client, "t", task("one", metrics=[ref]))
    assert codes(refused) == [(code, "input.task.spec.evaluator.metrics.0")]


async def test_missing_and_duplicate_members(client: GraphQLClient) -> None:
    first = await create(client, "t", task("one"))
    await replace(client, "t", task("two"))
    digest = first["revision"]["digest"]
    refused = await pin(client, "s", "t", f"default/t#{digest}", "nobody", "t#nothing")
    assert sorted(codes(refused)) == [
        ("DUPLICATE_MEMBER", "input.taskset.tasks.1"),
        ("DUPLICATE_MEMBER", "input.taskset.tasks.3"),
        ("NOT_FOUND", "input.taskset.tasks.2"),
    ]
    assert (await client.data('{ taskset(name: "s") { name } }'))["taskset"] is None


@pytest.mark.parametrize(
    ("tag", "code"), [("latest", "TAG_RESERVED"), ("a b", "INVALID_INPUT"), ("f" * 64, "INVALID_INPUT")]
)
async def test_reserved_and_malformed_tags(client: GraphQLClient, tag: str, code: str) -> None:
    await create(client, "t", task("one"))
    variables = {"input": {"name": "t", "tag": tag, "revision": {"number": 1}}}
    refused = (await client.data(TAG_TASK, variables))["tagTask"]
    assert codes(refused) == [(code, "input.tag")]
    in_body = await create(client, "u", {**task("one"), "tags": [tag]})
    assert codes(in_body) == ([] if tag == "latest" else [(code, "input.task.tags.0")])


async def test_unknown_records_revisions_and_selectors(client: GraphQLClient) -> None:
    await create(client, "t", task("one"))
    assert codes((await client.data(DELETE_TASK, {"name": "x"}))["deleteTask"]) == [("NOT_FOUND", "input.name")]
    variables = {"input": {"name": "t", "tag": "x", "revision": {"number": 9}}}
    assert codes((await client.data(TAG_TASK, variables))["tagTask"]) == [("NOT_FOUND", "input.revision")]
    assert (await client.data(READ, {"name": "x"}))["task"] is None
    for unknown in ({"number": 9}, {"tag": "x"}, {"digest": "0" * 64}, {"number": 0}, {"number": -1}):
        assert (await client.data(READ, {"name": "t", "by": unknown}))["task"] == {"revision": None}
    for malformed in ({"digest": "abc"}, {"tag": "a b"}, {}, {"tag": "x", "number": 1}, {"number": None}):
        assert (await client.execute(READ, {"name": "t", "by": malformed})).codes == ["BAD_USER_INPUT"]
    found = (await client.data(READ, {"name": "t", "by": None}))["task"]["revision"]
    assert found == {"number": 1, "tags": ["latest"]}


async def test_references_that_are_read(client: GraphQLClient) -> None:
    await create(client, "t", task("one"))
    read = "query($ref: String!) { taskRevision(ref: $ref) { number } }"
    for ref, expected in (("t", {"number": 1}), ("default/t#latest", {"number": 1}), ("t#1", None), ("x/t", None)):
        assert (await client.data(read, {"ref": ref}))["taskRevision"] == expected
    for ref in ("", "a/b/c", "t#", "t#a b"):
        assert (await client.execute(read, {"ref": ref})).codes == ["BAD_USER_INPUT"]


async def test_a_taskset_is_stable_against_its_members_and_replaced_deliberately(client: GraphQLClient) -> None:
    for name in ("a", "b"):
        await create(client, name, task(f"{name} one"))
    await pin(client, "s", "a", "b")
    await replace(client, "a", task("a two"))
    nodes = (await client.data(MEMBERS))["tasksetRevision"]["members"]["nodes"]
    assert [(node["name"], node["isOutdated"], node["revision"]["spec"]["prompt"]) for node in nodes] == [
        ("a", True, "a one"),
        ("b", False, "b one"),
    ]
    picked_up = await repin(client, "s", "b", "a")
    assert (picked_up["outcome"], picked_up["revision"]["number"]) == ("PUBLISHED", 2)
    reordered = await repin(client, "s", "a", "b")
    assert (reordered["outcome"], reordered["revision"]) == ("UNCHANGED", picked_up["revision"])
    await replace(client, "a", task("a one"))
    await repin(client, "s", "a", "b")
    back = (await client.data(MEMBERS))["tasksetRevision"]["members"]["nodes"]
    assert [node["isOutdated"] for node in back] == [False, False]


async def test_deleting_a_pinned_task(client: GraphQLClient) -> None:
    await create(client, "a", task("one"))
    await pin(client, "s", "a")
    kept = (await client.data(DELETE_TASK, {"name": "a"}))["deleteTask"]
    assert codes(kept) == [("IN_USE", "input.name")]
    assert len(kept["errors"][0]["users"]) == 1
    forced = (await client.data(DELETE_TASK, {"name": "a", "force": True}))["deleteTask"]
    assert (forced["errors"], forced["deletedId"] is None) == ([], False)
    [node] = (await client.data(MEMBERS))["tasksetRevision"]["members"]["nodes"]
    assert (node["isDangling"], node["revision"], node["task"]) == (True, None, None)
    await create(client, "a", task("one"))
    [node] = (await client.data(MEMBERS))["tasksetRevision"]["members"]["nodes"]
    assert (node["isDangling"], node["revision"]["number"]) == (False, 1)


async def test_a_metric_keeps_its_name_as_long_as_content_names_it(client: GraphQLClient) -> None:
    stored = (await client.data(CREATE_METRIC, {"name": "m", "reference": "{{one}}"}))["createMetric"]["metric"]
    await create(client, "t", task("one", metrics=["m"]))
    assert (await client.data(DELETE_METRIC, {"name": "m"}))["deleteMetric"]["errors"] == []
    listed = await client.data("{ metrics { nodes { name } totalCount } }")
    assert listed["metrics"] == {"nodes": [], "totalCount": 0}
    assert (await client.data('{ metric(name: "m") { isRetired } }'))["metric"] == {"isRetired": True}
    other = (await client.data(CREATE_METRIC, {"name": "m", "reference": "{{two}}"}))["createMetric"]
    assert codes(other) == [("ALREADY_EXISTS", "input.name")]
    again = (await client.data(CREATE_METRIC, {"name": "m", "reference": "{{one}}"}))["createMetric"]["metric"]
    assert again == {**stored, "isRetired": False}


async def test_metadata_values_null_and_absent_are_told_apart(client: GraphQLClient) -> None:
    null = await create(client, "t", {**task("one"), "metadata": [{"key": "k", "value": None}]})
    assert null["errors"] == []
    absent = await create(client, "u", {**task("one"), "metadata": [{"key": "k"}]})
    assert codes(absent) == [("INVALID_INPUT", "input.task.metadata.0.value")]


async def test_one_mutation_answers_all_problems_of_its_input(client: GraphQLClient) -> None:
    refused = await create(
        client,
        "a/b",
        {**task("x", metrics=["a/b/c"], reference=[1]), "metadata": [{"key": "k"}, {"key": "k", "value": 1}]},
    )
    assert sorted(codes(refused)) == [
        ("INVALID_INPUT", "input.name"),
        ("INVALID_INPUT", "input.task.metadata.0.value"),
        ("INVALID_INPUT", "input.task.metadata.1.key"),
        ("INVALID_INPUT", "input.task.spec.evaluator.metrics.0"),
        ("INVALID_INPUT", "input.task.spec.evaluator.reference"),
    ]
