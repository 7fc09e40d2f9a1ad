"""How the schema reads: ids, bulk loading, corrupt content, and what a mutation leaves behind for the next one."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from resolvers.access import Grant, Scope, Viewer
from resolvers.context import Context
from resolvers.tasks import create_task, delete_task, replace_task
from resolvers.tasksets import create_taskset, replace_taskset
from resolvers.workspaces import create_workspace
from storage.cache import Caches
from storage.driver import Database
from tests.drafts import stored_metric, stored_tasks, suite, task
from tests.operations import data, run

pytestmark = pytest.mark.anyio

MEMBERS = """
query ($first: Int!) {
  taskset(name: "s") {
    latest {
      members(first: $first) {
        nodes { position ref isDangling isOutdated revision { digest tags spec { kind } metadata { key value } } }
      }
    }
  }
}
"""


def forget(context: Context) -> None:
    """Empty what the process remembers, as a server that has just started."""
    context.services.caches = Caches()


@asynccontextmanager
async def counted(database: Database) -> AsyncIterator[list[str]]:
    """The namespaces that were read in the block, one entry for each command."""
    reads: list[str] = []
    await database.command("profile", 2)
    try:
        yield reads
    finally:
        await database.command("profile", 0)
        entries = await database["system.profile"].find({}).sort("ts", 1).to_list(None)
        reads += [entry["ns"].partition(".")[2] for entry in entries if entry["op"] in ("query", "command", "getmore")]
        reads[:] = [name for name in reads if name not in ("$cmd", "system.profile")]
        await database.drop_collection("system.profile")


async def test_members_with_their_content_take_as_many_commands_for_many_as_for_one(context: Context) -> None:
    await stored_tasks(context, 30)
    await create_taskset(context, "default", "s", None, suite(*(f"t{n}" for n in range(30))))
    counts = []
    for first in (1, 30):
        forget(context)
        fresh = Context(context.services)
        async with counted(context.services.database) as reads:
            answer = await data(MEMBERS, {"first": first}, fresh)
        assert len(answer["taskset"]["latest"]["members"]["nodes"]) == first
        counts.append(sorted(reads))
    assert counts[0] == counts[1] == ["contents", "task_revisions", "tasks", "tasksets"]


async def test_pins_and_their_content_take_three_queries(context: Context) -> None:
    await stored_tasks(context, 30)
    created = await create_taskset(context, "default", "s", None, suite(*(f"t{n}" for n in range(30))))
    for root in ('taskset(name: "s") { latest', 'tasksetRevision(ref: "s") { ... on TasksetRevision'):
        forget(context)
        document = f"{{ {root} {{ digest members {{ nodes {{ revision {{ digest spec {{ kind }} }} }} }} }} }} }}"
        async with counted(context.services.database) as reads:
            answer = await data(document, None, Context(context.services))
        assert sorted(reads) == ["contents", "task_revisions", "tasksets"]
        assert created.revision.digest in str(answer)


async def test_a_page_of_tasks_with_metrics_takes_as_many_commands_for_many_as_for_one(context: Context) -> None:
    await stored_metric(context)
    document = """
      query ($first: Int!) {
        tasks(first: $first) {
          nodes { latest { isLatest spec { ... on EvaluatorTaskSpec { prompt metrics { metric { type } } } } } }
        }
      }
    """
    await stored_tasks(context, 20)
    counts = []
    for first in (1, 20):
        forget(context)
        async with counted(context.services.database) as reads:
            await data(document, {"first": first}, Context(context.services))
        counts.append(sorted(reads))
    assert counts[0] == counts[1]


async def test_what_is_not_selected_is_not_read(context: Context) -> None:
    await stored_tasks(context, 3)
    forget(context)
    async with counted(context.services.database) as reads:
        await data("{tasks {nodes {name ref}}}", None, Context(context.services))
    assert reads == ["tasks"]


async def test_fragments_and_conditions_are_seen_through(context: Context) -> None:
    await stored_tasks(context, 5)
    document = """
      query ($with: Boolean!) {
        tasks { edges { node { ...parts } } }
      }
      fragment parts on Task { ... on Task { latest @include(if: $with) { canonical @skip(if: false) } } }
    """
    for selected, wanted in ((False, ["tasks"]), (True, ["contents", "task_revisions", "tasks"])):
        forget(context)
        async with counted(context.services.database) as reads:
            await data(document, {"with": selected}, Context(context.services))
        assert sorted(reads) == wanted


async def test_every_type_is_read_again_by_its_id(context: Context) -> None:
    await stored_metric(context)
    await stored_tasks(context, 1)
    await create_taskset(context, "default", "s", None, suite("t0"))
    document = """{
      workspace { id __typename } metric(name: "answer-exact-match") { id __typename }
      task(name: "t0") { id __typename } taskRevision(ref: "t0") { id __typename }
      taskset(name: "s") { id __typename } tasksetRevision(ref: "s") { id __typename }
    }"""
    found = list((await data(document, None, context)).values())
    ids = [node["id"] for node in found]
    assert len(set(ids)) == 6
    many = await data("query($ids: [ID!]!) {nodes(ids: $ids) {id __typename}}", {"ids": ids}, context)
    assert many == {"nodes": found}
    one = await data("query($id: ID!) {node(id: $id) {id __typename}}", {"id": ids[2]}, context)
    assert one == {"node": found[2]}


def _id(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


UNKNOWN = [
    "",
    "x",
    "é",
    "Task:",
    _id("Task:"),
    _id("Task:zzzzzzzzzzzzzzzzzzzzzzzz"),
    _id("Task:0123456789abcdef01234567"),
    _id("Nothing:0123456789abcdef01234567"),
    _id("Query:0123456789abcdef01234567"),
    _id("Task:0123456789abcdef01234567") + "=",
    "A" * 10_000,
]


async def test_ids_that_lead_nowhere_are_null_in_their_place(context: Context) -> None:
    await stored_tasks(context, 1)
    known = (await data('{task(name: "t0") {id}}', None, context))["task"]["id"]
    ids = [*UNKNOWN, known, known]
    answer = await data("query($ids: [ID!]!) {nodes(ids: $ids) {id}}", {"ids": ids}, context)
    assert answer["nodes"] == [None] * len(UNKNOWN) + [{"id": known}, {"id": known}]
    for unknown in UNKNOWN:
        assert await data("query($id: ID!) {node(id: $id) {id}}", {"id": unknown}, context) == {"node": None}


async def test_more_than_1000_ids_are_refused(context: Context) -> None:
    answer = await run("query($ids: [ID!]!) {nodes(ids: $ids) {id}}", {"ids": ["x"] * 1001}, context)
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["BAD_USER_INPUT"]


async def test_corrupt_content_is_null_with_an_error_each_and_its_neighbours_are_whole(context: Context) -> None:
    published = await stored_tasks(context, 3)
    await create_taskset(context, "default", "s", None, suite("t0", "t1", "t2"))
    broken = published[1].revision.digest
    await context.services.database["contents"].update_one({"_id": broken}, {"$set": {"text": "{}"}})
    forget(context)
    document = """{
      tasksetRevision(ref: "s") {
        members { nodes { revision { digest content canonical spec { kind } metadata { key } } } }
      }
    }"""
    answer = await run(document, None, Context(context.services))
    nodes = [node["revision"] for node in answer["data"]["tasksetRevision"]["members"]["nodes"]]
    assert nodes[1] == {"digest": broken, "content": None, "canonical": None, "spec": None, "metadata": None}
    assert all(None not in node.values() for node in (nodes[0], nodes[2]))
    place = ["tasksetRevision", "members", "nodes", 1, "revision"]
    assert sorted(error["path"] for error in answer["errors"]) == [
        [*place, field] for field in ("canonical", "content", "metadata", "spec")
    ]
    assert {error["extensions"]["code"] for error in answer["errors"]} == {"REVISION_CORRUPT"}


async def test_corrupt_taskset_content_leaves_its_members_readable(context: Context) -> None:
    await stored_tasks(context, 1)
    done = await create_taskset(context, "default", "s", None, suite("t0"))
    await context.services.database["contents"].delete_one({"_id": done.revision.digest})
    forget(context)
    document = '{tasksetRevision(ref: "s") {description filesRef metadata {key} memberCount members {nodes {name}}}}'
    answer = await run(document, None, Context(context.services))
    assert answer["data"]["tasksetRevision"] == {
        "description": None,
        "filesRef": None,
        "metadata": None,
        "memberCount": 1,
        "members": {"nodes": [{"name": "t0"}]},
    }
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["REVISION_CORRUPT"] * 3


async def test_a_dangling_member_is_shown_and_empty(context: Context) -> None:
    await stored_tasks(context, 2)
    await create_taskset(context, "default", "s", None, suite("t0", "t1"))
    await delete_task(context, "default", "t0", force=True)
    document = (
        '{tasksetRevision(ref: "s") {members {nodes {position name isDangling isHidden isOutdated '
        "revision {digest} task {name}}}}}"
    )
    answer = await data(document, None, Context(context.services))
    first, second = answer["tasksetRevision"]["members"]["nodes"]
    assert first == {
        "position": 1,
        "name": "t0",
        "isDangling": True,
        "isHidden": False,
        "isOutdated": False,
        "revision": None,
        "task": None,
    }
    assert (second["position"], second["isDangling"], second["task"]) == (2, False, {"name": "t1"})


TWICE = """
mutation ($a: TaskInput!, $b: TaskInput!) {
  first: replaceTask(input: {name: "t", task: $a}) { task { latest { number tags isLatest } } revision { tags } }
  second: replaceTask(input: {name: "t", task: $b}) { task { latest { number tags isLatest } } revision { tags } }
}
"""


def _task(intent: str, *tags: str) -> dict[str, Any]:
    return {"spec": {"evaluator": {"intent": intent}}, "tags": list(tags)}


async def test_the_second_mutation_of_a_document_does_not_see_what_the_first_had_read(context: Context) -> None:
    answer = await data(TWICE, {"a": _task("a", "x"), "b": _task("b", "x", "y")}, context)
    assert answer["first"]["task"]["latest"] == {"number": 1, "tags": ["latest", "x"], "isLatest": True}
    assert answer["second"]["task"]["latest"] == {"number": 2, "tags": ["latest", "x", "y"], "isLatest": True}
    assert answer["second"]["revision"] == {"tags": ["latest", "x", "y"]}


async def test_a_member_that_the_viewer_may_not_read_is_hidden(context: Context) -> None:
    await create_workspace(context, "secret", None)
    await create_task(context, "secret", "t", None, task("a"))
    await stored_tasks(context, 1)
    await create_taskset(context, "default", "s", None, suite("secret/t", "t0"))
    viewer = Viewer("reader", (Grant("default", frozenset({Scope.READ})),))
    document = """{
      tasksetRevision(ref: "s") {
        members { nodes { ref isHidden isDangling isOutdated revision { id } task { id } } }
        hidden: member(name: "t", workspace: "secret") { isHidden revision { id } }
      }
      task(workspace: "secret", name: "t") { id }
      taskRevision(ref: "secret/t") { id }
      workspace(name: "secret") { id }
      workspaces { totalCount nodes { name } }
      tasks(workspace: "secret") { totalCount nodes { id } }
    }"""
    answer = await data(document, None, Context(context.services, viewer))
    hidden, shown = answer["tasksetRevision"]["members"]["nodes"]
    assert hidden == {
        "ref": hidden["ref"],
        "isHidden": True,
        "isDangling": False,
        "isOutdated": False,
        "revision": None,
        "task": None,
    }
    assert hidden["ref"].startswith("secret/t#")
    assert (shown["isHidden"], shown["task"] is None) == (False, False)
    assert answer["tasksetRevision"]["hidden"] == {"isHidden": True, "revision": None}
    assert [answer[field] for field in ("task", "taskRevision", "workspace")] == [None, None, None]
    assert answer["workspaces"] == {"totalCount": 1, "nodes": [{"name": "default"}]}
    assert answer["tasks"] == {"totalCount": 0, "nodes": []}


async def test_users_differences_and_outdated_members_are_shown(context: Context) -> None:
    await stored_tasks(context, 3)
    await create_taskset(context, "default", "s", None, suite("t0", "t1"))
    await replace_task(context, "default", "t0", None, task("another"))
    await replace_taskset(context, "default", "s", None, suite("t0", "t2"))
    document = """{
      task(name: "t0") {
        tasksets { totalCount nodes { name } }
        diff(from: {number: 1}, to: {number: 2}) { from to isEmpty patch }
        same: diff(from: {number: 2}, to: {tag: "latest"}) { isEmpty patch }
        none: diff(from: {number: 1}, to: {number: 9}) { isEmpty }
        revisions { nodes { number pinnedBy { totalCount nodes { number taskset { name } } } } }
      }
      taskset(name: "s") {
        diff(from: {number: 1}, to: {number: 2}) {
          added { name task { name } }
          removed { name position }
          changed { name fromDigest toDigest }
          unchangedCount
          patch
        }
        outdatedMembers { totalCount nodes { name } }
      }
    }"""
    answer = await data(document, None, context)
    shown = answer["task"]
    assert shown["tasksets"] == {"totalCount": 1, "nodes": [{"name": "s"}]}
    assert shown["diff"]["patch"] == [{"op": "replace", "path": "/spec/inputs/instruction", "value": "another"}]
    assert (shown["diff"]["isEmpty"], shown["same"], shown["none"]) == (False, {"isEmpty": True, "patch": []}, None)
    assert [(node["number"], node["pinnedBy"]["nodes"]) for node in shown["revisions"]["nodes"]] == [
        (2, [{"number": 2, "taskset": {"name": "s"}}]),
        (1, [{"number": 1, "taskset": {"name": "s"}}]),
    ]
    changes = answer["taskset"]["diff"]
    assert changes["added"] == [{"name": "t2", "task": {"name": "t2"}}]
    assert changes["removed"] == [{"name": "t1", "position": 2}]
    assert changes["changed"] == [{"name": "t0", "fromDigest": shown["diff"]["from"], "toDigest": shown["diff"]["to"]}]
    assert changes["unchangedCount"] == 0
    assert len(changes["patch"]) > 0
    assert answer["taskset"]["outdatedMembers"] == {"totalCount": 0, "nodes": []}
