"""The audit log: one entry for everything that is done, in the transaction that does it, for those who may see it."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from domain.audit import AuditAction, AuditedType
from domain.errors import AlreadyExists, Forbidden, InUse
from domain.grants import Grant, Scope
from domain.outcomes import ABSENT
from resolvers import audit, metrics, revisions, tasks, tasksets, tokens
from resolvers.access import Viewer
from resolvers.context import Context
from resolvers.workspaces import create_workspace
from server.auth import ADMIN_VIEWER
from storage import ledger
from storage.audit import AuditFilter, AuditRecord
from storage.driver import ObjectId, Session
from storage.ledger import acting
from storage.pages import PageRequest
from storage.records import TASK
from storage.revisions import Selector
from storage.services import Services
from tests.drafts import stored_metric, suite, task

pytestmark = pytest.mark.anyio

LEAD = Viewer("lead", (Grant("default", frozenset({Scope.ADMIN})),))


@pytest.fixture
def admin(services: Services) -> Context:
    return Context(services, ADMIN_VIEWER, "request-1", "192.0.2.7")


async def entries(context: Context, filter: AuditFilter | None = None) -> list[AuditRecord]:
    """Oldest first."""
    return [entry async for entry in audit.every_entry(context, filter)]


def told(entries: list[AuditRecord]) -> list[tuple[str, str, str]]:
    return [(entry.action.value, entry.type.value, entry.ref) for entry in entries]


async def test_the_log_tells_the_story_of_a_record(admin: Context) -> None:
    with acting(admin.origin):
        first = (await tasks.create_task(admin, "default", "sum", None, task("1 + 1?"))).head.digest
        second = (await tasks.replace_task(admin, "default", "sum", ABSENT, task("2 + 2?"))).head.digest
        await tasks.replace_task(admin, "default", "sum", ABSENT, task("2 + 2?"))
        await revisions.tag(admin, TASK, "default", "sum", "good", Selector(number=1), ABSENT)
        await revisions.untag(admin, TASK, "default", "sum", "good", ABSENT)
        await tasks.replace_task(admin, "default", "sum", "arithmetic", task("2 + 2?"))
        await tasks.delete_task(admin, "default", "sum", False)
    found = await entries(admin)
    assert [entry.action.value for entry in found] == ["CREATE", "PUBLISH", "TAG", "UNTAG", "UPDATE", "DELETE"]
    digests = [(entry.before_digest, entry.after_digest) for entry in found]
    assert digests == [(None, first), (first, second), (None, first), (first, None), (second, second), (second, None)]
    assert {entry.ref for entry in found} == {"default/sum"}
    assert [entry.detail for entry in found] == [None, None, "good", "good", None, None]


async def test_an_entry_names_who_and_from_where(admin: Context) -> None:
    viewer = Viewer("runner", ADMIN_VIEWER.grants, str(ObjectId()))
    context = Context(admin.services, viewer, "request-2", "2001:db8::1")
    with acting(context.origin):
        await stored_metric(context)
    (entry,) = await entries(admin)
    assert (entry.actor, entry.token, entry.address, entry.request_id) == (
        "runner",
        viewer.token,
        "2001:db8::1",
        "request-2",
    )


async def test_metrics_workspaces_and_tokens_are_in_the_log(admin: Context) -> None:
    with acting(admin.origin):
        await create_workspace(admin, "lab", None)
        metric = await stored_metric(admin)
        await tasks.create_task(admin, "default", "t", None, task("?", metrics=[metric.ref]))
        await metrics.delete_metric(admin, "default", metric.name)
        await stored_metric(admin)
        await tasksets.create_taskset(admin, "default", "s", None, suite("t"))
        _, token = await tokens.create_token(admin, "ci", [Grant("lab", frozenset({Scope.READ}))], None)
        await tokens.revoke_token(admin, token.id, "id")
        await tokens.revoke_token(admin, token.id, "id")
    assert told(await entries(admin)) == [
        ("CREATE", "Workspace", "lab"),
        ("CREATE", "Metric", metric.ref),
        ("CREATE", "Task", "default/t"),
        ("RETIRE", "Metric", metric.ref),
        ("RESTORE", "Metric", metric.ref),
        ("CREATE", "Taskset", "default/s"),
        ("CREATE", "Token", "ci"),
        ("REVOKE", "Token", "ci"),
    ]


async def test_what_fails_leaves_no_entry(admin: Context) -> None:
    await tasks.create_task(admin, "default", "t", None, task("?"))
    await tasksets.create_taskset(admin, "default", "s", None, suite("t"))
    before = told(await entries(admin))
    with pytest.raises(AlreadyExists):
        await tasks.create_task(admin, "default", "t", None, task("?"))
    with pytest.raises(InUse):
        await tasks.delete_task(admin, "default", "t", False)
    with pytest.raises(AlreadyExists):
        await create_workspace(admin, "default", None)
    assert told(await entries(admin)) == before


async def test_an_aborted_transaction_takes_its_entries_with_it(services: Services, admin: Context) -> None:
    async def work(session: Session) -> None:
        ledger.note(AuditAction.DELETE, AuditedType.TASK, ObjectId(), "default/t", workspace="default")
        raise RuntimeError("the end")

    with pytest.raises(RuntimeError, match="the end"):
        await services.transactions.run(["t"], work)
    assert await entries(admin) == []
    with pytest.raises(RuntimeError, match="not written in a transaction"):
        ledger.note(AuditAction.DELETE, AuditedType.TASK, ObjectId(), "default/t", workspace="default")


async def test_concurrent_writers_are_each_named(admin: Context) -> None:
    async def publish(name: str) -> None:
        context = Context(admin.services, Viewer(name, ADMIN_VIEWER.grants))
        with acting(context.origin):
            await tasks.replace_task(context, "default", "t", ABSENT, task(f"by {name}"))

    names = [f"writer-{number}" for number in range(10)]
    await asyncio.gather(*map(publish, names))
    found = await entries(admin)
    assert sorted(entry.actor or "" for entry in found) == names
    left, became = (
        Counter(digests) for digests in zip(*((e.before_digest, e.after_digest) for e in found), strict=True)
    )
    head = await revisions.head(admin, TASK, "default", "t")
    assert head is not None
    assert became - left == Counter([head.digest])


async def test_who_administers_a_workspace_sees_its_entries_alone(admin: Context) -> None:
    await create_workspace(admin, "vault", None)
    await tasks.create_task(admin, "vault", "secret", None, task("?"))
    await tasks.create_task(admin, "default", "open", None, task("?"))
    await tokens.create_token(admin, "wide", [Grant("*", frozenset({Scope.READ}))], None)
    lead = Context(admin.services, LEAD)
    assert told(await entries(lead)) == [("CREATE", "Task", "default/open")]
    assert told(await entries(lead, AuditFilter(workspace="vault"))) == []
    assert await audit.count_audit_log(lead, AuditFilter(workspace="vault")) == 0
    ids = [entry.id for entry in await entries(admin)]
    assert len(ids) == 4
    assert len(await audit.find_entries(lead, ids)) == 1
    reader = Context(admin.services, Viewer("reader", (Grant("*", frozenset({Scope.READ, Scope.WRITE, Scope.RUN})),)))
    with pytest.raises(Forbidden):
        await audit.audit_log(reader, None, PageRequest())
    assert await audit.find_entries(reader, ids) == {}


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        (AuditFilter(ref="default/a"), 2),
        (AuditFilter(actor="admin"), 3),
        (AuditFilter(actor="nobody"), 0),
        (AuditFilter(actions=[]), 0),
        (AuditFilter(workspace="default"), 3),
    ],
)
async def test_filters(admin: Context, filter: AuditFilter, expected: int) -> None:
    with acting(admin.origin):
        await tasks.create_task(admin, "default", "a", None, task("?"))
        await tasks.delete_task(admin, "default", "a", False)
        await tasks.create_task(admin, "default", "b", None, task("?"))
    page = await audit.audit_log(admin, filter, PageRequest())
    assert len(page.items) == expected == await audit.count_audit_log(admin, filter)


async def test_the_log_is_read_in_pages_newest_first(admin: Context) -> None:
    for name in "abc":
        await tasks.create_task(admin, "default", name, None, task("?"))
    first = await audit.audit_log(admin, None, PageRequest(first=2))
    rest = await audit.audit_log(admin, None, PageRequest(after=first.cursors[-1]))
    seen: list[Any] = [*first.items, *rest.items]
    assert [entry.ref for entry in seen] == ["default/c", "default/b", "default/a"]
