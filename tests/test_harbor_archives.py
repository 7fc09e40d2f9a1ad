"""Harbor tasks refer to archives that are kept here: they are there, and hold what the task says."""

import hashlib
import io
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

import pytest

from domain.content import HarborDraft, TaskDraft
from domain.errors import InvalidInput, Problems
from domain.errors import Path as ErrorPath
from domain.grants import Grant, Scope
from domain.outcomes import ABSENT, Outcome
from interop.harbor import verify_archive
from pinset.files.packages import write_archive
from resolvers.access import Viewer
from resolvers.context import Context
from resolvers.jobs import cancel_job, delete_job
from resolvers.submission import InlineTask, SubmitJob, submit_job
from resolvers.sync import sync_taskset
from resolvers.sync_file import NamedTask
from resolvers.sync_plan import SyncTaskset
from resolvers.tasks import create_task, delete_task, replace_task
from resolvers.tasksets import create_taskset
from resolvers.workspaces import create_workspace
from storage import blobs
from storage.services import Services
from tests.drafts import suite
from tests.job_fixtures import RUNNER
from tests.test_files_harbor import EXAMPLE, EXAMPLE_HASH
from tests.test_sync import file_of

pytestmark = pytest.mark.anyio

PACKED = io.BytesIO()
BLOB = write_archive(EXAMPLE, PACKED)
ARCHIVE = PACKED.getvalue()


class Verifier:
    """The check of archives, counting how often it is made."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, stream: IO[bytes], expected: str, path: ErrorPath) -> None:
        self.calls += 1
        verify_archive(stream, expected, path)


@pytest.fixture
def verifier() -> Verifier:
    return Verifier()


@pytest.fixture
def harbor(services: Services, verifier: Verifier) -> Context:
    """A context of a server that can check archives."""
    services.verify_archive = verifier
    return Context(services)


def task(blob: str = BLOB, digest: str = EXAMPLE_HASH, *, workspace: str = "default", note: str = "") -> TaskDraft:
    """A Harbor task that refers to an archive."""
    return TaskDraft(HarborDraft(f"{workspace}/line-count#{blob}.tar.gz", digest, note or None))


async def upload(context: Context, content: bytes = ARCHIVE, workspace: str = "default") -> str:
    """Keep an archive; its name."""

    async def chunks() -> AsyncIterator[bytes]:
        yield content

    name = hashlib.sha256(content).hexdigest()
    await blobs.write(context.services.database, workspace, name, chunks())
    return name


async def test_an_archive_that_holds_what_the_task_says_is_taken(harbor: Context, verifier: Verifier) -> None:
    await upload(harbor)
    done = await create_task(harbor, "default", "line-count", None, task())
    assert done.outcome is Outcome.CREATED
    again = await replace_task(harbor, "default", "line-count", ABSENT, task())
    other = await replace_task(harbor, "default", "line-count", ABSENT, task(note="Count."))
    assert (again.outcome, other.outcome) == (Outcome.UNCHANGED, Outcome.PUBLISHED)
    assert verifier.calls == 1


async def test_an_archive_that_holds_something_else_is_refused(harbor: Context) -> None:
    await upload(harbor)
    with pytest.raises(InvalidInput, match=f"hashes to {EXAMPLE_HASH}, not to 0") as caught:
        await create_task(harbor, "default", "line-count", None, task(digest="0" * 64))
    assert caught.value.path == ("task", "spec", "harbor", "archiveDigest")
    assert await harbor.services.database["tasks"].count_documents({}) == 0
    # The archive is remembered for what it holds, not for what was said of it.
    await create_task(harbor, "default", "line-count", None, task())
    with pytest.raises(InvalidInput, match="hashes to"):
        await replace_task(harbor, "default", "line-count", ABSENT, task(digest="0" * 64))


async def test_what_is_no_archive_is_refused(harbor: Context) -> None:
    name = await upload(harbor, b"not an archive")
    with pytest.raises(InvalidInput, match=r"no readable tar\.gz"):
        await create_task(harbor, "default", "line-count", None, task(name))


async def test_an_archive_has_to_be_uploaded_first(harbor: Context, verifier: Verifier) -> None:
    with pytest.raises(InvalidInput, match=rf"PUT /blobs/{BLOB}\?workspace=default") as caught:
        await create_task(harbor, "default", "line-count", None, task())
    assert caught.value.path == ("task", "spec", "harbor", "archiveRef")
    assert verifier.calls == 0


async def test_an_archive_of_a_workspace_that_may_not_be_read_is_not_there(harbor: Context) -> None:
    await create_workspace(harbor, "private", None)
    await upload(harbor, workspace="private")
    grant = Grant("default", frozenset({Scope.READ, Scope.WRITE}))
    stranger = Context(harbor.services, Viewer("stranger", (grant,)))
    with pytest.raises(InvalidInput, match="not here"):
        await create_task(stranger, "default", "line-count", None, task(workspace="private"))
    with pytest.raises(InvalidInput, match="not here"):
        await create_task(stranger, "default", "line-count", None, task())
    await create_task(harbor, "default", "line-count", None, task(workspace="private"))


@pytest.mark.parametrize("path", ["dist.tar.gz", BLOB, f"{BLOB}.zip", f"{BLOB.upper()}.tar.gz", f"a/{BLOB}.tar.gz"])
async def test_a_reference_to_elsewhere_is_not_followed(harbor: Context, verifier: Verifier, path: str) -> None:
    draft = TaskDraft(HarborDraft(f"default/hello-world#{path}", "1" * 64))
    done = await create_task(harbor, "default", "hello-world", None, draft)
    assert (done.outcome, verifier.calls) == (Outcome.CREATED, 0)


async def test_a_sync_checks_the_archives_of_every_row(harbor: Context, verifier: Verifier) -> None:
    await upload(harbor)
    rows = [
        NamedTask("missing", task("2" * 64)),
        NamedTask("good", task()),
        NamedTask("wrong", task(digest="3" * 64)),
    ]
    with pytest.raises(Problems) as caught:
        await sync_taskset(harbor, SyncTaskset("default", "harbor", file_of(rows)))
    assert [error.path for error in caught.value.errors] == [
        ("tasks", 0, "task", "spec", "harbor", "archiveRef"),
        ("tasks", 2, "task", "spec", "harbor", "archiveDigest"),
    ]
    assert await harbor.services.database["tasks"].count_documents({}) == 0
    for _ in range(2):
        await sync_taskset(harbor, SyncTaskset("default", "harbor", file_of(rows[1:2])))
    assert verifier.calls == 2


async def test_a_dry_run_does_not_wait_for_archives(harbor: Context) -> None:
    planned = await sync_taskset(
        harbor, SyncTaskset("default", "harbor", file_of([NamedTask("line-count", task())]), dry_run=True)
    )
    assert [item.name for item in planned.plan.to_create] == ["line-count"]


async def test_an_archive_stays_as_long_as_a_revision_names_it(harbor: Context) -> None:
    await upload(harbor)
    await create_task(harbor, "default", "line-count", None, task())
    await replace_task(harbor, "default", "line-count", ABSENT, TaskDraft(HarborDraft("a/b#c", "4" * 64)))
    database = harbor.services.database
    assert await blobs.sweep(database, timedelta(seconds=-1)) == 0
    kept = b"".join([part async for part in blobs.read(database, BLOB)])
    assert kept == ARCHIVE
    await delete_task(harbor, "default", "line-count", force=False)
    assert await blobs.sweep(database, timedelta(seconds=-1)) == 1


async def test_an_archive_stays_as_long_as_a_job_needs_it(harbor: Context) -> None:
    await upload(harbor)
    await create_task(harbor, "default", "line-count", None, task())
    await create_taskset(harbor, "default", "counts", None, suite("line-count"))
    sources: list[dict[str, Any]] = [{"taskset": "counts"}, {"tasks": [InlineTask("inline", task())]}]
    jobs = [
        await submit_job(harbor, SubmitJob(workspace="default", fingerprint="", target=RUNNER, **source))
        for source in sources
    ]
    await delete_task(harbor, "default", "line-count", force=True)
    for job in jobs:
        assert await blobs.sweep(harbor.services.database, timedelta(seconds=-1)) == 0
        await cancel_job(harbor, job.id)
        await delete_job(harbor, job.id)
    assert await blobs.sweep(harbor.services.database, timedelta(seconds=-1)) == 1


async def test_the_archives_of_inline_tasks_are_checked_when_their_job_is_submitted(harbor: Context) -> None:
    async def submit(*tasks: InlineTask) -> None:
        wanted = SubmitJob(workspace="default", fingerprint="", target=RUNNER, tasks=tasks)
        await submit_job(harbor, wanted)

    with pytest.raises(Problems) as caught:
        await submit(InlineTask("a", task()), InlineTask("b", task(digest="0" * 64)))
    assert [error.path for error in caught.value.errors] == [
        ("tasks", place, "task", "spec", "harbor", "archiveRef") for place in (0, 1)
    ]
    await upload(harbor)
    with pytest.raises(Problems, match="hashes to") as caught:
        await submit(InlineTask("a", task()), InlineTask("b", task(digest="0" * 64)))
    assert [error.path for error in caught.value.errors] == [("tasks", 1, "task", "spec", "harbor", "archiveDigest")]
    assert await harbor.services.database["jobs"].count_documents({}) == 0
    await submit(InlineTask("a", task()))


async def test_a_large_archive_goes_through_a_file(harbor: Context, tmp_path: Path) -> None:
    folder = tmp_path / "large"
    (folder / "tests").mkdir(parents=True)
    (folder / "task.toml").write_text("version = '1.0'\n", encoding="utf-8")
    (folder / "tests" / "data").write_bytes(bytes(hashlib.shake_256(b"seed").digest(9 * 1024 * 1024)))
    packed = io.BytesIO()
    blob = write_archive(folder, packed)
    assert await upload(harbor, packed.getvalue()) == blob
    with pytest.raises(InvalidInput, match="hashes to"):
        await create_task(harbor, "default", "large", None, task(blob))
