"""Checking that an uploaded Harbor archive holds what a task's `archiveDigest` says."""

from typing import IO

from domain.errors import InvalidInput, Path


def verify_archive(stream: IO[bytes], expected: str, path: Path = ("spec", "harbor", "archiveDigest")) -> None:
    """Read a tar.gz as a stream and compare Harbor's content hash of its files with `expected`.

    Blocking and bounded in memory; run it in a thread. Raises InvalidInput for an archive that is no task, or another.
    """
    from pinset.files.packages import archive_hash
    from pinset.files.problems import FileProblem

    try:
        found = archive_hash(stream)
    except FileProblem as problem:
        raise InvalidInput(problem.message, path) from None
    if found != expected:
        raise InvalidInput(f"The archive's content hashes to {found}, not to {expected}.", path)
