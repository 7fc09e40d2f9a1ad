"""The local MongoDB: starting, sharing, moving and ending it, and what it says when it cannot."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from domain.errors import StartupFailure
from storage import local
from storage.driver import Client, Database, check_server, connect
from storage.local_socket import accepts, socket_path, url_of
from storage.mongod_binary import find_mongod
from storage.watchdog import LARGEST_LOG_BYTES
from storage.watchdog import __file__ as watchdog_program

pytestmark = pytest.mark.anyio

_ROOT = Path(__file__).parent.parent
_SERVER = """
import asyncio, json, os, signal, sys
from pathlib import Path
from storage import local
from storage.driver import connect

async def main():
    interrupted = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupted.set)
    mongod = Path(os.environ["PINSET_MONGOD"]) if "PINSET_MONGOD" in os.environ else None
    running = await local.start(Path(sys.argv[1]), mongod=mongod)
    forked = 0
    if sys.argv[2:] == ["fork"] and not (forked := os.fork()):
        signal.pause()
    print(json.dumps({"mongod": running.pid, "forked": forked}), flush=True)
    await interrupted.wait()
    client = connect(running.url)
    await client.story.rows.insert_one({"written": "after Ctrl-C"})
    client.close()
    await running.stop()

import structlog
structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
asyncio.run(main())
"""


@dataclass(frozen=True, slots=True)
class Server:
    """A process of its own that keeps a local MongoDB."""

    process: subprocess.Popen[str]
    mongod: int
    forked: int


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory for a test's own data directories."""
    with tempfile.TemporaryDirectory(prefix="pinset-tests-") as directory:
        yield Path(directory)


@contextlib.contextmanager
def _server(data_dir: Path, *arguments: str) -> Iterator[Server]:
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(data_dir), *arguments],
        cwd=_ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        yield Server(process, **json.loads(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@contextlib.asynccontextmanager
async def _bare_mongod(place: Path, binary: Path | None, *options: str) -> AsyncIterator[str]:
    """A mongod as somebody else might have started it, and its URL."""
    path = place / "bare.sock"
    command = [str(find_mongod(binary)), "--dbpath", str(place), "--bind_ip", str(path), "--nounixsocket"]
    process = await asyncio.create_subprocess_exec(*command, *options, stdout=asyncio.subprocess.DEVNULL)
    try:
        await _until(lambda: accepts(path))
        yield url_of(path).partition("?")[0]
    finally:
        process.kill()
        await process.wait()


@contextlib.asynccontextmanager
async def _connected(url: str, *, timeout_seconds: float = 10.0) -> AsyncIterator[Client]:
    client = connect(url, timeout_seconds=timeout_seconds)
    try:
        yield client
    finally:
        client.close()


async def _until(holds: Callable[[], bool], *, seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "the condition did not come to hold"
        await asyncio.sleep(0.02)


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


async def _stories(url: str) -> list[str]:
    async with _connected(url) as client:
        return [row["written"] async for row in client.story.rows.find().sort("_id")]


async def _write(url: str, text: str) -> None:
    async with _connected(url) as client:
        await client.story.rows.insert_one({"written": text})


async def _check(url: str, *, timeout_seconds: float = 10.0) -> None:
    async with _connected(url, timeout_seconds=timeout_seconds) as client:
        await check_server(client)


def _tcp_ports(pid: int) -> set[str]:
    """The sockets of a process that are TCP, by their inodes."""
    sockets = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        # mongod closes files while one looks.
        with contextlib.suppress(FileNotFoundError):
            sockets.add(os.readlink(link))
    tables = [Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    return sockets & {f"socket:[{line.split()[9]}]" for table in tables for line in table}


async def test_it_is_a_replica_set_with_transactions(database: Database) -> None:
    await check_server(database.client)
    async with await database.client.start_session() as session, session.start_transaction():
        await database.rows.insert_one({"value": 1}, session=session)

    assert await database.rows.count_documents({"value": 1}) == 1


async def test_another_server_on_the_directory_is_told_who_uses_it(database: Database, data_dir: Path) -> None:
    with pytest.raises(StartupFailure) as refusal:
        await local.start(data_dir)

    assert f"{data_dir} is in use by pid {os.getpid()}." in refusal.value.message
    assert "--data-dir" in refusal.value.message
    await database.rows.insert_one({"value": "the first goes on"})
    assert await database.rows.count_documents({}) == 1


async def test_other_commands_attach_to_the_running_one(mongodb_url: str, data_dir: Path) -> None:
    assert local.attach(data_dir) == mongodb_url


async def test_attaching_where_nothing_runs_says_so(mongodb_url: str, data_dir: Path, place: Path) -> None:
    with pytest.raises(StartupFailure, match="No server runs on the data directory"):
        local.attach(place)
    shutil.copy(data_dir / "lock", place / "lock")
    with pytest.raises(StartupFailure, match="No server runs on the data directory"):
        local.attach(place)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_only_its_own_user_reaches_it_and_no_network_does(mongodb_url: str, data_dir: Path) -> None:
    path = socket_path(data_dir)
    pid = int((data_dir / "mongodb" / "mongod.lock").read_text())

    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o077 == 0
    assert not path.is_relative_to(data_dir)
    assert _tcp_ports(pid) == set()


async def test_a_socket_directory_of_others_is_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch, mongod: Path | None
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place))
    socket_path(place / "data").parent.mkdir(mode=0o755)

    with pytest.raises(StartupFailure, match="is not a directory of this user alone"):
        await local.start(place / "data", mongod=mongod)


async def test_a_long_or_odd_directory_for_sockets_is_passed_over(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("x" * 90, "50% off"):
        (place / name).mkdir()
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(place / name))

        assert not socket_path(place / "data").is_relative_to(place)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo 'mongod: libcurl.so.4: cannot open shared object file' >&2; exit 127", "libcurl.so.4: cannot open"),
        ("kill -ILL $$", "this processor has no AVX"),
        ("exit 3", "it ended with status 3 and said nothing"),
    ],
)
async def test_a_mongod_that_cannot_run_is_reported_with_its_reason(place: Path, script: str, reason: str) -> None:
    binary = place / "mongod"
    binary.write_text(f"#!/bin/sh\n{script}\n")
    binary.chmod(0o755)

    with pytest.raises(StartupFailure) as refusal:
        await local.start(place / "data", mongod=binary)

    assert refusal.value.message.startswith(f"{binary} cannot run here: ")
    assert reason in refusal.value.message
    for way_out in ("PATH", "PINSET_MONGOD", "pinset-server[local]", "PINSET_MONGODB_URL"):
        assert way_out in refusal.value.message


async def test_a_named_binary_must_be_there_and_be_a_program(place: Path) -> None:
    with pytest.raises(StartupFailure, match="which is not a file"):
        await local.start(place / "data", mongod=place / "absent")
    (place / "text").write_text("not a program")
    with pytest.raises(StartupFailure, match=r"cannot run here: .*Permission denied"):
        await local.start(place / "data", mongod=place / "text")


async def test_damaged_data_is_reported_with_mongods_own_words(place: Path, mongod: Path | None) -> None:
    (place / "mongodb").mkdir()
    for name in ("WiredTiger", "WiredTiger.wt", "WiredTiger.turtle"):
        (place / "mongodb" / name).write_text("damaged")

    with pytest.raises(StartupFailure, match="database corruption detected") as refusal:
        await local.start(place, mongod=mongod)
    assert str(place / "mongod.log") in refusal.value.message


async def test_a_directory_that_cannot_be_made_is_refused(place: Path) -> None:
    (place / "file").write_text("")
    with pytest.raises(StartupFailure, match="cannot be created"):
        await local.start(place / "file" / "data")


async def test_a_standalone_server_is_refused_with_the_fix(place: Path, mongod: Path | None) -> None:
    async with _bare_mongod(place, mongod) as url:
        with pytest.raises(StartupFailure) as refusal:
            await _check(url)

    for part in ("standalone", "transactions", "--replSet", "rs.initiate()"):
        assert part in refusal.value.message


@pytest.mark.parametrize("suffix", ["", "?directConnection=true"])
async def test_an_uninitiated_set_is_refused_with_the_fix(place: Path, mongod: Path | None, suffix: str) -> None:
    async with _bare_mongod(place, mongod, "--replSet", "other") as url:
        with pytest.raises(StartupFailure, match=r"uninitiated replica set\. .*rs\.initiate\(\)"):
            await _check(url + suffix, timeout_seconds=0.6)


@pytest.mark.parametrize(
    ("hello", "reason"),
    [
        ({"isWritablePrimary": True, "setName": "s", "version": [5, 0, 9]}, "is version 5.0.9; Pinset needs 6.0"),
        ({"isWritablePrimary": True, "msg": "isdbgrid", "version": [7, 0, 0]}, "a sharded cluster (mongos)"),
        ({"isWritablePrimary": False, "setName": "s", "version": [7, 0, 0]}, "a member that cannot be written to"),
    ],
)
async def test_a_server_of_the_wrong_kind_is_refused(hello: dict[str, Any], reason: str) -> None:
    async def command(name: str) -> dict[str, Any]:
        version = hello["version"]
        build = {"version": ".".join(map(str, version)), "versionArray": version}
        return hello if name == "hello" else build

    # No such server can be had here; the answers are those that one gives.
    client = SimpleNamespace(
        admin=SimpleNamespace(command=command),
        topology_description=SimpleNamespace(server_descriptions=lambda: {("old.example", 27017): None}),
    )
    with pytest.raises(StartupFailure) as refusal:
        await check_server(cast(Client, client))

    assert reason in refusal.value.message


async def test_an_unreachable_server_is_named_without_the_password() -> None:
    url = "mongodb://user:very-secret@127.0.0.1:9/"
    with pytest.raises(StartupFailure) as refusal:
        await _check(url, timeout_seconds=0.5)

    assert "MongoDB at 127.0.0.1:9 cannot be reached within 0.5 seconds" in refusal.value.message
    assert "very-secret" not in refusal.value.message


@pytest.mark.parametrize(
    "url", ["http://localhost", "mongodb://", "mongodb://a/?retryWrites=perhaps", "mongodb://a/?retriedWrites=true"]
)
async def test_a_malformed_url_is_refused(url: str) -> None:
    with pytest.raises(StartupFailure, match="PINSET_MONGODB_URL is not a usable MongoDB URL"):
        connect(url)


async def test_the_log_of_a_run_stays_bounded(place: Path) -> None:
    chatter = f"head -c {LARGEST_LOG_BYTES + 1} /dev/zero; touch {place}/written; exec sleep 60"
    log = place / "mongod.log"
    with log.open("ab") as output, (place / "lock").open("w") as lock:
        watchdog = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", watchdog_program, str(lock.fileno()), str(place / "none" / "socket")),
            *("/bin/sh", "-c", chatter),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=output,
            pass_fds=(lock.fileno(),),
        )
    await _until((place / "written").exists)
    await _until(lambda: log.stat().st_size == 0)
    await watchdog.communicate(b"stop")

    assert watchdog.returncode == 128 + signal.SIGTERM


@pytest.mark.slow
async def test_a_moved_directory_goes_on_where_it_was(place: Path, mongod: Path | None) -> None:
    running = await local.start(place / "before", mongod=mongod)
    await _write(running.url, "before the move")
    await running.stop()
    moved = place / "in another place, 50% off" / "data"
    moved.parent.mkdir(parents=True)
    (place / "before").rename(moved)

    running = await local.start(moved, mongod=mongod)
    try:
        assert await _stories(running.url) == ["before the move"]
        await _write(running.url, "after the move")
        assert await _stories(running.url) == ["before the move", "after the move"]
    finally:
        await running.stop()


@pytest.mark.slow
async def test_a_copy_runs_beside_its_original(place: Path, mongod: Path | None) -> None:
    original = await local.start(place / "original", mongod=mongod)
    await _write(original.url, "in both")
    await original.stop()
    shutil.copytree(place / "original", place / "copy")

    original = await local.start(place / "original", mongod=mongod)
    copy = await local.start(place / "copy", mongod=mongod)
    try:
        await _write(copy.url, "in the copy")
        assert await _stories(original.url) == ["in both"]
        assert await _stories(copy.url) == ["in both", "in the copy"]
        assert local.attach(place / "copy") == copy.url != original.url
    finally:
        await original.stop()
        await copy.stop()


@pytest.mark.slow
async def test_a_path_of_200_characters_works(place: Path, mongod: Path | None) -> None:
    data_dir = place / ("d" * (199 - len(str(place))))
    assert len(str(data_dir)) == 200

    running = await local.start(data_dir, mongod=mongod)
    await _write(running.url, "far away")
    await running.stop()
    await running.stop()

    assert _is_gone(running.pid)
    assert not running.is_running
    assert not socket_path(data_dir).parent.exists()


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["fork"]], ids=["alone", "with a forked child"])
async def test_a_killed_server_leaves_no_mongod_and_its_data_can_be_used_at_once(
    place: Path, mongod: Path | None, arguments: list[str]
) -> None:
    with _server(place, *arguments) as server:
        await _write(local.attach(place), "acknowledged")
        server.process.kill()
        server.process.wait()
        running = await local.start(place, mongod=mongod)
        try:
            assert _is_gone(server.mongod)
            assert await _stories(running.url) == ["acknowledged"]
        finally:
            await running.stop()
            if server.forked:
                os.kill(server.forked, signal.SIGKILL)


@pytest.mark.slow
async def test_a_killed_server_leaves_no_mongod_after_five_seconds(place: Path) -> None:
    with _server(place) as server:
        server.process.kill()
        server.process.wait()
        await _until(lambda: _is_gone(server.mongod), seconds=5.0)


@pytest.mark.slow
async def test_an_interrupt_reaches_the_server_alone(place: Path) -> None:
    with _server(place) as server:
        os.killpg(server.process.pid, signal.SIGINT)

        assert await asyncio.to_thread(server.process.wait, 20.0) == 0
        assert _is_gone(server.mongod)
