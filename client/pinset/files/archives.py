"""Harbor archives inside bundles: parts of at most 512 KiB, each a record of its own."""

import base64
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pinset.files.problems import FileProblem
from pinset.files.values import JSONObject

PART_BYTES: Final = 512 * 1024


def archive_records(path: Path, digest: str, workspace: str) -> Iterator[JSONObject]:
    """The records of one archive, in order; the last says so."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        while True:
            data = stream.read(PART_BYTES)
            last = stream.tell() >= size
            part: JSONObject = {"record": "archive", "workspace": workspace, "sha256": digest, "last": last}
            yield {**part, "data": base64.b64encode(data).decode("ascii")}
            if last:
                return


def unpacked(records: Iterable[tuple[int, JSONObject]], folder: Path) -> Iterator[tuple[str, str, Path]]:
    """Each archive of a bundle as (workspace, SHA-256, file), the file valid until the next. Raises FileProblem."""
    path = folder / "archive.tar.gz"
    total = hashlib.sha256()
    path.write_bytes(b"")
    for line, record in records:
        if record["record"] != "archive":
            continue
        data = base64.b64decode(str(record["data"]))
        total.update(data)
        with path.open("ab") as stream:
            stream.write(data)
        if record["last"]:
            if total.hexdigest() != record["sha256"]:
                raise FileProblem("The parts of the archive do not hash to what they are stored under.", line)
            yield str(record["workspace"]), total.hexdigest(), path
            total = hashlib.sha256()
            path.write_bytes(b"")
