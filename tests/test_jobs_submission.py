"""Submitting jobs: the work list is resolved at once, for ever, and any failure names what it is about."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from domain.content import EvaluatorDraft, TaskDraft, TasksetDraft, TemplateDraft
from domain.errors import AlreadyExists, Conflict, ErrorCode, NotFound, Problems, UserError
from domain.jobs import JobOptions, JobStatus
from domain.targets import TargetKind
from resolvers.access import Grant, Scope, Viewer
from resolvers.context import Context
from resolvers.jobs import job, tasks
from resolvers.metrics import delete_metric
from resolvers.submission import Dataset, InlineTask, SubmitJob, submit_job
from resolvers.tasks import create_task, delete_task, replace_task
from resolvers.tasksets import create_taskset, replace_taskset
from resolvers.workspaces import create_workspace
from storage import contents
from storage.driver import Database
from storage.job_tasks import JobTask
from storage.jobs import JobRecord
from storage.pages import PageRequest
from storage.submission import sweep
from tests.job_fixtures import RUNNER, geography, harbor, match_metric, open_context, question, runner_job

pytestmark = pytest.mark.anyio

MODEL = (TargetKind.MODEL, {"model": {"url": "http://127.0.0.1:9/v1", "name": "echo"}})


@pytest.fixture
async def context(database: Database) -> AsyncIterator[Context]:
    async with open_context(database) as opened:
        yield opened


def over(taskset: str | None = "geography", **given: Any) -> SubmitJob:
    """A job over a taskset, or over what is given."""
    return SubmitJob(**{"workspace": "default", "fingerprint": "one", "taskset": taskset, "target": MODEL, **given})


def inline(**given: Any) -> SubmitJob:
    """A job of tasks of its own."""
    return over(None, **given)


async def work(context: Context, record: JobRecord) -> list[JobTask]:
    """The work list of a job."""
    return list((await tasks(context, record, PageRequest(first=1000))).items)


async def problems(context: Context, wanted: SubmitJob) -> list[UserError]:
    """Everything that is wrong with a submission, which leaves nothing behind."""
    with pytest.raises(Problems) as raised:
        await submit_job(context, wanted)
    for collection in ("jobs", "job_tasks", "trials"):
        assert await context.services.database[collection].count_documents({}) == 0
    return raised.value.errors


async def test_a_job_keeps_what_its_bare_reference_meant(context: Context) -> None:
    await geography(context)
    first = await submit_job(context, over())
    before = await work(context, first)
    assert [task.name for task in before] == ["q0", "q1", "q2"]
    assert first.name.startswith("geography-")
    assert first.taskset is not None
    assert first.taskset.ref == "geography"
    await replace_task(context, "default", "q0", None, question("Another question?", "a"))
    await replace_taskset(context, "default", "geography", None, TasksetDraft(tasks=["q0"]))
    await delete_task(context, "default", "q1", force=True)
    assert await work(context, first) == before
    found = {digest async for digest, _, _ in contents.read(context.services.database, [t.digest for t in before])}
    assert found == {task.digest for task in before}
    second = await submit_job(context, over())
    assert [task.name for task in await work(context, second)] == ["q0"]


async def test_the_same_digest_gives_the_same_work_list(context: Context) -> None:
    await geography(context)
    first = await submit_job(context, over())
    assert first.taskset is not None
    await replace_taskset(context, "default", "geography", None, TasksetDraft(tasks=["q0"]))
    again = await submit_job(context, over(f"geography#{first.taskset.digest}"))
    assert [(task.name, task.digest) for task in await work(context, again)] == [
        (task.name, task.digest) for task in await work(context, first)
    ]


async def test_a_job_keeps_the_metrics_of_its_submission(context: Context) -> None:
    await match_metric(context)
    record = await submit_job(context, inline(tasks=[InlineTask("one", question("?", "a"))]))
    await delete_metric(context, "default", "match")
    digest = record.definitions["default/match"]
    assert [found async for found, _, _ in contents.read(context.services.database, [digest])] == [digest]
    with pytest.raises(Problems) as raised:
        await submit_job(context, inline(tasks=[InlineTask("one", question("?", "a"))]))
    [error] = raised.value.errors
    assert (type(error), error.path) == (NotFound, ("tasks", 0, "task", "spec", "evaluator", "metrics", 0))


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        ({"only": ["q2", "q0"]}, ["q0", "q2"]),
        ({"exclude": ["q0", "unknown"]}, ["q1", "q2"]),
        ({"only": ["q0", "q1"], "exclude": ["q0"], "limit": 5}, ["q1"]),
        ({"limit": 2}, ["q0", "q1"]),
    ],
)
async def test_a_selection_keeps_the_published_order(
    context: Context, selection: dict[str, Any], names: list[str]
) -> None:
    await geography(context)
    assert [task.name for task in await work(context, await submit_job(context, over(**selection)))] == names


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (over("nothing"), [(ErrorCode.NOT_FOUND, ("taskset",))]),
        (over("geography#old"), [(ErrorCode.NOT_FOUND, ("taskset",))]),
        (over("not a reference"), [(ErrorCode.INVALID_INPUT, ("taskset",))]),
        (over(limit=0), [(ErrorCode.INVALID_INPUT, ("taskset",))]),
        (over(only=["q0", "q9"]), [(ErrorCode.INVALID_INPUT, ("only", 1))]),
        (over(target=None), [(ErrorCode.INVALID_INPUT, ("target",))]),
        (over(None), [(ErrorCode.INVALID_INPUT, ())]),
        (over(tasks=[]), [(ErrorCode.INVALID_INPUT, ())]),
        (
            over(name="a b", limit=-1, options=JobOptions(repeats=0, max_concurrency=1001)),
            [
                (ErrorCode.INVALID_INPUT, ("name",)),
                (ErrorCode.INVALID_INPUT, ("repeats",)),
                (ErrorCode.LIMIT_EXCEEDED, ("maxConcurrency",)),
                (ErrorCode.INVALID_INPUT, ("limit",)),
            ],
        ),
        (
            over(target=(TargetKind.OUTPUTS, {"outputs": [{"task": "q0"}, {"task": "q0"}, {"task": "q7"}]})),
            [
                (ErrorCode.INVALID_INPUT, ("target", "outputs", 1)),
                (ErrorCode.INVALID_INPUT, ("target", "outputs", 2, "task")),
            ],
        ),
    ],
)
async def test_what_is_wrong_is_named_all_at_once(
    context: Context, wanted: SubmitJob, expected: list[tuple[ErrorCode, tuple[object, ...]]]
) -> None:
    await geography(context)
    assert [(error.code, error.path) for error in await problems(context, wanted)] == expected


async def test_a_dangling_member_refuses_the_job_by_name(context: Context) -> None:
    await geography(context)
    await delete_task(context, "default", "q1", force=True)
    [error] = await problems(context, over())
    assert isinstance(error, NotFound)
    assert error.ref.startswith("default/q1#")
    assert (await submit_job(context, over(exclude=["q1"]))).task_count == 2


async def test_two_members_of_one_name_are_refused(context: Context) -> None:
    await geography(context)
    await create_workspace(context, "other", None)
    await create_task(context, "other", "q0", None, question("?", "a", ["default/match"]))
    await create_taskset(context, "default", "twice", None, TasksetDraft(tasks=["q0", "other/q0"]))
    [error] = await problems(context, over("twice"))
    assert error.code is ErrorCode.DUPLICATE_MEMBER


async def test_tasks_that_no_prompt_can_be_made_of_are_refused_by_name(context: Context) -> None:
    drafts = [harbor(), TaskDraft(TemplateDraft("env", "t")), TaskDraft(EvaluatorDraft("unscored"))]
    wanted = inline(tasks=[InlineTask(f"t{index}", draft) for index, draft in enumerate(drafts)])
    errors = await problems(context, wanted)
    assert [error.path for error in errors] == [("tasks", 0), ("tasks", 1), ("tasks", 2)]
    assert all(f"t{index}" in error.message for index, error in enumerate(errors))


async def test_rows_without_output_need_a_target_and_a_prompt(context: Context) -> None:
    await match_metric(context)
    rows = Dataset([{"expected": "a"}], ["match"])
    assert [e.path for e in await problems(context, inline(dataset=rows, target=None))] == [("target",)]
    assert [e.path for e in await problems(context, inline(dataset=rows))] == [("dataset", "promptTemplate")]
    twice = Dataset([{"id": 1}, {"id": 1}], ["match"], "{{ item.id }}", "id")
    [error] = await problems(context, inline(dataset=twice))
    assert (error.code, error.path) == (ErrorCode.DUPLICATE_MEMBER, ("dataset", "rows", 1))


async def test_the_same_key_and_input_answer_the_same_job(context: Context) -> None:
    await geography(context)
    wanted = over(idempotency_key="key")
    records = await asyncio.gather(*(submit_job(context, wanted) for _ in range(10)))
    assert len({record.id for record in records}) == 1
    with pytest.raises(Conflict):
        await submit_job(context, over(idempotency_key="key", fingerprint="two"))
    assert await context.services.database["trials"].count_documents({}) == 3


async def test_a_name_is_taken_once(context: Context) -> None:
    await geography(context)
    results = await asyncio.gather(
        *(submit_job(context, over(name="nightly")) for _ in range(8)), return_exceptions=True
    )
    assert sum(isinstance(result, JobRecord) for result in results) == 1
    assert sum(isinstance(result, AlreadyExists) for result in results) == 7


async def test_a_member_deleted_meanwhile_never_leaves_half_a_job(context: Context) -> None:
    await geography(context, 2)
    submitted = asyncio.create_task(submit_job(context, over()))
    await delete_task(context, "default", "q1", force=True)
    [result] = await asyncio.gather(submitted, return_exceptions=True)
    if isinstance(result, JobRecord):
        assert len(await work(context, result)) == 2
    else:
        assert isinstance(result, Problems)
        assert [error.code for error in result.errors] == [ErrorCode.NOT_FOUND]
        assert await context.services.database["trials"].count_documents({}) == 0


async def test_a_task_in_an_unreadable_workspace_is_refused(context: Context) -> None:
    await geography(context)
    await create_workspace(context, "secret", None)
    await create_task(context, "secret", "hidden", None, harbor())
    await create_taskset(context, "default", "mixed", None, TasksetDraft(tasks=["q0", "secret/hidden"]))
    viewer = Viewer("runner", (Grant("default", frozenset({Scope.RUN})),))
    stranger = Context(context.services, viewer)
    [error] = await problems(stranger, over("mixed", target=RUNNER))
    assert error.code is ErrorCode.NOT_FOUND
    assert (await submit_job(stranger, over("mixed", target=RUNNER, only=["q0"]))).created_by == "runner"


async def test_a_crash_before_the_end_leaves_rows_that_nobody_sees(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crash(*_: object) -> None:
        raise RuntimeError("the process is gone")

    monkeypatch.setattr("storage.submission._reveal", crash)
    monkeypatch.setattr("storage.submission.drop_rows", crash)
    with pytest.raises(RuntimeError):
        await runner_job(context, 10)
    assert await context.services.database["trials"].count_documents({}) == 10
    assert await context.services.database["jobs"].count_documents({}) == 0
    assert await sweep(context.services.database) == 0
    assert await sweep(context.services.database, timedelta(seconds=-5)) == 20


async def test_a_job_of_many_trials_is_visible_whole(context: Context) -> None:
    record = await runner_job(context, 300, JobOptions(repeats=10))
    assert record.progress.total == 3_000
    assert await context.services.database["trials"].count_documents({"job": record.id}) == 3_000
    found = await job(context, record.id)
    assert found is not None
    assert (found.status, found.is_stalled) == (JobStatus.PENDING, False)
    with pytest.raises(Problems) as raised:
        await runner_job(context, 300, JobOptions(repeats=200))
    assert [error.code for error in raised.value.errors] == [ErrorCode.LIMIT_EXCEEDED]
