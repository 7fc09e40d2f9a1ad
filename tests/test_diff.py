"""Differences: every kind of change, applied as RFC 6902 gives the other side; and what cannot be compared."""

import json
from typing import Any, cast

import jsonpatch
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import differences
from domain.canonical import JSON, canonical_text
from domain.content import EvaluatorDraft, MetadataItem, TaskDraft, TasksetDraft, TemplateDraft
from domain.grants import Grant, Scope
from resolvers.access import Viewer
from resolvers.context import Context
from resolvers.tasks import create_task, replace_task
from resolvers.tasksets import create_taskset, replace_taskset
from resolvers.workspaces import create_workspace
from tests.drafts import stored_tasks, suite, task
from tests.operations import data, run

pytestmark = pytest.mark.anyio

LEAVES = st.none() | st.booleans() | st.sampled_from([0, 1, 2, 0.0, -0.0, 1.0, 0.5, "", "a", "1", "é"])
KEYS = st.sampled_from(["", "a", "b", "~", "/", "~1", "0", "-", "a/b~c"])
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=14
)
REFS = st.lists(st.integers(0, 40).map("r{:02}".format), unique=True).map(sorted)


def applied(before: Any, patch: list[Any]) -> str:
    """The canonical text of a value once a patch is applied to it, by a library that is not ours."""
    copy = json.loads(canonical_text(before))
    return canonical_text(jsonpatch.JsonPatch(patch).apply(copy))


@settings(max_examples=200, deadline=None)
@given(before=VALUES, after=VALUES)
def test_a_patch_leads_from_one_value_to_the_other(before: Any, after: Any) -> None:
    patch = differences.patch(before, after)
    assert applied(before, patch) == canonical_text(after)
    assert (patch == []) == (canonical_text(before) == canonical_text(after))


@settings(deadline=None)
@given(before=VALUES, after=VALUES)
def test_so_does_one_that_avoids_comparing_lists_item_by_item(before: Any, after: Any) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(differences, "_SMALL", 0)
        assert applied(before, differences.patch(before, after)) == canonical_text(after)


@given(before=REFS, after=REFS)
def test_a_patch_of_sorted_texts_names_each_change_once(before: list[str], after: list[str]) -> None:
    old, new = cast("list[JSON]", before), cast("list[JSON]", after)
    patch = differences.patch(old, new)
    assert applied(old, patch) == canonical_text(new)
    assert len(patch) == len(set(before) ^ set(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([f"r{n:05}" for n in range(10_000)], [f"r{n:05}" for n in range(1, 10_000, 2)]),
        ([0] * 20_000, [1, 0] * 10_000),
        (list(range(20_000)), list(range(20_000, 0, -1))),
        ([[n] for n in range(20_000)], [[n + 1] for n in range(20_000)]),
    ],
)
def test_long_lists_are_compared_too(before: Any, after: Any) -> None:
    patch = differences.patch(before, after)
    assert len(patch) <= max(len(before), len(after))
    assert applied(before, patch) == canonical_text(after)


DIFF = """
query ($from: RevisionSelector!, $to: RevisionSelector!) {
  task(name: "t") {
    diff(from: $from, to: $to) { from to isEmpty patch }
    before: revision(by: $from) { content digest }
    after: revision(by: $to) { content digest }
  }
}
"""


async def test_every_kind_of_change_of_a_task_is_a_patch(context: Context) -> None:
    drafts = [
        TaskDraft(EvaluatorDraft("a", "b", extra={"x": [1, 2, 3]}, reference={"n": 1}), [MetadataItem("k", None)]),
        TaskDraft(EvaluatorDraft("a", "b", extra={"x": [1, 3]}, reference={"n": 1.0}), [MetadataItem("k", None)]),
        TaskDraft(EvaluatorDraft("a", None, extra={"a/b~c": {"": []}}), [MetadataItem("k", 0), MetadataItem("j", [])]),
        TaskDraft(TemplateDraft("env", "template", args={"x": True}), [MetadataItem("j", []), MetadataItem("k", 0)]),
        TaskDraft(EvaluatorDraft("")),
    ]
    for draft in drafts:
        await replace_task(context, "default", "t", None, draft)
    numbers = range(1, len(drafts) + 1)
    for start in numbers:
        for end in numbers:
            shown = (await data(DIFF, {"from": {"number": start}, "to": {"number": end}}, context))["task"]
            diff = shown["diff"]
            assert (diff["from"], diff["to"]) == (shown["before"]["digest"], shown["after"]["digest"])
            assert diff["isEmpty"] is (start == end) is (diff["patch"] == [])
            assert applied(shown["before"]["content"], diff["patch"]) == canonical_text(shown["after"]["content"])


SELECTORS: list[tuple[dict[str, Any], bool]] = [
    ({"number": 1}, True),
    ({"tag": "latest"}, True),
    ({"tag": "dev"}, True),
    ({"number": 9}, False),
    ({"number": 0}, False),
    ({"number": -1}, False),
    ({"tag": "none"}, False),
    ({"digest": "0" * 64}, False),
]


@pytest.mark.parametrize(("selector", "is_known"), SELECTORS)
async def test_a_revision_that_does_not_exist_has_no_difference(
    context: Context, selector: dict[str, Any], is_known: bool
) -> None:
    await create_task(context, "default", "t", None, task("1", tags=["dev"]))
    await create_taskset(context, "default", "s", None, suite("t", tags=["dev"]))
    document = """query ($from: RevisionSelector!, $to: RevisionSelector!) {
      task(name: "t") { diff(from: $from, to: $to) { isEmpty } }
      taskset(name: "s") { diff(from: $from, to: $to) { patch } }
    }"""
    for variables in ({"from": selector, "to": {"number": 1}}, {"from": {"number": 1}, "to": selector}):
        shown = await data(document, variables, context)
        assert (shown["task"]["diff"] is not None) is (shown["taskset"]["diff"] is not None) is is_known


@pytest.mark.parametrize("selector", [{"digest": "abc"}, {"tag": "a b"}, {"tag": ""}, {"digest": "A" * 64}])
async def test_a_malformed_selector_is_refused(context: Context, selector: dict[str, Any]) -> None:
    await create_task(context, "default", "t", None, task("1"))
    answer = await run(DIFF, {"from": selector, "to": {"number": 1}}, context)
    assert {error["extensions"]["code"] for error in answer["errors"]} == {"BAD_USER_INPUT"}


@pytest.mark.parametrize("selector", [{}, {"number": 1, "tag": "x"}, {"number": None}])
async def test_a_selector_names_a_revision_in_one_way(context: Context, selector: dict[str, Any]) -> None:
    answer = await run(DIFF, {"from": selector, "to": {"number": 1}}, context)
    assert "data" not in answer
    assert len(answer["errors"]) == 1


async def test_corrupt_content_has_no_difference(context: Context) -> None:
    published = [await replace_task(context, "default", "t", None, task(text)) for text in ("1", "2", "3")]
    damaged = published[0].revision.digest
    await context.services.database["contents"].update_one({"_id": damaged}, {"$set": {"text": "{}"}})
    context.services.caches.contents.clear()
    document = """{ task(name: "t") {
      bad: diff(from: {number: 1}, to: {number: 2}) { patch }
      worse: diff(from: {number: 3}, to: {number: 1}) { patch }
      good: diff(from: {number: 2}, to: {number: 3}) { isEmpty }
    } }"""
    answer = await run(document, {}, context)
    assert sorted((error["path"][-1], error["extensions"]["code"]) for error in answer["errors"]) == [
        ("bad", "REVISION_CORRUPT"),
        ("worse", "REVISION_CORRUPT"),
    ]
    assert answer["data"]["task"] == {"bad": None, "worse": None, "good": {"isEmpty": False}}


MEMBERS = """
query ($from: RevisionSelector!, $to: RevisionSelector!) {
  taskset(name: "s") {
    diff(from: $from, to: $to) {
      added { name workspace position digest isHidden revision { number } task { name } }
      removed { name position }
      changed { name workspace fromDigest toDigest }
      unchangedCount patch
    }
    before: revision(by: $from) { content }
    after: revision(by: $to) { content }
  }
}
"""


async def test_members_that_came_went_and_changed(context: Context) -> None:
    tasks = await stored_tasks(context, 4)
    await create_taskset(context, "default", "s", None, suite("t2", "t1", "t0"))
    newer = await replace_task(context, "default", "t1", None, task("newer"))
    draft = TasksetDraft("other", ["t3", "t1", "t0"], "default/files#a", [MetadataItem("k", None)])
    await replace_taskset(context, "default", "s", None, draft)
    shown = (await data(MEMBERS, {"from": {"number": 1}, "to": {"number": 2}}, context))["taskset"]
    diff = shown["diff"]
    assert diff["added"] == [
        {
            "name": "t3",
            "workspace": "default",
            "position": 1,
            "digest": tasks[3].revision.digest,
            "isHidden": False,
            "revision": {"number": 1},
            "task": {"name": "t3"},
        }
    ]
    assert diff["removed"] == [{"name": "t2", "position": 1}]
    change = {"name": "t1", "workspace": "default"}
    old, new = tasks[1].revision.digest, newer.revision.digest
    assert diff["changed"] == [{**change, "fromDigest": old, "toDigest": new}]
    assert diff["unchangedCount"] == 1
    assert applied(shown["before"]["content"], diff["patch"]) == canonical_text(shown["after"]["content"])
    back = (await data(MEMBERS, {"from": {"number": 2}, "to": {"number": 1}}, context))["taskset"]["diff"]
    assert [member["name"] for member in back["added"]] == ["t2"]
    assert [member["name"] for member in back["removed"]] == ["t3"]
    assert back["changed"] == [{**change, "fromDigest": new, "toDigest": old}]
    same = (await data(MEMBERS, {"from": {"number": 2}, "to": {"tag": "latest"}}, context))["taskset"]["diff"]
    assert same == {"added": [], "removed": [], "changed": [], "unchangedCount": 3, "patch": []}


async def test_the_same_name_in_two_workspaces_is_two_members(context: Context) -> None:
    await create_workspace(context, "other", None)
    for workspace in ("default", "other"):
        await create_task(context, workspace, "t", None, task("same"))
    await create_taskset(context, "default", "s", None, suite("t"))
    await replace_taskset(context, "default", "s", None, suite("other/t"))
    viewer = Viewer("limited", (Grant("default", frozenset({Scope.READ})),))
    for reader, hidden in ((context, False), (Context(context.services, viewer), True)):
        diff = (await data(MEMBERS, {"from": {"number": 1}, "to": {"number": 2}}, reader))["taskset"]["diff"]
        (added,) = diff["added"]
        assert (added["workspace"], added["name"], added["isHidden"]) == ("other", "t", hidden)
        assert (added["revision"] is None) is (added["task"] is None) is hidden
        assert (len(diff["removed"]), diff["changed"], diff["unchangedCount"]) == (1, [], 0)
