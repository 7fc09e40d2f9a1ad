"""Harbor directories: the content hash, deterministic archives, and archives that are refused."""

import gzip
import hashlib
import io
import os
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from pinset.files import FileProblem, SourceKind, TaskRow, open_source
from pinset.files.harbor import dataset_head, read_harbor
from pinset.files.packages import archive_hash, content_hash, package_files, write_archive

EXAMPLE = Path(__file__).parent.parent / "examples" / "harbor" / "line-count"
EXAMPLE_HASH = "41c4bbadbcc25a17698d682607f265f07c801820d3e54fc1992ab56d320888f6"


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "folder" / "line-count"))


def rows_of(path: Path, tmp_path: Path) -> list[TaskRow]:
    archives = tmp_path / "archives"
    archives.mkdir(exist_ok=True)
    return list(read_harbor(path, "default", archives))


def packed(*entries: tuple[tarfile.TarInfo, bytes]) -> io.BytesIO:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for entry, data in entries:
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    stream.seek(0)
    return stream


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def test_the_example_has_the_hash_that_harbor_gives(tmp_path: Path) -> None:
    assert content_hash(EXAMPLE) == EXAMPLE_HASH
    assert open_source(EXAMPLE).kind is SourceKind.HARBOR
    (row,) = rows_of(EXAMPLE, tmp_path)
    assert row.archive is not None
    digest = hashlib.sha256(row.archive.read_bytes()).hexdigest()
    task: Any = row.task
    spec = task["spec"]["harbor"]
    assert row.name == "examples-line-count"
    assert spec["archiveRef"] == f"default/examples-line-count#{digest}.tar.gz"
    assert spec["archiveDigest"] == EXAMPLE_HASH
    assert spec["instruction"] == (EXAMPLE / "instruction.md").read_text()
    assert spec["config"]["agent"] == {"timeout_sec": 120.0}
    assert row.task["metadata"] == [{"key": "difficulty", "value": "easy"}, {"key": "category", "value": "files"}]
    with row.archive.open("rb") as stream:
        assert archive_hash(stream) == EXAMPLE_HASH


def test_equal_directories_give_equal_archives(task: Path) -> None:
    first, second = io.BytesIO(), io.BytesIO()
    os.utime(task / "task.toml", (1, 1))
    digest = write_archive(task, first)
    os.utime(task / "task.toml", (2, 2))
    assert write_archive(task, second) == digest == hashlib.sha256(first.getvalue()).hexdigest()
    assert first.getvalue() == second.getvalue()
    with tarfile.open(fileobj=io.BytesIO(first.getvalue())) as archive:
        members = archive.getmembers()
    assert [member.name for member in members] == sorted(map(str, package_files(EXAMPLE)))
    assert {(member.mtime, member.uid, member.gid, member.uname) for member in members} == {(0, 0, 0, "")}


def test_what_is_no_part_of_a_package_does_not_count(task: Path) -> None:
    (task / "tests" / "__pycache__").mkdir()
    for name in ("tests/__pycache__/a.pyc", "tests/.DS_Store", "tests/x.swp", "tests/y~", "notes.txt"):
        (task / name).write_bytes(b"x")
    assert content_hash(task) == EXAMPLE_HASH
    (task / ".gitignore").write_text("*.swp\n")
    assert "tests/__pycache__/a.pyc" in map(str, package_files(task))
    assert "tests/x.swp" not in map(str, package_files(task))
    assert content_hash(task) != EXAMPLE_HASH


@pytest.mark.parametrize("place", ["tests/link", "README.md", "solution"])
def test_links_are_refused(task: Path, place: str) -> None:
    (task / place).symlink_to("/etc/hostname" if place != "solution" else "/etc")
    with pytest.raises(FileProblem, match="is a link"):
        content_hash(task)


def test_a_folder_gives_its_tasks_and_dataset_toml_their_order(task: Path, tmp_path: Path) -> None:
    folder = task.parent
    other = Path(shutil.copytree(task, folder / "another"))
    (other / "task.toml").write_text('[task]\nname = "examples/another"\n[metadata]\nsince = 2026-01-02\n')
    assert [row.name for row in rows_of(folder, tmp_path)] == ["examples-another", "examples-line-count"]
    assert dataset_head(folder) == {"name": "folder"}
    (folder / "dataset.toml").write_text(
        '[dataset]\nname = "examples/all"\ndescription = "Both."\n'
        f'[[tasks]]\nname = "examples/line-count"\ndigest = "sha256:{EXAMPLE_HASH}"\n'
        f'[[tasks]]\nname = "examples/another"\ndigest = "sha256:{content_hash(other)}"\n'
    )
    rows = rows_of(folder, tmp_path)
    assert [row.name for row in rows] == ["examples-line-count", "examples-another"]
    assert rows[1].task["metadata"] == [{"key": "since", "value": "2026-01-02"}]
    assert dataset_head(folder) == {"name": "examples-all", "description": "Both."}


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        (f'name = "examples/line-count"\ndigest = "sha256:{"0" * 64}"', f"hashes to {EXAMPLE_HASH}"),
        ('name = "examples/none"', "'examples/none', which has no directory"),
        ('name = "examples/line-count"\n[[tasks]]\nname = "examples/line-count"', "names are unique"),
    ],
)
def test_a_dataset_that_lists_something_else_is_refused(task: Path, tmp_path: Path, listed: str, words: str) -> None:
    (task.parent / "dataset.toml").write_text(f"[[tasks]]\n{listed}\n")
    with pytest.raises(FileProblem, match=words):
        rows_of(task.parent, tmp_path)


@pytest.mark.parametrize(("text", "words"), [("[task", "not valid TOML"), ("x = inf", "must be finite")])
def test_a_bad_task_toml_is_named(task: Path, tmp_path: Path, text: str, words: str) -> None:
    (task / "task.toml").write_text(text)
    with pytest.raises(FileProblem, match=words):
        rows_of(task, tmp_path)


TOML = (entry("task.toml"), b"")


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        (io.BytesIO(b"PK"), "no readable tar.gz"),
        (io.BytesIO(gzip.compress(b"x" * 2000)), "no readable tar.gz"),
        (packed((entry("instruction.md"), b"x")), "no task.toml"),
        (packed(TOML, (entry("../task.toml"), b"")), "leads out"),
        (packed(TOML, (entry("tests/../../x"), b"")), "leads out"),
        (packed(TOML, (entry("/etc/passwd"), b"")), "no relative path"),
        (packed(TOML, (entry("tests\\x"), b"")), "no relative path"),
        (packed(TOML, (entry("tests//x"), b"")), "leads out"),
        (packed(TOML, (entry("tests/x", tarfile.SYMTYPE, "/etc"), b"")), "no plain file"),
        (packed(TOML, (entry("tests/x", tarfile.LNKTYPE, "task.toml"), b"")), "no plain file"),
        (packed(TOML, (entry("tests/x", tarfile.CHRTYPE), b"")), "no plain file"),
        (packed(TOML, (entry("tests/x", tarfile.FIFOTYPE), b"")), "no plain file"),
        (packed(TOML, (entry("task.toml"), b"")), "twice"),
        (packed(TOML, (entry("notes.txt"), b"")), "no part of a task"),
        (packed(TOML, (entry("tests"), b"")), "no part of a task"),
    ],
)
def test_a_hostile_archive_is_refused(stream: io.BytesIO, words: str) -> None:
    with pytest.raises(FileProblem, match=words):
        archive_hash(stream)


def test_archives_that_unpack_without_end_are_refused() -> None:
    large = tarfile.TarInfo("tests/x")
    large.size = 2**31
    stream = io.BytesIO(gzip.compress(entry("task.toml").tobuf() + large.tobuf()))
    with pytest.raises(FileProblem, match="unpacks to more than 1,024 MiB"):
        archive_hash(stream)
    described = tarfile.TarInfo("././@LongLink")
    described.type, described.size = tarfile.GNUTYPE_LONGNAME, 2**24
    stream = io.BytesIO(gzip.compress(described.tobuf() + b"x" * 2**24))
    with pytest.raises(FileProblem, match="larger than it says"):
        archive_hash(stream)
