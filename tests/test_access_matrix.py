"""Who may do what, for every operation that the schema has: nothing here lists operations by hand.

What is refused is compared with what is not there at all: the two must look the same to the letter.
"""

import asyncio
import base64
import contextlib
import itertools
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

import pytest
from graphql import GraphQLField

from domain.errors import Unauthenticated
from domain.grants import Grant, Scope
from domain.names import DEFAULT_WORKSPACE
from domain.targets import TargetKind
from evaluation.leases import new_token
from resolvers import tokens
from resolvers.context import Context
from resolvers.jobs import cancel_job, pause_job
from resolvers.leases import lease_trials
from resolvers.submission import InlineTask, SubmitJob, submit_job
from schema.build import build_schema
from schema.execution.answers import Answer
from schema.nodes import global_id
from server.app import Application, create_app
from server.auth import ADMIN_VIEWER
from server.operations import Caller
from server.requests import GraphQLRequest
from server.settings import Settings
from server.telemetry import Transport
from storage.clock import now
from storage.driver import ObjectId
from storage.services import Services
from storage.tokens import create as store_token
from tests.graphql_client import GraphQLClient, Result
from tests.job_fixtures import harbor
from tests.schema_walk import arguments, document, root_fields

pytestmark = pytest.mark.anyio

VAULT: Final = "vault"
NOWHERE: Final = "nowhere"
ADMIN_TOKEN: Final = "the-admin-token-of-this-test"

# What each mutation demands in its workspace; `*` where it demands it everywhere.
DEMANDS: Final[Mapping[str, Scope]] = {
    "createWorkspace": Scope.ADMIN,
    "createMetric": Scope.WRITE,
    "deleteMetric": Scope.WRITE,
    "createTask": Scope.WRITE,
    "replaceTask": Scope.WRITE,
    "tagTask": Scope.WRITE,
    "untagTask": Scope.WRITE,
    "deleteTask": Scope.WRITE,
    "createTaskset": Scope.WRITE,
    "replaceTaskset": Scope.WRITE,
    "tagTaskset": Scope.WRITE,
    "untagTaskset": Scope.WRITE,
    "deleteTaskset": Scope.WRITE,
    "syncTaskset": Scope.WRITE,
    "submitJob": Scope.RUN,
    "cancelJob": Scope.RUN,
    "pauseJob": Scope.RUN,
    "resumeJob": Scope.RUN,
    "retryJob": Scope.RUN,
    "deleteJob": Scope.RUN,
    "leaseTrials": Scope.RUN,
    "extendLeases": Scope.RUN,
    "reportTrial": Scope.RUN,
    "createToken": Scope.ADMIN,
    "revokeToken": Scope.ADMIN,
}
EVERYWHERE: Final = frozenset({"createWorkspace"})
# A token that one does not administer, and a lease that one may not use, are as unknown as any other.
UNKNOWN_BELOW: Final = frozenset({"revokeToken", "extendLeases"})

# A trial's attempts and a job's events tell who ran it.
UNAUDITED: Final = frozenset({"leaseTrials", "extendLeases", "reportTrial"})

HOLDERS: Final[Mapping[str, frozenset[Scope]]] = {scope.value: frozenset({scope}) for scope in Scope}
VOID: Final = ("none", "expired", "revoked")


@dataclass
class World:
    """A server with records in the workspace `vault`, and a client for each kind of credential."""

    application: Application
    services: Services
    clients: dict[str, GraphQLClient] = field(default_factory=dict)
    numbers: Any = field(default_factory=itertools.count)

    @property
    def owner(self) -> GraphQLClient:
        return self.clients["owner"]

    async def do(self, mutation: str, **input: Any) -> dict[str, Any]:
        """Run a mutation as the owner of everything; its payload."""
        payload = await self._payload(mutation, input)
        assert payload["errors"] == [], payload
        return payload

    async def _payload(self, mutation: str, input: Mapping[str, Any]) -> dict[str, Any]:
        definition = root_fields("Mutation")[mutation]
        text = document("Mutation", mutation, definition, ["input"], depth=2)
        data = await self.owner.data(text, {"input": dict(input)})
        payload: dict[str, Any] = data[mutation]
        return payload

    def fresh(self, noun: str) -> str:
        """A name that nothing has yet."""
        return f"{noun.lower()}-{next(self.numbers)}"

    async def record(self, noun: str) -> str:
        """The name of a new metric, task or taskset in the vault, tagged `good` where it can be."""
        name = self.fresh(noun)
        contents: dict[str, dict[str, Any]] = {
            "Metric": {"metric": {"exactMatch": {"reference": "x"}}},
            "Task": {"task": {**TASK, "tags": ["good"]}},
            "Taskset": {"taskset": {"tags": ["good"]}},
        }
        await self.do(f"create{noun}", workspace=VAULT, name=name, **contents[noun])
        return name


TASK: Final = {"spec": {"harbor": {"archiveRef": "vault/files#a", "archiveDigest": "0" * 64}}}
JOB: Final = {"workspace": VAULT, "tasks": [{"name": "one", "task": TASK}], "target": {"runner": {"name": "robot"}}}
NOUNS: Final = ("Taskset", "Task", "Metric", "Workspace", "Job", "Trial", "Lease", "Token")


def noun_of(operation: str) -> str:
    """What kind of record an operation is about, by its name."""
    return next((noun for noun in NOUNS if noun.lower() in operation.lower()), "Task")


async def filled(world: World, name: str, definition: GraphQLField) -> dict[str, Any]:
    """Arguments that lead into the vault, to records made for them."""
    prepared = Prepared(world)
    noun = noun_of(name)
    if not name.startswith(("create", "sync", "submit")):
        await prepared.make(name, noun)
    await prepared.make_more(name)
    values = arguments(name, definition, prepared.fill)
    if name in OPTIONAL:
        values["input"] |= OPTIONAL[name]
    return values


# Fields that may be left out in general, but not here.
OPTIONAL: Final[Mapping[str, Mapping[str, Any]]] = {
    "submitJob": {"tasks": [{"name": "t", "task": TASK}], "target": {"runner": {"name": "robot"}}},
    "reportTrial": {"reward": 1.0},
}


class Prepared:
    """The records that an operation needs, and the values that name them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.owner = Context(world.services, ADMIN_VIEWER)
        self.values: dict[str, Any] = {"workspace": VAULT, "tag": "good", "revision": {"number": 1}, "runner": "robot"}

    async def make(self, name: str, noun: str) -> None:
        if noun in ("Metric", "Task", "Taskset"):
            await self._make_record(noun)
        elif noun == "Workspace":
            self.values["name"] = VAULT
        elif noun == "Token":
            grant = Grant(VAULT, frozenset({Scope.READ}))
            _, record = await store_token(self.world.services, "made", [grant], None, None)
            self.values["id"] = global_id("Token", record.id)
        elif noun in ("Job", "Trial", "Lease"):
            await self._make_job(name)

    async def _make_record(self, noun: str) -> None:
        self.values["name"] = await self.world.record(noun)
        self.values["ref"] = f"{VAULT}/{self.values['name']}"
        query = f"query($w: String!, $n: String!) {{ {noun.lower()}(workspace: $w, name: $n) {{ id }} }}"
        data = await self.world.owner.data(query, {"w": VAULT, "n": self.values["name"]})
        self.values["id"] = data[noun.lower()]["id"]
        self.values["ids"] = [self.values["id"]]

    async def _make_job(self, name: str) -> None:
        """A job for the runner `robot`, as far as the operation needs it to be."""
        wanted = SubmitJob(
            workspace=VAULT,
            fingerprint="",
            tasks=[InlineTask("t", harbor())],
            target=(TargetKind.RUNNER, {"name": "robot"}),
        )
        job = await submit_job(self.owner, wanted)
        self.values |= {"id": global_id("Job", job.id), "job": global_id("Job", job.id), "name": job.name}
        self.values |= {"base": self.values["id"], "candidate": self.values["id"], "to": self.values["id"]}
        if name == "resumeJob":
            await pause_job(self.owner, job.id)
        if name in ("retryJob", "deleteJob"):
            await cancel_job(self.owner, job.id)
        if name in ("extendLeases", "reportTrial"):
            (handout,) = await lease_trials(self.owner, job.id, VAULT, "robot", 1, 60)
            self.values |= {"lease": handout.leased.token.text, "tokens": [handout.leased.token.text]}

    async def make_more(self, name: str) -> None:
        """What single fields need."""
        values = self.values
        values.setdefault("name", self.world.fresh(noun_of(name)))
        values["task"] = {"spec": {"harbor": {"archiveRef": "vault/files#a", "archiveDigest": "1" * 64}}}
        values["taskset"] = {"description": "Other content than that of the record."}
        if name.startswith("tag"):
            values["tag"] = "better"
        values["metric"] = {"exactMatch": {"reference": "x"}}
        values["content"] = {"taskset": {"tasks": [f"{VAULT}/{await self.world.record('Task')}"]}}
        values["grants"] = [{"workspace": VAULT, "scopes": ["READ"]}]

    def fill(self, root: str, name: str, type_: Any) -> Any:
        if name == "input":
            return NotImplemented
        if name == "tasks":
            return [{"name": self.world.fresh("task"), "task": TASK}]
        return self.values.get(name, NotImplemented)


@pytest.fixture
async def world(services: Services) -> AsyncIterator[World]:
    settings = Settings(auth="tokens", admin_token=ADMIN_TOKEN)
    application = create_app(settings, services, build_schema())
    world = World(application, services)
    world.clients["owner"] = GraphQLClient.over(application.asgi, ADMIN_TOKEN)
    await world.do("createWorkspace", name=VAULT)
    await world.do("createWorkspace", name="elsewhere")
    for name, secret in (await _secrets(Context(services, ADMIN_VIEWER))).items():
        world.clients[name] = GraphQLClient.over(application.asgi, secret)
    yield world
    for client in world.clients.values():
        await client.http.aclose()


async def _secrets(admin: Context) -> dict[str, str | None]:
    everything = frozenset(Scope)
    secrets: dict[str, str | None] = {"none": None}
    for name, scopes in HOLDERS.items():
        secrets[name], _ = await tokens.create_token(admin, name, [Grant(VAULT, scopes)], None)
    elsewhere = [Grant("elsewhere", everything), Grant(DEFAULT_WORKSPACE, everything)]
    secrets["wrong"], _ = await tokens.create_token(admin, "wrong", elsewhere, None)
    ended = now() - timedelta(seconds=1)
    secrets["expired"], _ = await store_token(admin.services, "expired", [Grant("*", everything)], ended, None)
    secrets["revoked"], record = await tokens.create_token(admin, "revoked", [Grant("*", everything)], None)
    await tokens.revoke_token(admin, record.id, "id")
    return secrets


def moved(values: Any) -> Any:
    """The same arguments, leading where nothing is: to an absent workspace, to ids and leases that nothing has."""
    if isinstance(values, dict):
        return {key: UNKNOWN[key](value) if key in UNKNOWN else moved(value) for key, value in values.items()}
    if isinstance(values, list):
        return [moved(value) for value in values]
    return values.replace(VAULT, NOWHERE) if isinstance(values, str) else values


def unknown_id(identity: str) -> str:
    """An id of the same type that nothing has."""
    type_name = base64.urlsafe_b64decode(identity + "=" * (-len(identity) % 4)).decode().partition(":")[0]
    return global_id(type_name, ObjectId())


def unknown_lease(_: str) -> str:
    """A well-formed lease of no job."""
    return new_token(ObjectId(), ObjectId()).text


UNKNOWN: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("id", "job", "base", "candidate", "to"), unknown_id),
    "ids": lambda ids: [unknown_id(identity) for identity in ids],
    "lease": unknown_lease,
    "tokens": lambda leases: [unknown_lease(lease) for lease in leases],
}


def seen(result: Result, values: Any) -> str:
    """An answer without the names and ids that it was asked with."""
    text = json.dumps({"data": result.data, "errors": result.errors}, sort_keys=True)
    for name, identity in _identities(values):
        text = text.replace(identity, f"<{name}>")
        # Messages may show the stored id within a global one.
        stored = base64.urlsafe_b64decode(identity + "=" * (-len(identity) % 4)).partition(b":")[2]
        if len(stored) == 24:
            text = text.replace(stored.decode(), f"<{name}>")
    text = re.sub(r'"lastUsedAt": [^,}]*', "", text)
    return text.replace(VAULT, "<workspace>").replace(NOWHERE, "<workspace>")


def _identities(value: Any) -> list[tuple[str, str]]:
    if not isinstance(value, dict):
        return []
    own = [(key, each) for key, each in value.items() if key in UNKNOWN and isinstance(each, str)]
    listed = [(key, each) for key in ("ids", "tokens") for each in value.get(key, ())]
    return [*own, *listed, *(pair for each in value.values() for pair in _identities(each))]


def codes(result: Result, name: str) -> list[str]:
    return [error["code"] for error in result.data[name]["errors"]]


def test_every_mutation_says_what_it_demands() -> None:
    assert set(root_fields("Mutation")) <= set(DEMANDS)


@pytest.mark.slow
@pytest.mark.parametrize("credential", VOID)
async def test_without_a_valid_token_everything_is_unauthenticated(world: World, credential: str) -> None:
    operations = [(kind, *each) for kind in ("Query", "Mutation") for each in root_fields(kind).items()]
    assert len(operations) > 25
    for kind, name, definition in operations:
        values = await filled(world, name, definition)
        before = await _everything(world)
        text = document(kind, name, definition, values, depth=1)
        result = await world.clients[credential].execute(text, values)
        assert result.codes == ["UNAUTHENTICATED"], name
        assert result.data is None
        assert result.response.status_code == 401
        assert VAULT not in result.response.text
        assert await _everything(world) == before


@pytest.mark.parametrize("name", list(root_fields("Query")))
async def test_a_query_finds_nothing_without_the_scope_to_read(world: World, name: str) -> None:
    definition = root_fields("Query")[name]
    values = await filled(world, name, definition)
    text = document("Query", name, definition, values, depth=3)
    stranger = world.clients["wrong"]
    away = moved(values)
    refused, absent = await stranger.execute(text, values), await stranger.execute(text, away)
    assert seen(refused, values) == seen(absent, away)
    assert VAULT not in json.dumps(refused.data)
    for holder in HOLDERS:
        found = await world.clients[holder].execute(text, values)
        if name in ("tokens", "auditLog") and holder != "ADMIN":
            assert found.codes == ["FORBIDDEN"]
        else:
            assert found.errors == [], holder
            assert seen(found, values) != seen(refused, values), f"{name} found nothing for {holder}"


@pytest.mark.slow
@pytest.mark.parametrize("name", list(root_fields("Mutation")))
async def test_a_mutation_does_nothing_without_its_scope(world: World, name: str) -> None:
    definition = root_fields("Mutation")[name]
    text = document("Mutation", name, definition, ["input"], depth=2)
    values = await filled(world, name, definition)
    stranger = world.clients["wrong"]
    before = await _everything(world)
    away = moved(values)
    refused, absent = await stranger.execute(text, values), await stranger.execute(text, away)
    assert seen(refused, values) == seen(absent, away)
    assert await _everything(world) == before
    for holder, scopes in HOLDERS.items():
        await _check_holder(world, name, text, holder, scopes)


async def _check_holder(world: World, name: str, text: str, holder: str, scopes: frozenset[Scope]) -> None:
    values = await filled(world, name, root_fields("Mutation")[name])
    before = await _everything(world)
    result = await world.clients[holder].execute(text, values)
    assert result.errors == [], result.errors
    may = name not in EVERYWHERE and (DEMANDS[name] in scopes or Scope.ADMIN in scopes)
    if may:
        assert codes(result, name) == [], result.data
        after = await _everything(world)
        assert after != before
        assert (after["audit"] != before["audit"]) is (name not in UNAUDITED)
    else:
        expected = {"revokeToken": ["NOT_FOUND"], "extendLeases": []}.get(name, ["FORBIDDEN"])
        assert codes(result, name) == expected, holder
        assert await _everything(world) == before


async def _everything(world: World) -> dict[str, str]:
    """All that is stored, but for when tokens were last used and contents last touched."""
    await world.services.tokens.drain()
    found = {}
    for name in await world.services.database.list_collection_names():
        hidden = {"lastUsedAt": 0, "touchedAt": 0}
        found[name] = repr(await world.services.database[name].find({}, hidden).sort("_id", 1).to_list(None))
    return found


@pytest.mark.parametrize("name", list(root_fields("Subscription")))
async def test_a_subscription_tells_nothing_without_the_scope_to_read(world: World, name: str) -> None:
    definition = root_fields("Subscription")[name]
    values = await filled(world, name, definition)
    text = document("Subscription", name, definition, values, depth=2)
    away = moved(values)
    refused, absent = await first_answer(world, "wrong", text, values), await first_answer(world, "wrong", text, away)
    assert answered_codes(refused) == answered_codes(absent) == ["BAD_USER_INPUT"]
    assert json.dumps(refused.errors).replace(VAULT, NOWHERE) == json.dumps(absent.errors)
    for credential in VOID:
        with pytest.raises(Unauthenticated):
            await first_answer(world, credential, text, values)
    for holder in HOLDERS:
        told = await first_answer(world, holder, text, values)
        assert told.errors == ()
        assert told.data is not None


async def first_answer(world: World, credential: str, text: str, values: Mapping[str, Any]) -> Answer:
    """What a subscription answers first, while tasks are being published in the vault."""
    operations = world.application.operations
    authorization = world.clients[credential].http.headers.get("authorization")
    viewer = await operations.recognise(authorization, None)
    request = GraphQLRequest(text, variables=dict(values))
    operation = await operations.prepare(request)
    caller = Caller(viewer, authorization, "request", Transport.SSE)
    async with contextlib.aclosing(operations.stream(operation, request, caller)) as answers:
        first = asyncio.create_task(anext(answers))
        while not first.done():
            await world.record("Task")
            await asyncio.wait({first}, timeout=0.1)
        return first.result()


def answered_codes(answer: Answer) -> list[Any]:
    return [error["extensions"]["code"] for error in answer.errors]  # type: ignore[index]
