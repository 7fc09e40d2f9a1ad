"""Jobs as clients use them: submitted, leased, reported, followed and compared over GraphQL."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from resolvers.context import Context
from schema.build import build_schema
from server.app import create_app
from server.settings import Settings
from storage.driver import Database
from tests.graphql_client import GraphQLClient, serving, socket_to
from tests.job_fixtures import geography, open_context

pytestmark = pytest.mark.anyio

SUBMIT = """mutation($input: SubmitJobInput!) { submitJob(input: $input) {
  job { id name status tasksetRef tasksetDigest target { kind name config } progress { total pending } }
  errors { __typename message code path }
} }"""
LEASE = """mutation($job: ID, $count: Int!) { leaseTrials(input: {job: $job, runner: "robot", count: $count}) {
  leases { token expiresAt prompt spec { kind ... on EvaluatorTaskSpec { intent reference } }
    trial { id taskName repeat status runner } }
  errors { code path }
} }"""
REPORT = """mutation($input: ReportTrialInput!) { reportTrial(input: $input) {
  trial { status reward output scores { metric status values { name value } } attempts { number status output } }
  errors { code path message }
} }"""
RESULTS = """query($id: ID!, $other: ID!) { job(id: $id) {
  status finishedAt isStalled
  progress { completed failed retries fraction meanReward inputTokens costUsd }
  tasks(first: 2) { totalCount nodes { name digest metrics spec { kind } content revision { ref }
    summary { reward { mean scored } passRates { k anyPass } } } pageInfo { hasNextPage } }
  trials(filter: {status: [COMPLETED]}) { totalCount nodes { taskName reward output job { name }
    taskRevision { number } } }
  summary { tasksetDigest reward { name expected scored failed missing mean confidence95 } statistics { name mean }
    passRates { k anyPass allPass tasks } failures { type count } }
  summaries(groupBy: "none") { group reward { expected } }
  compare(to: $other) { sameContent meanDelta tasks { totalCount nodes { name class delta } } }
} }"""
FOLLOW = """subscription($id: ID!, $after: Int) { jobProgress(id: $id, after: $after) {
  __typename seq progress { completed } job { status }
  ... on TrialFinished { trial { taskName status } }
  ... on JobStatusChanged { from to }
  ... on JobEnded { status }
} }"""


@dataclass
class Api:
    """A server over services of its own."""

    client: GraphQLClient
    app: Any

    async def submit(self, **given: Any) -> dict[str, Any]:
        """The job of a submission without errors."""
        payload = (await self.client.data(SUBMIT, {"input": given}))["submitJob"]
        assert payload["errors"] == []
        job: dict[str, Any] = payload["job"]
        return job

    async def lease(self, job: str | None, count: int = 10) -> list[dict[str, Any]]:
        """Leases of the runner `robot`."""
        payload = (await self.client.data(LEASE, {"job": job, "count": count}))["leaseTrials"]
        assert payload["errors"] == []
        leases: list[dict[str, Any]] = payload["leases"]
        return leases

    async def report(self, lease: dict[str, Any], **given: Any) -> dict[str, Any]:
        """The payload of a report."""
        payload = (await self.client.data(REPORT, {"input": {"lease": lease["token"], **given}}))["reportTrial"]
        assert isinstance(payload, dict)
        return payload

    async def finish(self, job: str, answers: dict[str, str]) -> None:
        """Lease and report all that waits."""
        while leases := await self.lease(job):
            await asyncio.gather(
                *(self.report(lease, output=answers.get(lease["trial"]["taskName"], "?")) for lease in leases)
            )


@contextlib.asynccontextmanager
async def api_over(context: Context) -> AsyncIterator[Api]:
    """An application over the services of a context."""
    application = create_app(Settings(), context.services, build_schema())
    client = GraphQLClient.over(application.asgi)
    try:
        yield Api(client, application)
    finally:
        await client.http.aclose()


@pytest.fixture
async def context(database: Database) -> AsyncIterator[Context]:
    async with open_context(database) as opened:
        yield opened


@pytest.fixture
async def api(context: Context) -> AsyncIterator[Api]:
    async with api_over(context) as opened:
        yield opened


RUNNER = {"runner": {"name": "robot"}}


async def test_a_job_from_submission_to_its_results(api: Api, context: Context) -> None:
    await geography(context)
    job = await api.submit(taskset="geography", target=RUNNER)
    assert (job["status"], job["tasksetRef"], job["target"]["name"]) == ("PENDING", "geography", "robot")
    leases = await api.lease(job["id"])
    assert [lease["prompt"] for lease in leases] == [f"Question {n}?" for n in range(3)]
    assert leases[0]["spec"] == {
        "kind": "EVALUATOR",
        "intent": "Question 0?",
        "reference": {"expected": "a0"},
    }
    first = await api.report(leases[0], output="a0", usage={"inputTokens": 5, "costUsd": 0.5})
    assert first["errors"] == []
    assert first["trial"]["reward"] == 1
    assert first["trial"]["scores"][0]["metric"] == "default/match"
    assert first["trial"]["attempts"] == [{"number": 1, "status": "COMPLETED", "output": "a0"}]
    await api.report(leases[1], output="wrong")
    await api.report(leases[2], error={"type": "CRASH", "message": "It broke."})
    other = await api.submit(taskset="geography", target=RUNNER)
    await api.finish(other["id"], {f"q{n}": f"a{n}" for n in range(3)})
    found = (await api.client.data(RESULTS, {"id": job["id"], "other": other["id"]}))["job"]
    assert found["status"] == "COMPLETED"
    assert found["progress"]["meanReward"] == 0.5
    assert (found["progress"]["inputTokens"], found["progress"]["costUsd"]) == (5, 0.5)
    assert found["tasks"]["totalCount"] == 3
    assert found["tasks"]["nodes"][0]["summary"] == {
        "reward": {"mean": 1, "scored": 1},
        "passRates": [{"k": 1, "anyPass": 1}],
    }
    assert [trial["output"] for trial in found["trials"]["nodes"]] == ["a0", "wrong"]
    reward = found["summary"]["reward"]
    assert (reward["expected"], reward["scored"], reward["failed"], reward["mean"]) == (3, 2, 1, 0.5)
    assert found["summary"]["failures"] == [{"type": "CRASH", "count": 1}]
    assert found["summary"]["tasksetDigest"] == job["tasksetDigest"]
    assert found["summaries"] == [{"group": None, "reward": {"expected": 3}}]
    assert [(row["name"], row["class"]) for row in found["compare"]["tasks"]["nodes"]] == [
        ("q0", "EQUAL"),
        ("q1", "IMPROVED"),
        ("q2", "UNSCORED"),
    ]
    query = """{ taskset(name: "geography") { jobs { totalCount nodes { name } } }
      task(name: "q0") { history { nodes { jobs trials meanReward } } } jobs(filter: {status: [COMPLETED]}) {
      totalCount } }"""
    seen = await api.client.data(query)
    assert seen["taskset"]["jobs"]["totalCount"] == seen["jobs"]["totalCount"] == 2
    assert seen["task"]["history"]["nodes"] == [{"jobs": 2, "trials": 2, "meanReward": 1}]


async def test_ids_lead_back_to_jobs_and_trials(api: Api, context: Context) -> None:
    await geography(context, 1)
    job = await api.submit(taskset="geography", target=RUNNER)
    [lease] = await api.lease(None)
    ids = [job["id"], lease["trial"]["id"], "nonsense"]
    query = "query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }"
    found = (await api.client.data(query, {"ids": ids}))["nodes"]
    assert [node and node["__typename"] for node in found] == ["Job", "Trial", None]


async def test_refusals_are_data_with_paths_of_the_input(api: Api) -> None:
    given = {"tasks": [{"name": "x", "task": {"spec": {"evaluator": {"intent": "?", "metrics": ["no"]}}}}]}
    payload = (await api.client.data(SUBMIT, {"input": {**given, "target": RUNNER, "repeats": 0}}))["submitJob"]
    assert [(error["code"], error["path"]) for error in payload["errors"]] == [("INVALID_INPUT", ["input", "repeats"])]
    payload = (await api.client.data(SUBMIT, {"input": {**given, "target": RUNNER}}))["submitJob"]
    path = ["input", "tasks", "0", "task", "spec", "evaluator", "metrics", "0"]
    assert [(error["code"], error["path"]) for error in payload["errors"]] == [("NOT_FOUND", path)]
    assert payload["job"] is None
    lost = await api.report({"token": "nonsense"}, reward=1)
    assert [(error["code"], error["path"]) for error in lost["errors"]] == [("LEASE_LOST", ["input", "lease"])]


async def test_a_retried_submission_is_the_same_job(api: Api, context: Context) -> None:
    await geography(context, 1)
    given = {"taskset": "geography", "target": RUNNER, "idempotencyKey": "tonight"}
    assert (await api.submit(**given))["id"] == (await api.submit(**given))["id"]
    payload = (await api.client.data(SUBMIT, {"input": {**given, "repeats": 2}}))["submitJob"]
    assert [error["code"] for error in payload["errors"]] == ["CONFLICT"]


async def test_a_stream_that_breaks_goes_on_at_another_server(api: Api, context: Context) -> None:
    await geography(context)
    job = await api.submit(taskset="geography", target=RUNNER)
    seen: list[dict[str, Any]] = []
    async with open_context(context.services.database) as elsewhere, api_over(elsewhere) as other:
        async with serving(api.app.asgi) as address, socket_to(address) as socket:
            await socket.start()
            await socket.subscribe("1", FOLLOW, variables={"id": job["id"]})
            seen.append((await socket.receive())["payload"]["data"]["jobProgress"])
            [lease] = await api.lease(job["id"], 1)
            seen += [(await socket.receive())["payload"]["data"]["jobProgress"] for _ in range(2)]
        await api.report(lease, output="a0")
        async with serving(other.app.asgi) as address, socket_to(address) as socket:
            await socket.start()
            await socket.subscribe("1", FOLLOW, variables={"id": job["id"], "after": seen[-1]["seq"]})
            await other.finish(job["id"], {})
            while (message := await socket.receive())["type"] == "next":
                seen.append(message["payload"]["data"]["jobProgress"])
    assert message["type"] == "complete"
    assert [event["seq"] for event in seen] == list(range(9))
    assert [seen[0]["__typename"], seen[-1]["__typename"], seen[-1]["status"]] == [
        "JobSnapshot",
        "JobEnded",
        "COMPLETED",
    ]


async def test_an_unknown_job_is_an_error_of_the_subscription(api: Api) -> None:
    async with serving(api.app.asgi) as address, socket_to(address) as socket:
        await socket.start()
        await socket.subscribe("1", FOLLOW, variables={"id": "nonsense"})
        message = await socket.receive()
        payload = message["payload"]
        errors = payload if isinstance(payload, list) else payload["errors"]
        assert [error["extensions"]["code"] for error in errors] == ["BAD_USER_INPUT"]


@pytest.mark.slow
async def test_a_thousand_subscribers_get_every_event_and_leave_nothing(api: Api, context: Context) -> None:
    draft = {"harbor": {"archiveRef": "default/files#a", "archiveDigest": "0" * 64}}
    tasks = [{"name": f"t{n}", "task": {"spec": draft}} for n in range(199)]
    job = await api.submit(tasks=tasks, target=RUNNER, maxConcurrency=1000)
    tasks_before = len(asyncio.all_tasks())
    document = FOLLOW.replace("job { status }", "")
    async with serving(api.app.asgi) as address, contextlib.AsyncExitStack() as stack:
        sockets = []
        for _ in range(20):
            sockets.append(await stack.enter_async_context(socket_to(address, ping_interval=None)))
            await sockets[-1].start()
        for socket in sockets:
            for number in range(50):
                await socket.subscribe(str(number), document, variables={"id": job["id"]})

        async def read(socket: Any) -> dict[str, list[int]]:
            got: dict[str, list[int]] = {}
            ended = 0
            while ended < 50:
                message = await socket.receive()
                if message["type"] == "complete":
                    ended += 1
                else:
                    got.setdefault(message["id"], []).append(message["payload"]["data"]["jobProgress"]["seq"])
            return got

        reading = [asyncio.create_task(read(socket)) for socket in sockets]
        await api.finish(job["id"], {})
        for got in await asyncio.gather(*reading):
            assert len(got) == 50
            for seqs in got.values():
                assert seqs == list(range(seqs[0], 401))
    assert len(asyncio.all_tasks()) <= tasks_before + 2
