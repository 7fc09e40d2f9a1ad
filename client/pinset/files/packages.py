"""Harbor's content hash, and the archives that carry a task directory.

The hash is SHA-256 over one record a file, `path NUL sha256(file) LF`, in the order of the POSIX paths. A package is
`task.toml`, `instruction.md`, `README.md`, `trajectory.json` and everything under `environment/`, `tests/`,
`solution/` and `steps/`, without what `.gitignore` of the directory names, or the patterns below where there is none
(pathspec reads them as git does). An archive is that list as tar.gz with fixed times, owners and order, so that equal
directories give equal bytes.
"""

import gzip
import hashlib
import io
import stat
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Final, Protocol

import pathspec

from pinset.files.lines import MEBIBYTE
from pinset.files.names import shown
from pinset.files.problems import FileProblem

FILES: Final = ("task.toml", "instruction.md", "README.md", "trajectory.json")
FOLDERS: Final = ("environment", "tests", "solution", "steps")
IGNORED: Final = ("__pycache__/", "*.pyc", ".DS_Store", "*.swp", "*.swo", "*~")
MAX_FILES: Final = 10_000
MAX_PACKAGE_BYTES: Final = 1024 * MEBIBYTE
MAX_PATH_LENGTH: Final = 1_024
_CHUNK: Final = MEBIBYTE
_HEADER: Final = MEBIBYTE


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def hexdigest(self) -> str: ...


def package_files(folder: Path) -> list[PurePosixPath]:
    """The files that make up a task directory, sorted by path. Raises FileProblem for links and other oddities."""
    ignored = _ignore_rules(folder)
    found = [PurePosixPath(name) for name in FILES if (folder / name).exists() or (folder / name).is_symlink()]
    for name in FOLDERS:
        found.extend(_walk(folder, PurePosixPath(name)))
    kept = sorted((path for path in found if not ignored.match_file(str(path))), key=str)
    for path in kept:
        _check_file(folder, path)
    if len(kept) > MAX_FILES:
        raise FileProblem(f"{folder} holds {len(kept):,} files; a task has at most {MAX_FILES:,}.")
    return kept


def content_hash(folder: Path) -> str:
    """Harbor's content hash of a task directory, 64 lowercase hex digits."""
    digests: list[tuple[str, str]] = []
    for path in package_files(folder):
        with (folder / path).open("rb") as stream:
            digests.append((str(path), hashlib.file_digest(stream, "sha256").hexdigest()))
    return hash_of(digests)


def hash_of(files: Iterable[tuple[str, str]]) -> str:
    """The content hash of files given as (path, SHA-256 in hex)."""
    total = hashlib.sha256()
    for path, digest in sorted(files):
        total.update(f"{path}\0{digest}\n".encode())
    return total.hexdigest()


def write_archive(folder: Path, target: IO[bytes]) -> str:
    """Pack a task directory into `target`; the SHA-256 of the archive. Raises FileProblem."""
    output = _Hashing(target)
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=output, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in package_files(folder):
            with (folder / path).open("rb") as stream:
                archive.addfile(_entry(folder, path), stream)
    return output.hexdigest()


def archive_hash(stream: IO[bytes]) -> str:
    """The content hash of an archive's files, read as a stream and never written to disk.

    Raises FileProblem for anything but plain files of a task: links, devices, absolute or climbing paths, a path
    twice, more than 10,000 files or 1 GiB unpacked, files that are no part of a task, no `task.toml`.
    """
    digests: dict[str, str] = {}
    limited = _Limited(stream)
    try:
        with tarfile.open(fileobj=limited, mode="r|") as archive:
            while (member := limited.next_member(archive)) is not None:
                if not member.isdir():
                    path = _checked_path(member, digests)
                    digests[path] = _digest(archive, member)
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, UnicodeError, OverflowError) as error:
        raise FileProblem(f"The archive is no readable tar.gz: {error}.") from None
    if "task.toml" not in digests:
        raise FileProblem("The archive holds no task.toml at its root.")
    return hash_of(digests.items())


class _Hashing(io.RawIOBase):
    """A stream that hashes what is written through it."""

    def __init__(self, target: IO[bytes]) -> None:
        self._target = target
        self._hash: _Hash = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        block = bytes(data)  # type: ignore[call-overload]
        self._hash.update(block)
        self._target.write(block)
        return len(block)

    def hexdigest(self) -> str:
        return str(self._hash.hexdigest())


class _Limited(io.RawIOBase):
    """Unpacks a gzip stream within bounds: a small archive can neither unpack nor describe itself without end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._packed = gzip.GzipFile(fileobj=stream, mode="rb")
        self._members = 0
        self._left = _HEADER
        self._total = MAX_PACKAGE_BYTES

    def readable(self) -> bool:
        return True

    def next_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo | None:
        """The next entry; its description may take 1 MiB, since tarfile holds that in memory."""
        self._left = _HEADER
        member = archive.next()
        self._members += 1
        self._total -= 0 if member is None else member.size
        if self._members > 2 * MAX_FILES:
            raise FileProblem(f"The archive holds more than {MAX_FILES:,} files.")
        if self._total < 0:
            raise FileProblem(f"The archive unpacks to more than {MAX_PACKAGE_BYTES // MEBIBYTE:,} MiB.")
        self._left = _HEADER + (0 if member is None else member.size)
        return member

    def read(self, size: int = -1, /) -> bytes:
        block = self._packed.read(_CHUNK if size < 0 else size)
        self._left -= len(block)
        if self._left < 0:
            raise FileProblem("An entry of the archive is larger than it says.")
        return block


def _ignore_rules(folder: Path) -> pathspec.GitIgnoreSpec:
    rules = folder / ".gitignore"
    lines = rules.read_text("utf-8").splitlines() if rules.is_file() else list(IGNORED)
    return pathspec.GitIgnoreSpec.from_lines(lines)


def _walk(folder: Path, name: PurePosixPath) -> Iterator[PurePosixPath]:
    start = folder / name
    if start.is_symlink():
        raise FileProblem(f"{start} is a link; a package holds plain files only.")
    if not start.is_dir():
        return
    for found in sorted(start.rglob("*")):
        if found.is_symlink() or not found.is_dir():
            yield PurePosixPath(found.relative_to(folder).as_posix())


def _check_file(folder: Path, path: PurePosixPath) -> None:
    mode = (folder / path).lstat().st_mode
    if not stat.S_ISREG(mode):
        what = "a link" if stat.S_ISLNK(mode) else "no plain file"
        raise FileProblem(f"{folder / path} is {what}; a package holds plain files only.")


def _entry(folder: Path, path: PurePosixPath) -> tarfile.TarInfo:
    found = (folder / path).stat()
    entry = tarfile.TarInfo(str(path))
    entry.size = found.st_size
    entry.mode = 0o755 if found.st_mode & stat.S_IXUSR else 0o644
    return entry


def _checked_path(member: tarfile.TarInfo, seen: dict[str, str]) -> str:
    path = member.name.removeprefix("./")
    parts = path.split("/")
    if not member.isreg() or member.issparse():
        raise FileProblem(f"{shown(path)} is no plain file; an archive of a task holds nothing else.")
    if path.startswith("/") or "\\" in path or "\0" in path or len(path) > MAX_PATH_LENGTH:
        raise FileProblem(f"{shown(path)} is no relative path.")
    if any(part in ("", ".", "..") for part in parts):
        raise FileProblem(f"{shown(path)} leads out of the archive, or is not written plainly.")
    if path not in FILES and not (len(parts) > 1 and parts[0] in FOLDERS):
        raise FileProblem(f"{shown(path)} is no part of a task; a package holds {', '.join((*FILES, *FOLDERS))}.")
    if path in seen:
        raise FileProblem(f"{shown(path)} stands in the archive twice.")
    if len(seen) >= MAX_FILES:
        raise FileProblem(f"The archive holds more than {MAX_FILES:,} files.")
    return path


def _digest(archive: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    content = archive.extractfile(member)
    if content is None:
        raise FileProblem(f"{shown(member.name)} cannot be read.")
    return hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]
