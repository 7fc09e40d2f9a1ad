"""`syncTaskset` as clients call it: by inline tasks, by an uploaded file, and with many tasks at once."""

import hashlib
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from resolvers.context import Context
from storage import blobs
from tests.operations import data

pytestmark = pytest.mark.anyio

SYNC = """
mutation ($input: SyncTasksetInput!) {
  syncTaskset(input: $input) {
    plan {
      planDigest
      taskset { name currentDigest newDigest }
      toCreate { name currentDigest newDigest }
      toUpdate { name }
      unchanged { name }
      remoteOnly { name newDigest }
      summary
    }
    taskset { name latest { digest memberCount } }
    revision { number members { nodes { name digest isOutdated } } }
    errors { __typename message code path ... on Conflict { currentDigest } ... on NotFound { ref } }
  }
}
"""


def named(name: str, intent: str, **more: object) -> dict[str, Any]:
    """A task of a file as JSON."""
    return {"name": name, "task": {"spec": {"evaluator": {"intent": intent}}, **more}}


async def sync(context: Context, tasks: Sequence[Any] = (), **options: Any) -> Any:
    """The payload of a sync of `default/capitals`."""
    answered = await data(SYNC, {"input": {"name": "capitals", "tasks": list(tasks), **options}}, context)
    return answered["syncTaskset"]


async def upload(context: Context, text: bytes) -> str:
    """Store a text as a blob of `default`; its name."""

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(text), 100_000):
            yield text[start : start + 100_000]

    name = hashlib.sha256(text).hexdigest()
    await blobs.write(context.services.database, "default", name, chunks())
    return name


async def test_the_plan_that_was_shown_is_applied(context: Context) -> None:
    tasks = [named("france", "Paris?"), named("japan", "Tokyo?", tags=["blessed"])]
    shown = await sync(context, tasks, dryRun=True, description="Capitals")
    assert shown["errors"] == []
    assert (shown["taskset"], shown["revision"]) == (None, None)
    assert [item["name"] for item in shown["plan"]["toCreate"]] == ["france", "japan"]
    assert len(shown["plan"]["summary"].splitlines()) == 5
    done = await sync(context, tasks, planDigest=shown["plan"]["planDigest"], description="Capitals")
    assert done["errors"] == []
    assert done["plan"] == shown["plan"]
    assert done["taskset"]["latest"] == {"digest": shown["plan"]["taskset"]["newDigest"], "memberCount": 2}
    assert done["revision"]["number"] == 1
    assert [member["name"] for member in done["revision"]["members"]["nodes"]] == ["france", "japan"]


async def test_a_conflict_brings_the_plan_that_would_be_made_now(context: Context) -> None:
    shown = await sync(context, [named("france", "Paris?")], dryRun=True)
    await sync(context, [named("japan", "Tokyo?")])
    refused = await sync(context, [named("france", "Paris?")], planDigest=shown["plan"]["planDigest"])
    (error,) = refused["errors"]
    assert (error["__typename"], error["code"], error["path"]) == ("Conflict", "CONFLICT", ["input", "planDigest"])
    assert "taskset 'default/capitals'" in error["message"]
    assert (refused["taskset"], refused["revision"]) == (None, None)
    assert error["currentDigest"] == refused["plan"]["planDigest"]
    assert [item["name"] for item in refused["plan"]["remoteOnly"]] == ["japan"]


async def test_absent_keeps_and_null_clears(context: Context) -> None:
    options = {"description": "Capitals", "filesRef": "default/maps#all", "metadata": [{"key": "k", "value": None}]}
    first = await sync(context, [], project="maps", **options)
    kept = await sync(context, [])
    assert kept["plan"]["taskset"]["newDigest"] == first["plan"]["taskset"]["newDigest"]
    cleared = await sync(context, [], description=None, filesRef=None, metadata=None, project=None)
    empty = await data("{digestOf(content: {taskset: {}})}", {}, context)
    assert cleared["plan"]["taskset"]["newDigest"] == empty["digestOf"]


async def test_every_wrong_row_has_a_path(context: Context) -> None:
    refused = await sync(
        context,
        [named("a b", "x"), named("c", "x", metadata=[{"key": "k"}]), named("d", "x"), named("d", "y")],
    )
    assert [(error["code"], error["path"]) for error in refused["errors"]] == [
        ("INVALID_INPUT", ["input", "tasks", "0", "name"]),
        ("INVALID_INPUT", ["input", "tasks", "1", "task", "metadata", "0", "value"]),
        ("DUPLICATE_MEMBER", ["input", "tasks", "3", "name"]),
    ]
    assert refused["plan"] is None


async def test_an_uploaded_file_gives_the_same_plan(context: Context) -> None:
    tasks = [named("france", "Paris?"), named("japan", "Tōkyō?", metadata=[{"key": "k", "value": [1, None]}])]
    lines = "\n\n".join(json.dumps(task, ensure_ascii=False) for task in tasks)
    blob = await upload(context, lines.encode())
    inline = await sync(context, tasks, dryRun=True)
    uploaded = await sync(context, tasksBlob=blob, dryRun=True)
    assert uploaded == inline
    done = await sync(context, tasksBlob=blob, planDigest=inline["plan"]["planDigest"])
    assert done["errors"] == []
    assert done["revision"]["number"] == 1


async def test_wrong_rows_of_an_uploaded_file_have_a_path(context: Context) -> None:
    rows: list[Any] = [
        named("france", "Paris?"),
        {"name": "no-task"},
        {**named("more", "x"), "extra": 1},
        [],
        named("france", "Paris?"),
        {"name": "two", "task": {"spec": {"evaluator": {"intent": "x"}, "template": {"env": "e", "template": "t"}}}},
    ]
    text = b"\n".join(json.dumps(row).encode() for row in rows) + b'\n{"name": \n\xff\n'
    refused = await sync(context, tasksBlob=await upload(context, text))
    assert [(error["code"], error["path"]) for error in refused["errors"]] == [
        ("INVALID_INPUT", ["input", "tasksBlob", "1"]),
        ("INVALID_INPUT", ["input", "tasksBlob", "2"]),
        ("INVALID_INPUT", ["input", "tasksBlob", "3"]),
        ("DUPLICATE_MEMBER", ["input", "tasksBlob", "4", "name"]),
        ("INVALID_INPUT", ["input", "tasksBlob", "5"]),
        ("INVALID_INPUT", ["input", "tasksBlob", "6"]),
        ("INVALID_INPUT", ["input", "tasksBlob", "7"]),
    ]


async def test_a_file_comes_in_one_way_and_is_there(context: Context) -> None:
    unknown = "0" * 64
    for given, code in (
        ({"tasksBlob": unknown}, "NOT_FOUND"),
        ({"tasksBlob": "x"}, "INVALID_INPUT"),
        ({"tasksBlob": unknown, "tasks": [named("france", "Paris?")]}, "INVALID_INPUT"),
    ):
        refused = await sync(context, **given)
        assert [(error["code"], error["path"]) for error in refused["errors"]] == [(code, ["input", "tasksBlob"])]


async def test_half_a_file_is_not_taken_for_the_whole(context: Context) -> None:
    blob = await upload(context, "\n".join(json.dumps(named(f"t{n}", "x" * 1000)) for n in range(600)).encode())
    await context.services.database["blobs.chunks"].delete_one({"n": 1})
    refused = await sync(context, tasksBlob=blob, removeMissing=True)
    assert [(error["code"], error["ref"]) for error in refused["errors"]] == [("NOT_FOUND", blob)]
    assert await context.services.database["tasks"].count_documents({}) == 0


async def test_a_line_is_as_long_as_a_request_at_most(context: Context) -> None:
    refused = await sync(context, tasksBlob=await upload(context, b"x" * 17_000_000))
    assert [error["code"] for error in refused["errors"]] == ["LIMIT_EXCEEDED"]
