"""Syncing a taskset with a file: the plan, what it writes, what it refuses, and what it rests on."""

from collections.abc import AsyncIterator, Sequence

import pytest
from motor.motor_asyncio import AsyncIOMotorClient
from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

from domain.content import MetadataItem, TasksetDraft
from domain.errors import ErrorCode, InvalidInput, NotFound, Problems
from domain.outcomes import ABSENT
from domain.sync import SyncItem, TasksetChanges
from resolvers.contents import contents
from resolvers.context import Context
from resolvers.members import members
from resolvers.metrics import delete_metric
from resolvers.revisions import count_revisions, existing, head, select
from resolvers.sync import Synced, sync_taskset
from resolvers.sync_file import NamedTask, TaskFile
from resolvers.sync_moves import PlanMoved
from resolvers.sync_plan import SyncTaskset
from resolvers.tasks import create_task, delete_task, replace_task
from resolvers.tasksets import create_taskset, replace_taskset
from resolvers.workspaces import create_workspace
from storage.pages import PageRequest
from storage.records import TASK, TASKSET
from storage.revisions import Selector
from storage.services import Services, open_services
from tests.drafts import SUITE_DESCRIPTION, stored_metric, stored_tasks, suite, task

pytestmark = pytest.mark.anyio

CAPITALS = {"france": "What is the capital of France?", "japan": "What is the capital of Japan?", "peru": "And Peru?"}


WRITES = {"insert", "update", "delete", "findAndModify", "commitTransaction"}


class Writes(CommandListener):
    """The names of the write commands that a client sends."""

    def __init__(self) -> None:
        self.commands: list[str] = []

    def started(self, event: CommandStartedEvent) -> None:
        if event.command_name in WRITES:
            self.commands.append(event.command_name)

    def succeeded(self, event: CommandSucceededEvent) -> None:
        """How a command ends does not matter."""

    def failed(self, event: CommandFailedEvent) -> None:
        """How a command ends does not matter."""


def rows(texts: dict[str, str]) -> list[NamedTask]:
    """Tasks of a file by name."""
    return [NamedTask(name, task(text)) for name, text in texts.items()]


def file_of(tasks: Sequence[NamedTask], size: int = 2) -> TaskFile:
    """A file that is read in small batches."""

    async def batches() -> AsyncIterator[Sequence[NamedTask]]:
        for start in range(0, len(tasks), size):
            yield tasks[start : start + size]

    return TaskFile(batches)


async def sync(
    context: Context,
    tasks: Sequence[NamedTask],
    *,
    changes: TasksetChanges | None = None,
    dry_run: bool = False,
    plan_digest: str | None = None,
) -> Synced:
    """Sync the taskset `default/capitals`."""
    request = SyncTaskset(
        "default", "capitals", file_of(tasks), changes or TasksetChanges(), dry_run=dry_run, plan_digest=plan_digest
    )
    return await sync_taskset(context, request)


def names(items: Sequence[SyncItem]) -> list[str]:
    return [item.name for item in items]


async def pinned(context: Context) -> dict[str, str]:
    """Digests of the taskset's members by name, in their order."""
    found = await existing(context, TASKSET, "default", "capitals")
    revision = await select(context, TASKSET, found, None)
    assert revision is not None
    page = await members(context, revision, PageRequest(first=1000))
    return {member.name: member.digest for member in page.items}


async def test_a_file_becomes_a_taskset(context: Context) -> None:
    done = await sync(context, rows(CAPITALS))
    assert names(done.plan.to_create) == ["france", "japan", "peru"]
    assert (done.plan.to_update, done.plan.unchanged, done.plan.remote_only) == ((), (), ())
    assert done.taskset is not None
    assert done.revision is not None
    assert (done.taskset.digest, done.revision.number) == (done.plan.taskset.new_digest, 1)
    assert await pinned(context) == {item.name: item.new_digest for item in done.plan.to_create}
    for item in done.plan.to_create:
        assert (await existing(context, TASK, "default", item.name)).digest == item.new_digest
    assert done.plan.summary.splitlines() == [
        "Sync of taskset capitals: it is created",
        "  Create:      3",
        "  Update:      0",
        "  Unchanged:   0",
        "  Remote-only: 0",
    ]


async def test_a_second_run_finds_nothing_to_do(context: Context) -> None:
    first = await sync(context, rows(CAPITALS))
    again = await sync(context, rows(CAPITALS))
    assert names(again.plan.unchanged) == ["france", "japan", "peru"]
    assert (again.plan.to_create, again.plan.to_update) == ((), ())
    assert again.plan.summary.startswith("Sync of taskset capitals: its content stays\n")
    assert again.taskset == first.taskset
    assert again.revision == first.revision


async def test_a_run_that_changes_nothing_sends_no_write(mongodb_url: str, services: Services) -> None:
    written = Writes()
    client = AsyncIOMotorClient(mongodb_url, tz_aware=True, event_listeners=[written])
    watched = await open_services(client, services.database.name)
    try:
        context = Context(watched)
        tagged = [NamedTask("france", task("Paris?", tags=["blessed"]))]
        changes = TasksetChanges(description="Capitals", metadata=[MetadataItem("suite", "geography")], project="p")
        await sync(context, tagged, changes=changes)
        assert {"insert", "update"} <= set(written.commands)
        written.commands.clear()
        for keeping in (changes, TasksetChanges()):
            await sync(context, tagged, changes=keeping)
        await sync(context, rows(CAPITALS), dry_run=True)
        assert written.commands == []
    finally:
        await watched.close()
        client.close()


async def test_one_edited_row_is_one_update(context: Context) -> None:
    first = await sync(context, rows(CAPITALS))
    done = await sync(context, rows({**CAPITALS, "japan": "Tokyo is the capital of which country?"}))
    assert (names(done.plan.to_update), names(done.plan.unchanged)) == (["japan"], ["france", "peru"])
    (item,) = done.plan.to_update
    assert item.current_digest == first.plan.to_create[1].new_digest
    assert (done.revision and done.revision.number) == 2
    assert (await pinned(context))["japan"] == item.new_digest
    for name, count in (("france", 1), ("japan", 2), ("peru", 1)):
        assert await count_revisions(context, TASK, await existing(context, TASK, "default", name)) == count


async def test_members_of_the_file_are_pinned_anew(context: Context) -> None:
    tasks = await stored_tasks(context, 2)
    await create_taskset(context, "default", "capitals", None, suite("t0", "t1"))
    moved = await replace_task(context, "default", "t0", ABSENT, task("changed since"))
    done = await sync(context, [NamedTask("t0", task("changed since"))])
    assert (names(done.plan.unchanged), names(done.plan.remote_only)) == (["t0"], ["t1"])
    assert done.plan.summary.startswith("Sync of taskset capitals: it gets a new revision\n")
    assert await pinned(context) == {"t0": moved.revision.digest, "t1": tasks[1].revision.digest}


async def test_what_the_file_leaves_out_stays_as_it_was_pinned(context: Context) -> None:
    tasks = await stored_tasks(context, 2)
    await create_taskset(context, "default", "capitals", None, suite("t0", "t1"))
    await replace_task(context, "default", "t1", ABSENT, task("changed since"))
    done = await sync(context, rows(CAPITALS))
    before = [SyncItem(f"t{n}", tasks[n].revision.digest, tasks[n].revision.digest) for n in range(2)]
    assert done.plan.remote_only == tuple(before)
    assert done.plan.summary.splitlines()[-1] == "  Remote-only: 2 (kept)"
    assert list(await pinned(context)) == ["france", "japan", "peru", "t0", "t1"]
    assert (await pinned(context))["t1"] == tasks[1].revision.digest


async def test_what_the_file_leaves_out_can_be_taken_out(context: Context) -> None:
    await stored_tasks(context, 2)
    await create_taskset(context, "default", "capitals", None, suite("t0", "t1"))
    done = await sync(context, rows(CAPITALS), changes=TasksetChanges(remove_missing=True))
    assert [(item.name, item.new_digest) for item in done.plan.remote_only] == [("t0", None), ("t1", None)]
    assert done.plan.summary.splitlines()[-1] == "  Remote-only: 2 (taken out)"
    assert list(await pinned(context)) == ["france", "japan", "peru"]
    assert await head(context, TASK, "default", "t0") is not None
    emptied = await sync(context, [], changes=TasksetChanges(remove_missing=True))
    assert names(emptied.plan.remote_only) == ["france", "japan", "peru"]
    assert await pinned(context) == {}


async def test_what_is_not_given_is_kept_and_null_clears(context: Context) -> None:
    draft = TasksetDraft(SUITE_DESCRIPTION, (), "default/files#data", (MetadataItem("suite", "geography"),))
    await create_taskset(context, "default", "capitals", "maps", draft)
    kept = await sync(context, [])
    assert kept.revision is not None
    assert kept.revision.number == 1
    cleared = await sync(context, [], changes=TasksetChanges(None, None, None, None))
    assert cleared.revision is not None
    assert cleared.taskset is not None
    assert (cleared.revision.number, cleared.taskset.project) == (2, None)
    content = (await contents(context, [cleared.revision.digest]))[cleared.revision.digest]
    assert content.value == {"description": None, "files_ref": None, "metadata": [], "tasks": []}
    again = await sync(context, [], changes=TasksetChanges(description=SUITE_DESCRIPTION, project="maps"))
    assert again.revision is not None
    assert again.taskset is not None
    assert (again.revision.number, again.taskset.project) == (3, "maps")


async def test_a_moved_project_alone_cuts_no_revision(context: Context) -> None:
    await sync(context, rows(CAPITALS))
    moved = await sync(context, rows(CAPITALS), changes=TasksetChanges(project="maps"))
    assert moved.taskset is not None
    assert (moved.taskset.project, moved.taskset.number) == ("maps", 1)


async def test_tags_of_a_row_are_applied(context: Context) -> None:
    await sync(context, [NamedTask("france", task("Paris?", tags=["blessed", "latest"]))])
    assert (await existing(context, TASK, "default", "france")).tags_at(1) == ["blessed", "latest"]
    await sync(context, [NamedTask("france", task("Paris!", tags=["blessed"]))])
    assert (await existing(context, TASK, "default", "france")).tags_at(2) == ["blessed", "latest"]
    same = await sync(context, [NamedTask("france", task("Paris!", tags=["reviewed"]))])
    assert names(same.plan.unchanged) == ["france"]
    assert (await existing(context, TASK, "default", "france")).tags_at(2) == ["blessed", "latest", "reviewed"]


async def test_a_dry_run_writes_nothing(context: Context) -> None:
    planned = await sync(context, rows(CAPITALS), dry_run=True)
    assert (planned.taskset, planned.revision) == (None, None)
    assert names(planned.plan.to_create) == ["france", "japan", "peru"]
    for collection in ("tasks", "task_revisions", "tasksets", "taskset_revisions", "contents", "guards"):
        assert await context.services.database[collection].count_documents({}) == 0
    done = await sync(context, rows(CAPITALS), plan_digest=planned.plan.digest)
    assert done.plan == planned.plan


async def test_a_plan_does_not_depend_on_when_it_is_made(context: Context) -> None:
    first = await sync(context, rows(CAPITALS), dry_run=True)
    assert (await sync(context, rows(CAPITALS), dry_run=True)).plan == first.plan
    others = [
        await sync(context, rows({**CAPITALS, "peru": "Lima?"}), dry_run=True),
        await sync(context, rows(dict(reversed(CAPITALS.items()))), dry_run=True),
        await sync(context, rows(CAPITALS)[:2], dry_run=True),
        await sync(context, [*rows(CAPITALS)[:2], NamedTask("peru", task(CAPITALS["peru"], tags=["x"]))], dry_run=True),
        *[
            await sync(context, rows(CAPITALS), changes=changes, dry_run=True)
            for changes in (
                TasksetChanges(description=None),
                TasksetChanges(description="d"),
                TasksetChanges(files_ref=None),
                TasksetChanges(metadata=None),
                TasksetChanges(metadata=[MetadataItem("k", None)]),
                TasksetChanges(project=None),
                TasksetChanges(remove_missing=True),
            )
        ],
    ]
    digests = [first.plan.digest, *(other.plan.digest for other in others)]
    assert len(set(digests)) == len(digests) == 12


async def test_a_plan_that_no_longer_stands_names_what_moved(context: Context) -> None:
    await sync(context, rows(CAPITALS))
    edited = rows({**CAPITALS, "japan": "Tokyo?"})
    shown = (await sync(context, edited, dry_run=True)).plan
    await replace_task(context, "default", "peru", ABSENT, task("Lima?"))
    with pytest.raises(PlanMoved) as task_moved:
        await sync(context, edited, plan_digest=shown.digest)
    assert "these moved: task 'default/peru'. " in task_moved.value.message
    assert task_moved.value.path == ("planDigest",)
    fresh = (await sync(context, edited, dry_run=True)).plan
    assert (task_moved.value.current_digest, task_moved.value.plan) == (fresh.digest, fresh)

    await replace_taskset(context, "default", "capitals", ABSENT, suite("japan"))
    await create_task(context, "default", "chile", None, task("Santiago?"))
    with pytest.raises(PlanMoved) as taskset_moved:
        await sync(context, edited, plan_digest=fresh.digest)
    assert "these moved: taskset 'default/capitals'. " in taskset_moved.value.message
    with pytest.raises(PlanMoved) as both:
        await sync(context, edited, plan_digest=shown.digest)
    assert "these moved: taskset 'default/capitals', task 'default/peru'. " in both.value.message
    assert await count_revisions(context, TASK, await existing(context, TASK, "default", "japan")) == 1


async def test_many_moves_are_named_in_short(context: Context) -> None:
    many = {f"t{number}": f"Question {number}?" for number in range(15)}
    shown = (await sync(context, rows(many), dry_run=True)).plan
    await sync(context, rows({name: f"{text}!" for name, text in many.items()}))
    await sync(context, rows({**many, "t0": "Another?"}))
    with pytest.raises(PlanMoved) as moved:
        await sync(context, rows(many), plan_digest=shown.digest)
    assert "taskset 'default/capitals'" in moved.value.message
    assert moved.value.message.count("task 'default/") == 9
    assert " and 6 more. " in moved.value.message


async def test_a_plan_rests_on_what_did_not_exist(context: Context) -> None:
    shown = (await sync(context, rows(CAPITALS), dry_run=True)).plan
    await create_task(context, "default", "peru", None, task("Lima?"))
    with pytest.raises(PlanMoved, match="these moved: task 'default/peru'"):
        await sync(context, rows(CAPITALS), plan_digest=shown.digest)
    await delete_task(context, "default", "peru", force=False)
    assert (await sync(context, rows(CAPITALS), plan_digest=shown.digest)).plan == shown


async def test_a_plan_that_was_applied_is_over(context: Context) -> None:
    shown = (await sync(context, rows(CAPITALS), dry_run=True)).plan
    await sync(context, rows(CAPITALS), plan_digest=shown.digest)
    with pytest.raises(PlanMoved) as again:
        await sync(context, rows(CAPITALS), plan_digest=shown.digest)
    assert again.value.plan.to_create == again.value.plan.to_update == ()


async def test_a_deleted_task_leaves_no_trace_to_name(context: Context) -> None:
    await sync(context, rows(CAPITALS))
    edited = rows({**CAPITALS, "japan": "Tokyo?"})
    shown = (await sync(context, edited, dry_run=True)).plan
    await delete_task(context, "default", "peru", force=True)
    with pytest.raises(PlanMoved, match="was deleted or changed long ago") as moved:
        await sync(context, edited, plan_digest=shown.digest)
    assert names(moved.value.plan.to_create) == ["peru"]


async def test_everything_wrong_is_said_at_once_with_its_row(context: Context) -> None:
    metric = await stored_metric(context, "gone")
    await delete_metric(context, "default", metric.name)
    wrong = [
        NamedTask("..", task("a")),
        NamedTask("same", task("b")),
        NamedTask("bad-tag", task("c", tags=["ok", "no tag"])),
        NamedTask("same", task("d")),
        NamedTask("bad-metric", task("e", metrics=["a/b/c"])),
        NamedTask(None, Problems([InvalidInput("Not JSON.")])),
        NamedTask("elsewhere", task("f"), "nowhere"),
    ]
    changes = TasksetChanges(description="d" * 1001, metadata=[MetadataItem("k", 1), MetadataItem("k", 2)])
    with pytest.raises(Problems) as caught:
        await sync(context, wrong, changes=changes, plan_digest="short")
    assert [(error.code, error.path) for error in caught.value.errors] == [
        (ErrorCode.INVALID_INPUT, ("description",)),
        (ErrorCode.INVALID_INPUT, ("metadata", 1, "key")),
        (ErrorCode.INVALID_INPUT, ("planDigest",)),
        (ErrorCode.INVALID_INPUT, ("tasks", 0, "name")),
        (ErrorCode.INVALID_INPUT, ("tasks", 2, "task", "tags", 1)),
        (ErrorCode.DUPLICATE_MEMBER, ("tasks", 3, "name")),
        (ErrorCode.INVALID_INPUT, ("tasks", 4, "task", "spec", "evaluator", "metrics", 0)),
        (ErrorCode.INVALID_INPUT, ("tasks", 5)),
        (ErrorCode.NOT_FOUND, ("tasks", 6, "workspace")),
    ]
    assert "stands at rows 1 and 3" in caught.value.errors[5].message
    assert await context.services.database["tasks"].count_documents({}) == 0


@pytest.mark.parametrize("dry_run", [True, False])
async def test_missing_metrics_of_all_rows_are_named(context: Context, dry_run: bool) -> None:
    await stored_metric(context, "known")
    tasks = [NamedTask(name, task(name, metrics=["known", f"no-{name}"])) for name in ("a", "b")]
    with pytest.raises(Problems) as caught:
        await sync(context, tasks, dry_run=dry_run)
    assert [(error.code, error.path) for error in caught.value.errors] == [
        (ErrorCode.NOT_FOUND, ("tasks", row, "task", "spec", "evaluator", "metrics", 1)) for row in range(2)
    ]
    assert await context.services.database["tasks"].count_documents({}) == 0


async def test_content_that_is_not_new_may_name_what_became_of_its_metrics(context: Context) -> None:
    await stored_metric(context)
    tasks = [NamedTask("france", task("Paris?", metrics=["answer-exact-match"]))]
    await sync(context, tasks)
    await delete_metric(context, "default", "answer-exact-match")
    assert names((await sync(context, tasks)).plan.unchanged) == ["france"]
    with pytest.raises(Problems) as caught:
        await sync(context, [NamedTask("france", task("Paris!", metrics=["answer-exact-match"]))])
    assert [error.code for error in caught.value.errors] == [ErrorCode.INVALID_INPUT]


async def test_tasks_of_other_workspaces_can_be_synced(context: Context) -> None:
    await create_workspace(context, "maps", None)
    tasks = [NamedTask("france", task("Paris?")), NamedTask("france", task("Lyon?"), "maps")]
    done = await sync(context, tasks)
    assert names(done.plan.to_create) == ["france", "maps/france"]
    assert (await existing(context, TASK, "maps", "france")).digest == done.plan.to_create[1].new_digest
    left = await sync(context, [])
    assert names(left.plan.remote_only) == ["france", "maps/france"]


async def test_a_member_that_was_deleted_must_be_taken_out(context: Context) -> None:
    await stored_tasks(context, 2)
    await create_taskset(context, "default", "capitals", None, suite("t0", "t1"))
    await delete_task(context, "default", "t0", force=True)
    assert (await sync(context, [NamedTask("t1", task("t1"))])).plan.taskset.new_digest is not None
    with pytest.raises(Problems) as caught:
        await sync(context, rows(CAPITALS))
    assert [(type(error), error.path) for error in caught.value.errors] == [(NotFound, ("removeMissing",))]
    assert "'default/t0#" in caught.value.errors[0].message
    await sync(context, rows(CAPITALS), changes=TasksetChanges(remove_missing=True))
    assert list(await pinned(context)) == ["france", "japan", "peru"]


async def test_a_member_deleted_and_restored_is_kept(context: Context) -> None:
    await stored_tasks(context, 1)
    await create_taskset(context, "default", "capitals", None, suite("t0"))
    await delete_task(context, "default", "t0", force=True)
    restored = (await stored_tasks(context, 1))[0]
    done = await sync(context, rows(CAPITALS))
    assert done.revision is not None
    assert done.revision.member_ids[-1] == restored.revision.id


async def test_more_members_than_a_taskset_has_are_refused(context: Context) -> None:
    many = [NamedTask(f"t{n}", task("x")) for n in range(10_001)]
    with pytest.raises(Problems) as caught:
        await sync(context, many)
    assert [(error.code, error.path) for error in caught.value.errors] == [(ErrorCode.LIMIT_EXCEEDED, ("tasks",))]


async def test_a_sync_can_go_back(context: Context) -> None:
    first = await sync(context, rows(CAPITALS))
    await sync(context, rows({**CAPITALS, "japan": "Tokyo?"}))
    back = await sync(context, rows(CAPITALS))
    assert back.revision is not None
    assert (back.revision.number, back.revision.digest) == (3, first.plan.taskset.new_digest)
    old = await select(context, TASKSET, await existing(context, TASKSET, "default", "capitals"), Selector(number=2))
    assert old is not None
    assert old.digest != back.revision.digest
