"""What lies in an unreadable workspace cannot be told from what is not there, along every path of the schema.

The same documents, as deep as the limits allow, are answered twice: with the records of another workspace in the
database, and without them.
"""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import pytest

from domain.errors import InUse
from domain.grants import Grant, Scope
from domain.metrics import MetricType
from domain.trials import TrialOutcome
from resolvers.access import Viewer
from resolvers.context import Context
from resolvers.leases import lease_trials, report_trial
from resolvers.metrics import CreateMetric, create_metric
from resolvers.nodes import nodes
from resolvers.submission import SubmitJob, submit_job
from resolvers.tasks import create_task, delete_task, replace_task
from resolvers.tasksets import create_taskset
from resolvers.workspaces import create_workspace
from schema.nodes import global_id
from storage.driver import Database
from storage.services import Services, open_services
from tests.drafts import suite, task
from tests.job_fixtures import RUNNER
from tests.operations import run
from tests.schema_walk import NODES_ALONE, arguments, document, root_fields

pytestmark = pytest.mark.anyio

VIEWER: Final = Viewer("lead", (Grant("default", frozenset(Scope)),))
SECRET: Final = "a sentence that only the vault knows"
DEPTHS: Final = (3, 5)


@pytest.fixture
async def world(services: Services) -> Services:
    """Records of `default` and `vault` that name each other in every way."""
    owner = Context(services)
    await create_workspace(owner, "vault", SECRET)
    for workspace in ("default", "vault"):
        await create_metric(
            owner, CreateMetric(workspace, "match", MetricType.EXACT_MATCH, {"reference": "x"}, description=SECRET)
        )
    await create_task(owner, "vault", "hidden", None, task(SECRET, metrics=["default/match", "match"]))
    await create_task(owner, "default", "plain", None, task("?", metrics=["match", "vault/match"], tags=["v1"]))
    await replace_task(owner, "default", "plain", None, task("??", metrics=["match", "vault/match"]))
    await create_taskset(owner, "default", "mixed", None, suite("plain#v1", "vault/hidden"))
    await create_taskset(owner, "vault", "pins", None, suite("default/plain", "hidden"))
    for workspace in ("default", "vault"):
        job = await submit_job(
            owner, SubmitJob(workspace, "", name="run", taskset="default/mixed", target=RUNNER, description=SECRET)
        )
        (first, *_) = await lease_trials(owner, job.id, workspace, "robot", 2, 60)
        await report_trial(owner, first.leased.token.text, TrialOutcome(output="x", reward=0.5))
    return services


def filled(identities: Mapping[str, str], root: str, name: str, _: Any) -> Any:
    """Arguments that lead to records of `default`."""
    noun = "taskset" if "taskset" in root.lower() else "task"
    identity = identities["Job" if "job" in root.lower() else "Taskset"]
    values: dict[str, Any] = {
        "workspace": "default",
        "name": {"metric": "match", "workspace": "default", "taskset": "mixed", "jobByName": "run"}.get(root, "plain"),
        "ref": "mixed" if noun == "taskset" else "plain",
        "id": identity,
        "ids": [identity],
        "content": {"taskset": {"tasks": ["plain", "vault/hidden"]}},
    }
    return values.get(name, NotImplemented)


async def answers(services: Services, vault_job: str) -> dict[str, Any]:
    """What the viewer is answered, by root field and depth."""
    places = {
        "Task.diff": "from: {number: 1}, to: {number: 2}",
        "Taskset.diff": 'from: {number: 1}, to: {tag: "latest"}',
        "TasksetRevision.member": 'name: "hidden", workspace: "vault"',
        "Job.summaries": 'groupBy: "suite"',
        "Job.compare": f'to: "{vault_job}"',
    }
    context = Context(services, VIEWER)
    identities = {}
    for collection, type_name in (("tasksets", "Taskset"), ("jobs", "Job")):
        found_one = await services.database[collection].find_one({"workspace": "default"})
        assert found_one is not None
        identities[type_name] = global_id(type_name, found_one["_id"])
    found = {}
    for name, definition in root_fields("Query").items():
        values = arguments(name, definition, partial(filled, identities))
        # All types at once would be more than a document may hold.
        for depth in DEPTHS[:1] if name.startswith("node") else DEPTHS:
            text = document("Query", name, definition, values, depth=depth, page=NODES_ALONE, places=places)
            context.renew()
            found[f"{name} {depth}"] = await run(text, values, context)
    return found


async def without_the_vault(database: Database) -> None:
    """Remove everything of the vault, as if it had never been."""
    await database["workspaces"].delete_many({"name": "vault"})
    for collection in await database.list_collection_names():
        await database[collection].delete_many({"workspace": "vault"})


@pytest.mark.slow
async def test_no_answer_depends_on_what_may_not_be_read(world: Services, database: Database) -> None:
    job = await database["jobs"].find_one({"workspace": "vault"})
    assert job is not None
    vault_job = global_id("Job", job["_id"])
    with_vault = await answers(world, vault_job)
    assert SECRET not in json.dumps(with_vault["workspaces 3"])
    await without_the_vault(database)
    fresh = await open_services(database.client, database.name)
    try:
        without = await answers(fresh, vault_job)
    finally:
        await fresh.close()
    refused = [name for name, answer in with_vault.items() if "errors" in answer and "digestOf" not in name]
    assert SECRET in json.dumps(with_vault["jobs 3"])
    assert refused == [], with_vault[refused[0]]
    for name, answer in with_vault.items():
        assert answer == without[name], name


async def test_ids_of_hidden_records_find_nothing(world: Services, database: Database) -> None:
    wanted = []
    types = {
        "workspaces": "Workspace",
        "metrics": "Metric",
        "tasks": "Task",
        "tasksets": "Taskset",
        "task_revisions": "TaskRevision",
        "taskset_revisions": "TasksetRevision",
        "audit": "AuditEntry",
        "jobs": "Job",
    }
    for collection, type_name in types.items():
        query = {"name": "vault"} if collection == "workspaces" else {"workspace": "vault"}
        found = await database[collection].find(query).to_list(None)
        assert found or collection == "audit"
        wanted += [(type_name, str(document["_id"])) for document in found]
    job = await database["jobs"].find_one({"workspace": "vault"})
    assert job is not None
    trials = await database["trials"].find({"job": job["_id"]}).to_list(None)
    wanted += [("Trial", str(trial["_id"])) for trial in trials]
    assert len(trials) == 2
    assert await nodes(Context(world, VIEWER), wanted) == [None] * len(wanted)
    assert None not in await nodes(Context(world), wanted)


async def test_users_in_hidden_workspaces_are_counted_but_not_named(world: Services) -> None:
    context = Context(world, VIEWER)
    with pytest.raises(InUse) as refused:
        await delete_task(context, "default", "plain", False)
    assert [user.partition("#")[0] for user in refused.value.users] == ["default/mixed"]
    assert refused.value.hidden_users == 1
