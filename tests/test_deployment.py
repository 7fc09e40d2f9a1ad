"""What can be checked of compose.yaml and the Dockerfile without a container engine."""

import asyncio
import json
import re
import shlex
import socket
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from schema.build import build_schema
from server.app import create_app
from server.serving import GRACE_SECONDS
from server.settings import Settings
from storage.services import Services
from tests.command_line import SERVER_COMMANDS
from tests.graphql_client import serving

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "pinset-server"}
TOKEN = "0123456789abcdef"


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions and their arguments, continued lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


DOCKERFILE = instructions()


def given(word: str) -> list[str]:
    return [rest for name, rest in DOCKERFILE if name == word]


def image_environment() -> dict[str, str]:
    return dict(part.split("=", 1) for part in shlex.split(" ".join(given("ENV"))))


def environment_of(service: dict[str, Any]) -> dict[str, str]:
    """The settings that a container of the service starts with."""
    merged = {**image_environment(), **service["environment"]}
    filled = {name: re.sub(r"\$\{\w+:\?[^}]*\}", TOKEN, value) for name, value in merged.items()}
    return {name: value for name, value in filled.items() if name.startswith("PINSET_")}


def test_there_are_two_servers_and_they_differ_in_their_ports_alone() -> None:
    servers = [service for service in OURS.values() if service["command"] == ["serve"]]
    assert len(servers) == 2
    ports = [port for service in servers for port in service.pop("ports")]
    assert servers[0] == servers[1]
    assert len({port.split(":")[1] for port in ports}) == 2
    port = image_environment()["PINSET_PORT"]
    assert all(re.fullmatch(rf"127\.0\.0\.1:\d+:{port}", published) for published in ports)
    assert given("EXPOSE") == [port]


def test_there_are_two_workers_and_no_server_is_one() -> None:
    worker = OURS["worker"]
    assert (worker["command"], worker["deploy"]) == (["worker"], {"replicas": 2})
    assert worker["healthcheck"] == {"disable": True}
    assert "ports" not in worker
    assert {service["environment"]["PINSET_WORKER"] for service in OURS.values()} == {"false"}


@pytest.mark.parametrize("name", OURS)
def test_services_start_with_settings_and_commands_that_exist(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = environment_of(OURS[name])
    fields = {f"PINSET_{field.upper()}" for field in Settings.model_fields}
    assert environment.keys() <= fields
    for setting, value in environment.items():
        monkeypatch.setenv(setting, value)
    settings = Settings()
    assert settings.auth_mode == "tokens"
    assert settings.mongodb_url is not None
    assert OURS[name]["command"][0] in {command.name for command in SERVER_COMMANDS}


@pytest.mark.parametrize("name", OURS)
def test_containers_can_write_nowhere_and_gain_nothing(name: str) -> None:
    service = OURS[name]
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_mongodb_is_reached_from_inside_alone() -> None:
    networks = COMPOSE["networks"]
    assert networks["database"] == {"internal": True}
    for name in ("mongodb", "mongodb-init"):
        assert SERVICES[name]["networks"] == ["database"]
        assert "ports" not in SERVICES[name]
    assert set(SERVICES) == {*OURS, "mongodb", "mongodb-init"}


def test_everything_named_is_declared() -> None:
    for service in SERVICES.values():
        assert set(service["networks"]) <= COMPOSE["networks"].keys()
        assert set(service.get("depends_on", {})) <= SERVICES.keys()
        for volume in service.get("volumes", ()):
            assert volume.split(":")[0] in COMPOSE["volumes"]
    for name in ("mongodb", "mongodb-init"):
        assert re.fullmatch(r"mongo:\d+\.\d+", SERVICES[name]["image"])


def test_the_replica_set_is_the_one_that_the_servers_look_for() -> None:
    command, init = SERVICES["mongodb"]["command"], SERVICES["mongodb-init"]["command"]
    name = command[command.index("--replSet") + 1]
    assert f'_id: "{name}"' in init[-1]
    for service in OURS.values():
        assert service["environment"]["PINSET_MONGODB_URL"] == f"mongodb://mongodb:27017/?replicaSet={name}"
        assert service["depends_on"] == {"mongodb-init": {"condition": "service_completed_successfully"}}


def test_the_image_has_every_room_and_no_mongodb() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rooms = {package.split(".")[0] for package in project["tool"]["setuptools"]["packages"]}
    copied = {source for line in given("COPY") if not line.startswith("--from") for source in line.split()[:-1]}
    assert copied == {*rooms, "client", "pyproject.toml", "constraints.txt", "README.md", "LICENSE"}
    assert all((ROOT / source).exists() for source in copied)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {line[1:] for line in ignored if line.startswith("!")} == copied
    assert not any("local" in line for line in given("RUN"))


def test_the_image_runs_as_an_ordinary_user() -> None:
    user = given("USER")[-1]
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    assert any(f"--uid {user.split(':')[0]}" in line for line in given("RUN"))
    assert (given("ENTRYPOINT"), given("CMD")) == (['["pinset"]'], ['["serve"]'])
    assert all(re.fullmatch(r"python:3\.11-slim( AS build)?", line) for line in given("FROM"))


def test_servers_are_given_the_time_that_they_take_to_stop() -> None:
    for service in OURS.values():
        assert int(service["stop_grace_period"].removesuffix("s")) > GRACE_SECONDS


async def healthy(port: int) -> bool:
    """Whether the image's health check passes against a port of this machine."""
    (line,) = given("HEALTHCHECK")
    command = json.loads(line.partition("CMD")[2])
    script = command[-1].replace(f":{image_environment()['PINSET_PORT']}/", f":{port}/")
    assert script != command[-1]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command[1:-1], script, stderr=asyncio.subprocess.DEVNULL
    )
    return await process.wait() == 0


async def test_the_health_check_tells_a_server_from_none(services: Services) -> None:
    app = create_app(Settings(host="0.0.0.0", admin_token=TOKEN), services, build_schema())
    async with serving(app.asgi) as address:
        port = int(address.rpartition(":")[2])
        assert await healthy(port)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        unused = taken.getsockname()[1]
    assert not await healthy(unused)
