"""Harbor directories through the command line: uploaded, checked, downloaded byte for byte, run by a runner."""

import hashlib
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pinset import AsyncPinset
from pinset.errors import InvalidInput, RequestError
from pinset.files.bundles import read_bundle
from pinset.files.packages import archive_hash, write_archive
from storage.services import Services
from tests.command_line import EXAMPLES, CommandLine, command_line

pytestmark = pytest.mark.anyio

LINE_COUNT = "41c4bbadbcc25a17698d682607f265f07c801820d3e54fc1992ab56d320888f6"


@pytest.fixture
async def pinset(services: Services) -> AsyncIterator[CommandLine]:
    async with command_line(services) as run:
        yield run


@pytest.fixture
async def client(pinset: CommandLine) -> AsyncIterator[AsyncPinset]:
    async with AsyncPinset(pinset.url) as connected:
        yield connected


def packed(folder: Path, target: Path) -> str:
    with target.open("wb") as stream:
        return write_archive(folder, stream)


async def test_the_example_is_stored_with_harbor_s_hash_and_comes_back_identical(
    pinset: CommandLine, client: AsyncPinset, tmp_path: Path
) -> None:
    first = await pinset.done("sync", EXAMPLES / "harbor", "-t", "harbor", "--json")
    assert [item["name"] for item in first.json["plan"]["toCreate"]] == ["examples-line-count"]
    task = await client.tasks.retrieve("examples-line-count")
    content: Any = task.latest.content
    archive = tmp_path / "archive.tar.gz"
    blob = packed(EXAMPLES / "harbor" / "line-count", archive)
    assert content["spec"]["archive_digest"] == LINE_COUNT
    assert content["spec"]["archive_ref"] == f"default/examples-line-count#{blob}.tar.gz"
    back = tmp_path / "back.tar.gz"
    await client.download(blob, back)
    assert back.read_bytes() == archive.read_bytes()
    with back.open("rb") as stream:
        assert archive_hash(stream) == LINE_COUNT
    again = await pinset.done("sync", EXAMPLES / "harbor", "-t", "harbor", "--json")
    assert len(again.json["plan"]["unchanged"]) == 1


async def test_a_dry_run_of_a_new_directory_writes_nothing(pinset: CommandLine, client: AsyncPinset) -> None:
    planned = await pinset.done("sync", EXAMPLES / "harbor", "-t", "harbor", "--dry-run", "--json")
    assert len(planned.json["plan"]["toCreate"]) == 1
    assert [task.name async for task in client.tasks.list()] == []


async def test_an_archive_that_is_missing_or_another_is_refused(client: AsyncPinset, tmp_path: Path) -> None:
    other = Path(shutil.copytree(EXAMPLES / "harbor" / "line-count", tmp_path / "other"))
    (other / "instruction.md").write_text("Count something else.")
    blob = packed(other, tmp_path / "other.tar.gz")
    spec = {"harbor": {"archiveRef": f"default/other#{blob}.tar.gz", "archiveDigest": LINE_COUNT}}
    with pytest.raises(InvalidInput, match="not here"):
        await client.tasks.create("other", spec)
    await client.upload(blob, tmp_path / "other.tar.gz")
    with pytest.raises(InvalidInput, match=f"not to {LINE_COUNT}"):
        await client.tasks.create("other", spec)
    with pytest.raises(RequestError):
        await client.upload("0" * 64, tmp_path / "other.tar.gz")
    with pytest.raises(RequestError) as gone:
        await client.download("0" * 64, tmp_path / "none")
    assert gone.value.status == 404


async def test_a_bundle_carries_its_archives(pinset: CommandLine, client: AsyncPinset, tmp_path: Path) -> None:
    await pinset.done("sync", EXAMPLES / "harbor", "-t", "harbor", "--json")
    bundle = tmp_path / "harbor.jsonl"
    await pinset.done("export", "harbor", "-o", bundle)
    kinds = [record["record"] for _, record in read_bundle(bundle)]
    assert kinds == ["bundle", "task", "archive", "taskset"]
    moved = (await pinset.done("import", bundle, "-w", "team", "--json")).json["records"]
    assert [row["outcome"] for row in moved] == ["CREATED", "CREATED"]
    content: Any = (await client.tasks.retrieve("examples-line-count", workspace="team")).latest.content
    blob = content["spec"]["archive_ref"].partition("#")[2].removesuffix(".tar.gz")
    assert content["spec"]["archive_ref"].startswith("team/")
    await client.download(blob, tmp_path / "moved.tar.gz", "team")
    assert hashlib.sha256((tmp_path / "moved.tar.gz").read_bytes()).hexdigest() == blob


async def test_a_runner_reports_the_rewards_of_a_harbor_job(pinset: CommandLine, client: AsyncPinset) -> None:
    await pinset.done("sync", EXAMPLES / "harbor", "-t", "harbor", "--json")
    await pinset.done("jobs", "submit", "harbor", "--runner", "harbor", "--name", "run")
    (lease,) = await client.jobs.lease("harbor")
    assert lease.spec.typename__ == "HarborTaskSpec"
    assert lease.spec.archive_digest == LINE_COUNT
    trial = await client.jobs.report(lease.token, rewards={"reward": 1.0}, reward=1.0)
    assert trial.reward == 1.0
    results = (await pinset.done("jobs", "results", "run", "--json")).json
    assert results["summary"]["reward"]["mean"] == 1.0
