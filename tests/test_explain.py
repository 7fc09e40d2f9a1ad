"""What lists cost: the plans that MongoDB chooses and the rows that it reads, by its own profiler."""

from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain.content import MetadataItem, TaskKind
from domain.grants import Grant, Scope
from domain.metrics import MetricType
from resolvers.access import Viewer
from resolvers.context import Context
from resolvers.metrics import metrics
from resolvers.revisions import heads
from resolvers.tasksets import create_taskset, replace_taskset
from resolvers.usage import count_tasksets_of, tasksets_of
from storage.driver import Database, ObjectId
from storage.filters import DateRange, HeadFilter, MetadataMatch, MetricFilter, facets_of
from storage.pages import Order, OrderField, PageRequest
from storage.records import TASK, TASKSET
from tests.drafts import stored_tasks, suite

pytestmark = pytest.mark.anyio

START = datetime(2026, 1, 1, tzinfo=UTC)
PAGE = 20
COMMON = HeadFilter(kind=TaskKind.EVALUATOR, project="common")


def head(index: int, count: int) -> dict[str, Any]:
    """A task; four of each list are rare, and whole blocks of a hundred share their times."""
    rare = index % (count // 4) == 7
    metadata = [MetadataItem("suite", "rare" if rare else "common"), *([MetadataItem("rare", None)] if rare else [])]
    return {
        "_id": ObjectId(),
        "workspace": "default",
        "name": f"{'rare' if rare else 'task'}-{index:05}",
        "project": "rare" if rare else "common",
        "number": 1,
        "digest": "0" * 64,
        "revision": ObjectId(),
        "createdAt": START + timedelta(seconds=index // 100),
        "updatedAt": START + timedelta(seconds=(count - index) // 100),
        "kind": "harbor" if rare else "evaluator",
        "facets": facets_of(metadata),
        "metrics": ["default/rare"] if rare else ["default/common"],
        "tags": [{"name": "rare" if rare else "common", "number": 1, "digest": "0" * 64}],
    }


@dataclass(frozen=True)
class Cost:
    """What one query took: the plan in short, the index keys and documents read, and the documents sorted."""

    plan: str
    keys: int
    documents: int
    is_sorted: bool


async def cost(database: Database, work: Awaitable[object], collection: str | None = None) -> Cost:
    """The cost of the one query that `work` sends, of all or of those to one collection."""
    await database["system.profile"].drop()
    await database.command("profile", 2)
    try:
        await work
    finally:
        await database.command("profile", 0)
    query: dict[str, Any] = {} if collection is None else {"ns": f"{database.name}.{collection}"}
    query |= {"$or": [{"command.find": {"$exists": True}}, {"command.aggregate": {"$exists": True}}]}
    found = await database["system.profile"].find(query).to_list(None)
    await database["system.profile"].drop()
    assert len(found) == 1, found
    (row,) = found
    plan = row["planSummary"]
    return Cost(plan, row["keysExamined"], row["docsExamined"], row.get("hasSortStage", False))


async def fill(database: Database, count: int) -> None:
    await database["tasks"].insert_many([head(index, count) for index in range(count)], ordered=False)


COUNTS = [1_000, pytest.param(20_000, marks=pytest.mark.slow)]
ORDERS = [Order(field, descending) for field in OrderField for descending in (False, True)]


@pytest.mark.parametrize("count", COUNTS)
async def test_the_last_page_costs_what_the_first_does(context: Context, count: int) -> None:
    database = context.services.database
    await fill(database, count)
    for order in ORDERS:
        for wanted in (None, COMMON):
            whole = await heads(context, TASK, "default", wanted, order, PageRequest(first=500))
            middle = replace(PageRequest(first=PAGE), after=whole.cursors[-1])
            pages = [PageRequest(first=PAGE), PageRequest(last=PAGE), middle, replace(middle, first=None, last=PAGE)]
            for page in pages:
                spent = await cost(database, heads(context, TASK, "default", wanted, order, page))
                assert "COLLSCAN" not in spent.plan
                assert not spent.is_sorted
                assert max(spent.keys, spent.documents) <= 2 * PAGE, (order, wanted, page, spent)


RARE = {
    "project": HeadFilter(project="rare"),
    "kind": HeadFilter(kind=TaskKind.HARBOR),
    "metric": HeadFilter(metric="rare"),
    "tag": HeadFilter(tag="rare"),
    "metadata key": HeadFilter(metadata=[MetadataMatch("rare")]),
    "metadata null": HeadFilter(metadata=[MetadataMatch("rare", None)]),
    "metadata value": HeadFilter(metadata=[MetadataMatch("suite", "rare")]),
    "several": HeadFilter(project="rare", kind=TaskKind.HARBOR, tag="rare", metadata=[MetadataMatch("rare")]),
    "rare and common": HeadFilter(metadata=[MetadataMatch("suite"), MetadataMatch("rare")]),
    "prefix": HeadFilter(name_prefix="rare"),
    "nothing": HeadFilter(project="no such project", tag="common"),
}


@pytest.mark.parametrize("count", COUNTS)
async def test_a_filter_that_matches_little_reads_little(context: Context, count: int) -> None:
    database = context.services.database
    await fill(database, count)
    for named, wanted in RARE.items():
        for order in ORDERS:
            spent = await cost(database, heads(context, TASK, "default", wanted, order, PageRequest(first=PAGE)))
            assert "COLLSCAN" not in spent.plan
            assert max(spent.keys, spent.documents) <= 2 * PAGE, (named, order, spent)
            found = await heads(context, TASK, "default", wanted, order, PageRequest(first=PAGE))
            assert len(found.items) == (0 if named == "nothing" else 4)


async def test_times_and_parts_of_names_are_sought_in_the_index(context: Context) -> None:
    database, count = context.services.database, 1_000
    await fill(database, count)
    second = DateRange(START + timedelta(seconds=5), START + timedelta(seconds=5))
    for wanted, field in (
        (HeadFilter(created_at=second), OrderField.CREATED_AT),
        (HeadFilter(updated_at=second), OrderField.UPDATED_AT),
    ):
        spent = await cost(database, heads(context, TASK, "default", wanted, Order(field), PageRequest(first=PAGE)))
        assert spent.plan.startswith("IXSCAN")
        assert max(spent.keys, spent.documents) <= 2 * PAGE
    for field in OrderField:
        part = HeadFilter(name_contains="are-0")
        spent = await cost(database, heads(context, TASK, "default", part, Order(field), PageRequest(first=PAGE)))
        assert spent.plan.startswith("IXSCAN")
        assert spent.keys <= count + 1
        assert spent.documents <= PAGE, spent


async def test_filters_of_tasksets_read_little_too(context: Context) -> None:
    database = context.services.database
    await database["tasksets"].insert_many([head(index, 400) for index in range(400)], ordered=False)
    for named in ("project", "tag", "metadata value", "several", "rare and common", "prefix"):
        wanted = replace(RARE[named], kind=None)
        spent = await cost(database, heads(context, TASKSET, "default", wanted, Order(), PageRequest(first=PAGE)))
        assert max(spent.keys, spent.documents) <= PAGE, (named, spent)
        assert "COLLSCAN" not in spent.plan


async def test_the_tasksets_of_a_task_are_found_in_an_index_alone(context: Context) -> None:
    task, _ = await stored_tasks(context, 2)
    for number in range(30):
        await create_taskset(context, "default", f"s{number}", None, suite(f"t{number % 2}", description=str(number)))
    await replace_taskset(context, "default", "s0", None, suite("t1"))
    services = context.services
    limited = Context(services, Viewer("limited", (Grant("default", frozenset({Scope.READ})),)))
    for reader in (context, limited):
        plans = [
            await cost(services.database, count_tasksets_of(reader, task.head)),
            await cost(services.database, tasksets_of(reader, task.head, PageRequest(first=PAGE)), "taskset_revisions"),
        ]
        for spent in plans:
            assert spent.plan.endswith("SCAN { contains: 1, parent: 1, _id: 1, workspace: 1 }")
            assert (spent.documents, spent.is_sorted) == (0, False)
            assert spent.keys <= PAGE
    assert await count_tasksets_of(context, task.head) == 14


METRICS = {
    "all": None,
    "project": MetricFilter(project="rare"),
    "type": MetricFilter(type=MetricType.F1),
    "prefix": MetricFilter(name_prefix="rare"),
}


async def test_metrics_are_listed_by_an_index(context: Context) -> None:
    database = context.services.database
    await database["metrics"].insert_many([metric_row(index) for index in range(500)])
    for named, wanted in METRICS.items():
        for order in ORDERS:
            spent = await cost(database, metrics(context, "default", wanted, order, PageRequest(first=PAGE)))
            assert "COLLSCAN" not in spent.plan
            assert max(spent.keys, spent.documents) <= 2 * PAGE, (named, order, spent)


def metric_row(index: int) -> dict[str, Any]:
    rare = index % 125 == 7
    return {
        "workspace": "default",
        "name": f"{'rare' if rare else 'metric'}-{index:04}",
        "project": "rare" if rare else "common",
        "type": "f1" if rare else "exact-match",
        "definition": '{"config":{"reference":"{{x}}"},"outputs":[],"type":"f1"}',
        "description": None,
        "labels": "{}",
        "digest": "0" * 64,
        "isRetired": False,
        "createdAt": START + timedelta(seconds=index // 100),
        "createdBy": None,
    }
