"""Who uses what: pins, members that fell behind, tag moves; and nothing of workspaces that may not be read."""

from typing import Any

import pytest

from domain.content import EvaluatorDraft, TaskDraft
from domain.errors import ServiceUnavailable
from domain.grants import Grant, Scope
from resolvers import usage
from resolvers.access import Viewer
from resolvers.context import Context
from resolvers.members import members
from resolvers.revisions import revisions
from resolvers.tasks import create_task, delete_task, replace_task
from resolvers.tasksets import create_taskset, delete_taskset, replace_taskset
from resolvers.workspaces import create_workspace
from storage.pages import PageRequest
from storage.records import TASKSET
from storage.revisions import find_head
from tests.drafts import stored_metric, stored_tasks, suite, task
from tests.operations import data, run

pytestmark = pytest.mark.anyio

READ = frozenset({Scope.READ})


def limited(context: Context, *workspaces: str) -> Context:
    """The same services for somebody who may read only these workspaces."""
    return Context(context.services, Viewer("limited", tuple(Grant(name, READ) for name in workspaces)))


PINNED_BY = """
query ($first: Int, $after: String) {
  task(name: "t0") {
    latest { pinnedBy(first: $first, after: $after) { nodes { ref number } totalCount } }
    revisions { nodes { number pinnedBy { totalCount } } }
    tasksets(first: $first, after: $after) { nodes { ref } totalCount pageInfo { hasNextPage endCursor } }
  }
}
"""


async def test_pins_are_found_by_digest_and_tasksets_by_their_latest_revision(context: Context) -> None:
    first, _ = await stored_tasks(context, 2)
    await create_workspace(context, "other", None)
    one = await create_taskset(context, "default", "one", None, suite("t0", "t1"))
    two = await create_taskset(context, "other", "two", None, suite("default/t0"))
    await replace_taskset(context, "default", "one", None, suite("t1"))
    shown = (await data(PINNED_BY, {}, context))["task"]
    assert shown["latest"]["pinnedBy"]["nodes"] == [
        {"ref": one.revision.ref, "number": 1},
        {"ref": two.revision.ref, "number": 1},
    ]
    assert shown["tasksets"] == {
        "nodes": [{"ref": "other/two"}],
        "totalCount": 1,
        "pageInfo": {"hasNextPage": False, "endCursor": shown["tasksets"]["pageInfo"]["endCursor"]},
    }
    await replace_task(context, "default", "t0", None, task("other content"))
    await replace_task(context, "default", "t0", None, task("t0"))
    shown = (await data(PINNED_BY, {}, context))["task"]
    counts = [(node["number"], node["pinnedBy"]["totalCount"]) for node in shown["revisions"]["nodes"]]
    assert counts == [(3, 2), (2, 0), (1, 2)]
    assert first.head.ref == "default/t0"


async def test_users_are_paged(context: Context) -> None:
    await stored_tasks(context, 1)
    for number in range(5):
        await create_taskset(context, "default", f"s{number}", None, suite("t0", description=str(number)))
    for field in ("latest { users: pinnedBy", "latest { task { users: tasksets"):
        document = f"""query ($after: String) {{ task(name: "t0") {{
            {field}(first: 2, after: $after) {{ nodes {{ ref }} pageInfo {{ hasNextPage endCursor }} }}
        {"}" * (field.count("{") + 2)}"""
        refs: list[str] = []
        after, goes_on = None, True
        while goes_on:
            found = (await data(document, {"after": after}, context))["task"]["latest"]
            users = (found.get("task") or found)["users"]
            refs += [node["ref"].partition("#")[0] for node in users["nodes"]]
            after, goes_on = users["pageInfo"]["endCursor"], users["pageInfo"]["hasNextPage"]
        assert refs == [f"default/s{number}" for number in range(5)]


async def test_users_in_workspaces_that_may_not_be_read_are_not_counted(context: Context) -> None:
    metric = await stored_metric(context)
    await create_task(context, "default", "t0", None, task("t0", metrics=[metric.ref]))
    for name in ("open", "secret"):
        await create_workspace(context, name, None)
        await create_task(context, name, "mine", None, task(name, metrics=[metric.ref]))
        await create_taskset(context, name, "set", None, suite("default/t0"))
    document = """{
      task(name: "t0") {
        latest { pinnedBy { totalCount nodes { ref } } }
        tasksets { totalCount nodes { ref } }
      }
      metric(name: "answer-exact-match") { usedBy { totalCount nodes { ref } } }
      secret: taskset(workspace: "secret", name: "set") { id }
    }"""
    for viewer, expected in ((context, 2), (limited(context, "default", "open"), 1), (limited(context, "default"), 0)):
        answer = await data(document, {}, viewer)
        used = answer["metric"]["usedBy"]
        assert answer["task"]["latest"]["pinnedBy"]["totalCount"] == expected
        assert answer["task"]["tasksets"]["totalCount"] == len(answer["task"]["tasksets"]["nodes"]) == expected
        assert used["totalCount"] == len(used["nodes"]) == expected + 1
        assert (answer["secret"] is None) == ("secret/" not in str(answer)) == (viewer is not context)


OUTDATED = """
query ($first: Int = 100, $after: String) {
  taskset(name: "s") {
    outdatedMembers(first: $first, after: $after) {
      nodes { name position isOutdated isDangling } totalCount pageInfo { hasNextPage hasPreviousPage endCursor }
    }
    latest { members { nodes { name isOutdated isDangling isHidden revision { number } task { latest { number } } } } }
  }
}
"""


async def outdated(context: Context) -> list[str]:
    """The names in `outdatedMembers`, which must be those whose `isOutdated` says so."""
    shown = (await data(OUTDATED, {}, Context(context.services, context.viewer)))["taskset"]
    listed = [node["name"] for node in shown["outdatedMembers"]["nodes"]]
    assert listed == [node["name"] for node in shown["latest"]["members"]["nodes"] if node["isOutdated"]]
    assert shown["outdatedMembers"]["totalCount"] == len(listed)
    return listed


async def test_members_are_outdated_by_content(context: Context) -> None:
    await stored_tasks(context, 3)
    await create_taskset(context, "default", "s", None, suite("t2", "t0", "t1"))
    assert await outdated(context) == []
    await replace_task(context, "default", "t0", None, task("newer"))
    await replace_task(context, "default", "t2", None, task("newer"))
    assert await outdated(context) == ["t2", "t0"]
    await replace_task(context, "default", "t0", None, task("t0"))
    assert await outdated(context) == ["t2"]
    tag = 'mutation { tagTask(input: {name: "t1", tag: "x", revision: {number: 1}}) { errors { code } } }'
    assert (await data(tag, {}, context))["tagTask"]["errors"] == []
    assert await outdated(context) == ["t2"]
    await delete_task(context, "default", "t2", force=True)
    assert await outdated(context) == []
    await create_task(context, "default", "t2", None, task("other"))
    assert await outdated(context) == ["t2"]
    await replace_taskset(context, "default", "s", None, suite("t2", "t0", "t1"))
    assert await outdated(context) == []


async def test_hidden_and_dangling_members_are_not_outdated(context: Context) -> None:
    await create_workspace(context, "secret", None)
    await create_task(context, "secret", "hidden", None, task("a"))
    await create_task(context, "default", "gone", None, task("b"))
    await create_taskset(context, "default", "s", None, suite("secret/hidden", "gone"))
    await replace_task(context, "secret", "hidden", None, task("newer"))
    await delete_task(context, "default", "gone", force=True)
    assert await outdated(context) == ["hidden"]
    viewer = limited(context, "default")
    assert await outdated(viewer) == []
    members = (await data(OUTDATED, {}, viewer))["taskset"]["latest"]["members"]["nodes"]
    nothing = {"isOutdated": False, "revision": None, "task": None}
    assert members == [
        {"name": "hidden", "isDangling": False, "isHidden": True, **nothing},
        {"name": "gone", "isDangling": True, "isHidden": False, **nothing},
    ]


async def test_outdated_members_are_paged_in_the_order_published(context: Context) -> None:
    await stored_tasks(context, 7)
    await create_taskset(context, "default", "s", None, suite(*(f"t{n}" for n in (6, 5, 4, 3, 2, 1, 0))))
    for number in (0, 2, 3, 5, 6):
        await replace_task(context, "default", f"t{number}", None, task("newer"))
    names: list[str] = []
    after = None
    while True:
        found = (await data(OUTDATED, {"first": 2, "after": after}, context))["taskset"]["outdatedMembers"]
        names += [node["name"] for node in found["nodes"]]
        assert found["totalCount"] == 5
        assert found["pageInfo"]["hasPreviousPage"] is (after is not None)
        after = found["pageInfo"]["endCursor"]
        if not found["pageInfo"]["hasNextPage"]:
            break
    assert names == ["t6", "t5", "t3", "t2", "t0"]
    await replace_taskset(context, "default", "s", None, suite("t6"))
    answer = await run(OUTDATED, {"first": 2, "after": after}, context)
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["BAD_USER_INPUT"]


async def test_no_more_members_are_compared_than_fill_a_page(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "_BATCH", 2)
    await stored_tasks(context, 6)
    await create_taskset(context, "default", "s", None, suite(*(f"t{n}" for n in range(6))))
    await replace_task(context, "default", "t0", None, task("newer"))
    await replace_task(context, "default", "t1", None, task("newer"))
    head = await find_head(context.services.database, TASKSET, "default", "s")
    assert head is not None
    page = await usage.outdated_members(context, head, PageRequest(first=1))
    assert ([member.name for member in page.items], page.has_next) == (["t0"], True)
    page = await usage.outdated_members(context, head, PageRequest(first=5))
    assert ([member.name for member in page.items], page.has_next) == (["t0", "t1"], False)


async def test_a_member_is_found_by_its_name_and_workspace(context: Context) -> None:
    await create_workspace(context, "other", None)
    for workspace in ("default", "other"):
        await create_task(context, workspace, "t", None, task(workspace))
    await create_taskset(context, "default", "s", None, suite("other/t", "t"))
    document = """{ taskset(name: "s") { latest {
      bare: member(name: "t") { ref position }
      null: member(name: "t", workspace: null) { ref }
      there: member(name: "t", workspace: "other") { ref position isHidden revision { number } }
      absent: member(name: "x") { ref }
      elsewhere: member(name: "t", workspace: "nowhere") { ref }
      whole: member(name: "other/t") { ref }
    } } }"""
    found = (await data(document, {}, context))["taskset"]["latest"]
    assert (found["bare"]["ref"].partition("#")[0], found["bare"]["position"]) == ("default/t", 2)
    assert found["null"]["ref"] == found["bare"]["ref"]
    assert (found["there"]["ref"].partition("#")[0], found["there"]["position"]) == ("other/t", 1)
    assert [found[name] for name in ("absent", "elsewhere", "whole")] == [None] * 3
    hidden = (await data(document, {}, limited(context, "default")))["taskset"]["latest"]["there"]
    assert (hidden["isHidden"], hidden["revision"]) == (True, None)


async def test_a_revision_deleted_while_its_members_are_read_says_so(context: Context) -> None:
    await stored_tasks(context, 1)
    stored = await create_taskset(context, "default", "s", None, suite("t0"))
    (listed,) = (await revisions(context, TASKSET, stored.head, PageRequest())).items
    await delete_taskset(context, "default", "s")
    with pytest.raises(ServiceUnavailable, match="deleted while it was being read"):
        await members(context, listed, PageRequest())


MOVES = """
query ($tag: String, $first: Int = 100, $after: String) {
  task(name: "t") {
    tags { name number }
    tagMoves(tag: $tag, first: $first, after: $after) {
      nodes { tag fromDigest toDigest by } totalCount pageInfo { hasNextPage endCursor }
    }
  }
}
"""
TAG = """
mutation ($input: TagTaskInput!) {
  tagTask(input: $input) {
    task { tags { name number } }
    errors { __typename code path ... on Conflict { currentDigest } }
  }
}
"""
UNTAG = """
mutation ($input: UntagTaskInput!) {
  untagTask(input: $input) { errors { __typename code path ... on Conflict { currentDigest } } }
}
"""


async def two_revisions(context: Context) -> list[str]:
    published = [
        await replace_task(context, "default", "t", None, TaskDraft(EvaluatorDraft(intent))) for intent in ("1", "2")
    ]
    return [each.revision.digest for each in published]


async def test_every_move_of_a_tag_is_logged_newest_first(context: Context) -> None:
    one, two = await two_revisions(context)
    for number in (1, 2, 2, 1):
        variables = {"input": {"name": "t", "tag": "blessed", "revision": {"number": number}}}
        assert (await data(TAG, variables, context))["tagTask"]["errors"] == []
    await data(TAG, {"input": {"name": "t", "tag": "dev", "revision": {"tag": "latest"}}}, context)
    await data(UNTAG, {"input": {"name": "t", "tag": "blessed"}}, context)
    shown = (await data(MOVES, {}, context))["task"]
    moves = [(move["tag"], move["fromDigest"], move["toDigest"]) for move in shown["tagMoves"]["nodes"]]
    blessed = [("blessed", one, None), ("blessed", two, one), ("blessed", one, two), ("blessed", None, one)]
    assert moves == [blessed[0], ("dev", None, two), *blessed[1:]]
    assert shown["tagMoves"]["totalCount"] == 5
    assert shown["tags"] == [{"name": "dev", "number": 2}, {"name": "latest", "number": 2}]
    assert {move["by"] for move in shown["tagMoves"]["nodes"]} == {None}
    listed: list[Any] = []
    after, goes_on = None, True
    while goes_on:
        page = (await data(MOVES, {"tag": "blessed", "first": 3, "after": after}, context))["task"]["tagMoves"]
        listed += [(move["tag"], move["fromDigest"], move["toDigest"]) for move in page["nodes"]]
        after, goes_on = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
        assert page["totalCount"] == 4
    assert listed == blessed


async def test_a_tag_moves_only_from_where_it_is_expected(context: Context) -> None:
    one, two = await two_revisions(context)
    move = {"name": "t", "tag": "blessed", "revision": {"number": 2}}
    steps: list[tuple[dict[str, Any], str | None, bool]] = [
        ({"expectedDigest": one}, None, True),
        ({"expectedDigest": None}, None, False),
        ({"expectedDigest": None}, two, True),
        ({"expectedDigest": one}, two, True),
        ({"expectedDigest": two, "revision": {"number": 1}}, None, False),
        ({"revision": {"number": 2}}, None, False),
    ]
    for changes, current, fails in steps:
        answer = (await data(TAG, {"input": {**move, **changes}}, context))["tagTask"]
        if fails:
            path = ["input", "expectedDigest"]
            conflict = {"__typename": "Conflict", "code": "CONFLICT", "path": path, "currentDigest": current}
            assert answer == {"task": None, "errors": [conflict]}
        else:
            assert answer["errors"] == []
    for expected, fails in ((one, True), (two, False)):
        answer = await data(UNTAG, {"input": {"name": "t", "tag": "blessed", "expectedDigest": expected}}, context)
        assert [error["code"] for error in answer["untagTask"]["errors"]] == ["CONFLICT"] * fails


@pytest.mark.parametrize(
    ("input", "code", "path"),
    [
        ({"tag": "latest"}, "TAG_RESERVED", ["input", "tag"]),
        ({"tag": "a" * 64}, "INVALID_INPUT", ["input", "tag"]),
        ({"tag": "a/b"}, "INVALID_INPUT", ["input", "tag"]),
        ({"tag": ""}, "INVALID_INPUT", ["input", "tag"]),
        ({"revision": {"number": 9}}, "NOT_FOUND", ["input", "revision"]),
        ({"revision": {"tag": "none"}}, "NOT_FOUND", ["input", "revision"]),
        ({"revision": {"digest": "0" * 64}}, "NOT_FOUND", ["input", "revision"]),
        ({"revision": {"digest": "abc"}}, "INVALID_INPUT", ["input", "revision", "digest"]),
        ({"name": "nobody"}, "NOT_FOUND", ["input", "name"]),
        ({"expectedDigest": "abc"}, "INVALID_INPUT", ["input", "expectedDigest"]),
    ],
)
async def test_tags_that_cannot_move_say_why(
    context: Context, input: dict[str, Any], code: str, path: list[str]
) -> None:
    await two_revisions(context)
    move = {"name": "t", "tag": "blessed", "revision": {"number": 2}, **input}
    errors = (await data(TAG, {"input": move}, context))["tagTask"]["errors"]
    assert [(error["code"], error["path"]) for error in errors] == [(code, path)]
    assert (await data(MOVES, {}, context))["task"]["tagMoves"]["totalCount"] == 0
