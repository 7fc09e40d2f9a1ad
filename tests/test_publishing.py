"""The story of the platform documents: publish, compare, tag, pin, replace, go back."""

import pytest

from domain.content import EvaluatorDraft, HarborDraft, MetadataItem, TaskDraft
from domain.errors import AlreadyExists, Conflict, ErrorCode, InvalidInput, NotFound, Problems
from domain.limits import MAX_MEMBERS, MAX_TAGS
from domain.outcomes import ABSENT, Outcome
from resolvers.context import Context
from resolvers.members import member_revisions, members
from resolvers.metrics import delete_metric
from resolvers.revisions import by_reference, existing, select, tag, tag_moves, untag
from resolvers.tasks import create_task, delete_task, replace_task
from resolvers.tasksets import create_taskset, delete_taskset, replace_taskset
from resolvers.workspaces import create_workspace
from storage.pages import PageRequest
from storage.records import TASK, TASKSET
from storage.revisions import Selector
from tests.drafts import stored_metric, stored_tasks, suite, task
from tests.test_digests import FRANCE, FRANCE_AGAIN, JAPAN, SUITE_DIGEST

pytestmark = pytest.mark.anyio

FRANCE_TASK = task("What is the capital of France?", metrics=["answer-exact-match"])
FRANCE_REWORDED = task("Name the capital city of France.", metrics=["answer-exact-match"])
JAPAN_TASK = task("What is the capital of Japan?", metrics=["answer-exact-match"])


async def test_the_story_of_a_task(context: Context) -> None:
    await stored_metric(context)
    first = await create_task(context, "default", "capital-of-france", None, FRANCE_TASK)
    assert (first.outcome, first.revision.number, first.revision.digest) == (Outcome.CREATED, 1, FRANCE)

    second = await replace_task(context, "default", "capital-of-france", ABSENT, FRANCE_REWORDED)
    assert (second.outcome, second.revision.number, second.revision.digest) == (Outcome.PUBLISHED, 2, FRANCE_AGAIN)

    tagged = TaskDraft(FRANCE_REWORDED.spec, FRANCE_REWORDED.metadata, ["blessed", "latest"])
    third = await replace_task(context, "default", "capital-of-france", ABSENT, tagged)
    assert (third.outcome, third.revision.number) == (Outcome.UNCHANGED, 2)
    assert third.head.tags_at(2) == ["blessed", "latest"]

    back = await replace_task(context, "default", "capital-of-france", ABSENT, FRANCE_TASK)
    assert (back.outcome, back.revision.number, back.revision.digest) == (Outcome.PUBLISHED, 3, FRANCE)
    assert back.head.tags_at(2) == ["blessed"]

    numbers = {
        "digest": (await by_reference(context, TASK, f"capital-of-france#{FRANCE}", "default")),
        "tag": (await by_reference(context, TASK, "default/capital-of-france#blessed", "elsewhere")),
        "bare": (await by_reference(context, TASK, "capital-of-france", "default")),
        "number": (await select(context, TASK, back.head, Selector(number=1))),
        "unknown": (await by_reference(context, TASK, "capital-of-france#2", "default")),
        "unknown number": (await select(context, TASK, back.head, Selector(number=4))),
    }
    found = {how: revision and revision.number for how, revision in numbers.items()}
    assert found == {"digest": 3, "tag": 2, "bare": 3, "number": 1, "unknown": None, "unknown number": None}


async def test_tags_move_deliberately_and_are_logged(context: Context) -> None:
    await create_task(context, "default", "t", None, task("one"))
    await replace_task(context, "default", "t", ABSENT, task("two"))
    head, revision = await tag(context, TASK, "default", "t", "blessed", Selector(number=1), ABSENT)
    assert (revision.number, head.tags_at(1)) == (1, ["blessed"])
    moved, _ = await tag(context, TASK, "default", "t", "blessed", Selector(tag="latest"), revision.digest)
    assert moved.tags_at(2) == ["blessed", "latest"]
    with pytest.raises(Conflict) as caught:
        await tag(context, TASK, "default", "t", "blessed", Selector(number=1), revision.digest)
    assert caught.value.current_digest == moved.digest
    with pytest.raises(Conflict) as absent:
        await tag(context, TASK, "default", "t", "new", Selector(number=1), revision.digest)
    assert absent.value.current_digest is None
    gone = await untag(context, TASK, "default", "t", "blessed", ABSENT)
    assert gone.tags == ()
    log = await tag_moves(context, gone, None, PageRequest())
    assert [(move.tag, move.from_digest, move.to_digest) for move in log.items] == [
        ("blessed", moved.digest, None),
        ("blessed", revision.digest, moved.digest),
        ("blessed", None, revision.digest),
    ]
    with pytest.raises(NotFound):
        await untag(context, TASK, "default", "t", "blessed", ABSENT)


async def test_tagging_where_the_tag_points_already_changes_nothing(context: Context) -> None:
    created = await create_task(context, "default", "t", None, task("one", tags=["x"]))
    head, _ = await tag(context, TASK, "default", "t", "x", Selector(number=1), ABSENT)
    assert head == created.head
    assert len((await tag_moves(context, head, "x", PageRequest())).items) == 1


@pytest.mark.parametrize("name", ["latest", "a b", "0" * 64, ""])
async def test_tags_that_cannot_be_moved(context: Context, name: str) -> None:
    await create_task(context, "default", "t", None, task("one"))
    with pytest.raises(Problems) as caught:
        await tag(context, TASK, "default", "t", name, Selector(number=1), ABSENT)
    [error] = caught.value.errors
    assert error.code is (ErrorCode.TAG_RESERVED if name == "latest" else ErrorCode.INVALID_INPUT)
    assert error.path == ("tag",)


async def test_a_record_has_at_most_a_thousand_tags(context: Context) -> None:
    tags = [f"t{number}" for number in range(MAX_TAGS)]
    await create_task(context, "default", "t", None, task("one", tags=tags))
    with pytest.raises(InvalidInput) as caught:
        await tag(context, TASK, "default", "t", "more", Selector(number=1), ABSENT)
    assert caught.value.code is ErrorCode.LIMIT_EXCEEDED
    with pytest.raises(InvalidInput) as body:
        await replace_task(context, "default", "t", ABSENT, task("one", tags=["more"]))
    assert body.value.code is ErrorCode.LIMIT_EXCEEDED


async def test_dots_in_tags_survive(context: Context) -> None:
    published = await create_task(context, "default", "t", None, task("one", tags=["v1.2.3", "a.b", "$x".strip("$")]))
    head = await existing(context, TASK, "default", "t")
    assert [found.name for found in head.tags] == ["a.b", "v1.2.3", "x"]
    assert head == published.head


async def test_the_story_of_a_taskset(context: Context) -> None:
    await stored_metric(context)
    await create_task(context, "default", "capital-of-france", None, FRANCE_TASK)
    await create_task(context, "default", "capital-of-japan", None, JAPAN_TASK)
    created = await create_taskset(context, "default", "geo", None, suite("capital-of-france", "capital-of-japan"))
    assert created.revision.digest == SUITE_DIGEST
    assert created.revision.members == (
        f"default/capital-of-france#{FRANCE}",
        f"default/capital-of-japan#{JAPAN}",
    )
    reordered = await replace_taskset(
        context, "default", "geo", ABSENT, suite(f"default/capital-of-japan#{JAPAN}", "capital-of-france#latest")
    )
    assert reordered.outcome is Outcome.UNCHANGED
    assert reordered.revision.members == created.revision.members

    await tag(context, TASK, "default", "capital-of-france", "blessed", Selector(number=1), ABSENT)
    await replace_task(context, "default", "capital-of-france", ABSENT, FRANCE_REWORDED)
    page = await members(context, created.revision, PageRequest())
    old = await member_revisions(context, page.items)
    assert [old[member.ref].digest for member in page.items] == [FRANCE, JAPAN]

    blessed = await replace_taskset(
        context, "default", "geo", ABSENT, suite("capital-of-france#blessed", "capital-of-japan")
    )
    assert blessed.outcome is Outcome.UNCHANGED
    picked_up = await replace_taskset(context, "default", "geo", ABSENT, suite("capital-of-japan", "capital-of-france"))
    assert (picked_up.outcome, picked_up.revision.number) == (Outcome.PUBLISHED, 2)
    assert picked_up.revision.members == (
        f"default/capital-of-japan#{JAPAN}",
        f"default/capital-of-france#{FRANCE_AGAIN}",
    )


async def test_members_that_cannot_be_pinned_are_named_all_at_once(context: Context) -> None:
    await stored_tasks(context, 2)
    digest = "f" * 64
    with pytest.raises(Problems) as caught:
        await create_taskset(
            context, "default", "s", None, suite("t0", "nobody", "t0#x", "a/b/c", f"t1#{digest}", "default/t1#none")
        )
    found = [(".".join(map(str, error.path)), error.code.value) for error in caught.value.errors]
    assert found == [
        ("taskset.tasks.2", "DUPLICATE_MEMBER"),
        ("taskset.tasks.3", "INVALID_INPUT"),
        ("taskset.tasks.5", "DUPLICATE_MEMBER"),
        ("taskset.tasks.1", "NOT_FOUND"),
        ("taskset.tasks.4", "NOT_FOUND"),
    ]
    with pytest.raises(NotFound):
        await existing(context, TASKSET, "default", "s")


async def test_too_many_members_are_refused(context: Context) -> None:
    with pytest.raises(Problems) as caught:
        await create_taskset(context, "default", "s", None, suite(*(f"t{n}" for n in range(MAX_MEMBERS + 1))))
    assert [error.code for error in caught.value.errors] == [ErrorCode.LIMIT_EXCEEDED]


async def test_members_may_live_in_other_workspaces_and_sets_may_be_empty(context: Context) -> None:
    await create_workspace(context, "other", None)
    await create_task(context, "other", "t", None, task("x"))
    await create_task(context, "default", "t", None, task("y"))
    both = await create_taskset(context, "default", "s", None, suite("t", "other/t"))
    assert [ref.partition("#")[0] for ref in both.revision.members] == ["default/t", "other/t"]
    empty = await create_taskset(context, "default", "empty", None, suite())
    assert (empty.revision.member_count, empty.revision.members) == (0, ())


async def test_equal_content_under_two_names_is_two_records(context: Context) -> None:
    one = await create_task(context, "default", "one", None, task("same"))
    two = await create_task(context, "default", "two", None, task("same"))
    assert one.revision.digest == two.revision.digest
    assert one.head.id != two.head.id


async def test_create_on_a_taken_name(context: Context) -> None:
    created = await create_task(context, "default", "t", None, task("one"))
    with pytest.raises(AlreadyExists) as caught:
        await create_task(context, "default", "t", None, task("one"))
    assert (caught.value.ref, caught.value.digest) == ("default/t", created.revision.digest)


async def test_expected_digest_makes_it_compare_and_set(context: Context) -> None:
    with pytest.raises(Conflict) as missing:
        await replace_task(context, "default", "t", ABSENT, task("one"), "0" * 64)
    assert missing.value.current_digest is None
    first = await create_task(context, "default", "t", None, task("one"))
    second = await replace_task(context, "default", "t", ABSENT, task("two"), first.revision.digest)
    with pytest.raises(Conflict) as again:
        await replace_task(context, "default", "t", ABSENT, task("two"), first.revision.digest)
    assert again.value.current_digest == second.revision.digest
    with pytest.raises(Problems):
        await replace_task(context, "default", "t", ABSENT, task("two"), "short")


async def test_project_is_kept_moved_and_cleared_without_a_revision(context: Context) -> None:
    created = await create_task(context, "default", "t", "alpha", task("one"))
    kept = await replace_task(context, "default", "t", ABSENT, task("one"))
    assert (kept.head.project, kept.head.updated_at) == ("alpha", created.head.updated_at)
    moved = await replace_task(context, "default", "t", "beta", task("one"))
    assert (moved.outcome, moved.head.project, moved.revision.number) == (Outcome.UNCHANGED, "beta", 1)
    published = await replace_task(context, "default", "t", ABSENT, task("two"))
    assert published.head.project == "beta"
    cleared = await replace_task(context, "default", "t", None, task("two"))
    assert (cleared.head.project, await existing(context, TASK, "default", "t")) == (None, cleared.head)


async def test_the_published_configuration_of_a_harbor_task_stays(context: Context) -> None:
    def draft(config: dict[str, int]) -> TaskDraft:
        return TaskDraft(HarborDraft("default/hello#dist.tar.gz", "a" * 64, None, config))

    first = await create_task(context, "default", "h", None, draft({"cpus": 1}))
    again = await replace_task(context, "default", "h", ABSENT, draft({"cpus": 2}))
    assert again.outcome is Outcome.UNCHANGED
    assert again.revision.config == first.revision.config == '{"cpus":1}'


async def test_a_publish_needs_metrics_that_exist_and_are_in_use(context: Context) -> None:
    with pytest.raises(NotFound) as missing:
        await create_task(context, "default", "t", None, task("x", metrics=["default/nobody"]))
    assert (missing.value.ref, missing.value.path) == (
        "default/nobody",
        ("task", "spec", "evaluator", "metrics", 0),
    )
    await stored_metric(context, "m")
    await create_task(context, "default", "t", None, task("x", metrics=["m", "m"]))
    await delete_metric(context, "default", "m")
    same = await replace_task(context, "default", "t", ABSENT, task("x", metrics=["m", "m"], tags=["kept"]))
    assert (same.outcome, same.head.tags_at(1)) == (Outcome.UNCHANGED, ["kept", "latest"])
    for draft in (task("y", metrics=["m"]), task("x", metrics=["m"])):
        with pytest.raises(InvalidInput) as retired:
            await replace_task(context, "default", "t", ABSENT, draft)
        assert "retired" in retired.value.message
    with pytest.raises(InvalidInput):
        await create_task(context, "default", "u", None, task("x", metrics=["m"]))


async def test_a_workspace_must_exist(context: Context) -> None:
    for attempt in (
        create_task(context, "nowhere", "t", None, task("x")),
        replace_task(context, "nowhere", "t", ABSENT, task("x")),
        create_taskset(context, "nowhere", "t", None, suite()),
    ):
        with pytest.raises(NotFound) as caught:
            await attempt
        assert caught.value.path == ("workspace",)


async def test_everything_wrong_with_a_publish_comes_at_once(context: Context) -> None:
    draft = TaskDraft(EvaluatorDraft("x", None, [1]), [MetadataItem("k", 2**63)], ["a b"])
    with pytest.raises(Problems) as caught:
        await replace_task(context, "default", "a/b", "\ud800", draft, "x")
    assert [".".join(map(str, error.path)) for error in caught.value.errors] == [
        "name",
        "project",
        "expectedDigest",
        "task.spec.evaluator.inputs.extra",
        "task.metadata.0.value",
        "task.tags.0",
    ]


async def test_deleting_a_taskset_leaves_its_tasks_alone(context: Context) -> None:
    await stored_tasks(context, 1)
    await create_taskset(context, "default", "s", None, suite("t0"))
    await delete_taskset(context, "default", "s")
    assert (await existing(context, TASK, "default", "t0")).number == 1
    await delete_task(context, "default", "t0", False)
    with pytest.raises(NotFound):
        await existing(context, TASK, "default", "t0")
