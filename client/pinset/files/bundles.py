"""Bundles: a taskset revision with everything that it pins, or a finished job, in one JSONL file.

Every line is the canonical text of one record with its own `hash`, the SHA-256 of the record's canonical text without
`hash`. The last record, `end`, carries the root hash: the SHA-256 of the canonical text
`{"format":1,"records":[hash, …]}` over all records before it, in order. A record that carries `canonical` content
carries its `digest` too. The reader checks each line as it comes, so the first mismatch is named with its line.

Records of a taskset bundle: `bundle`, `task`… (in the order of the members), `metric`…, `archive`… (the parts of the
packages that tasks refer to), `taskset`, `end`.
Records of a job bundle: `bundle`, `job`, `job_task`…, `metric`…, `trial`…, `end`; it is for reading.
"""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final

from pinset.files.lines import text_lines
from pinset.files.problems import FileProblem
from pinset.files.values import JSON, JSONObject, canonical_text, digest_of, parse

FORMAT: Final = 1
MAX_RECORD_BYTES: Final = 64 * 1024 * 1024
KINDS: Final = ("taskset", "job")


class RootHash:
    """Collects the hashes of records without holding them: the text that is hashed is fed piece by piece."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256(f'{{"format":{FORMAT},"records":['.encode())
        self.count = 0

    def add(self, record_hash: str) -> None:
        """Take the hash of the next record."""
        self._hash.update(f'{"," if self.count else ""}"{record_hash}"'.encode())
        self.count += 1

    def hexdigest(self) -> str:
        """The root hash of the records taken so far."""
        total = self._hash.copy()
        total.update(b"]}")
        return total.hexdigest()


def header(kind: str, workspace: str, name: str) -> JSONObject:
    """The first record of a bundle."""
    return {"record": "bundle", "format": FORMAT, "kind": kind, "workspace": workspace, "name": name}


def with_digest(record: JSONObject, content: JSON) -> JSONObject:
    """The record with its content as canonical text and digest."""
    text = canonical_text(content)
    return {**record, "canonical": text, "digest": digest_of(text)}


def content_of(record: JSONObject) -> JSONObject:
    """The content that a verified record carries."""
    content = parse(str(record["canonical"]))
    if not isinstance(content, dict):
        raise FileProblem("The content of a record must be an object.")
    return content


def write_bundle(records: Iterable[JSONObject], stream: IO[bytes]) -> str:
    """Write records one by one, the first made by `header`; the root hash."""
    root = RootHash()
    for record in records:
        _write(record, stream, root)
    digest = root.hexdigest()
    _write({"record": "end", "records": root.count, "root": digest}, stream, root)
    return digest


def read_bundle(path: Path) -> Iterator[tuple[int, JSONObject]]:
    """The records between header and end, header first, each verified before it is handed out.

    The end record is checked too, after the last record was handed out: call `verify_bundle` before anything is
    written. Raises FileProblem naming the first line that does not match.
    """
    root, ended, line = RootHash(), False, 0
    for line, text in text_lines(path, MAX_RECORD_BYTES):
        if ended:
            raise FileProblem("More text follows the end of the bundle.", line)
        record = _verified(text, line)
        if record["record"] == "end":
            _check_end(record, root, line)
            ended = True
            continue
        _check_header(record, line)
        root.add(str(record["hash"]))
        yield line, record
    if not ended:
        raise FileProblem("The bundle ends early: its last record is missing.", line + 1)


def verify_bundle(path: Path) -> tuple[str, int]:
    """Read the whole bundle; its root hash and the number of its records. Raises FileProblem."""
    root = RootHash()
    for _, record in read_bundle(path):
        root.add(str(record["hash"]))
    return root.hexdigest(), root.count


def bundle_kind(path: Path) -> str:
    """Whether a bundle holds a `taskset` or a `job`, by its verified header."""
    for _, record in read_bundle(path):
        return str(record["kind"])
    raise FileProblem("The bundle holds no records.")


def _write(record: JSONObject, stream: IO[bytes], root: RootHash) -> None:
    record_hash = digest_of(canonical_text(record))
    root.add(record_hash)
    stream.write(canonical_text({**record, "hash": record_hash}).encode("ascii") + b"\n")


def _verified(text: str, line: int) -> JSONObject:
    try:
        record = parse(text)
    except ValueError as error:
        raise FileProblem(f"Not valid JSON: {error}.", line) from None
    if not isinstance(record, dict) or not isinstance(record.get("record"), str):
        raise FileProblem("The line holds no record of a bundle.", line)
    if canonical_text(record) + "\n" != text:
        raise FileProblem("The line was changed: it is not written as a bundle is.", line)
    held = {key: value for key, value in record.items() if key != "hash"}
    if digest_of(canonical_text(held)) != record.get("hash"):
        raise FileProblem(f"The {record['record']} record was changed: its hash does not match.", line)
    canonical = record.get("canonical")
    if canonical is not None and digest_of(str(canonical)) != record.get("digest"):
        raise FileProblem(f"The {record['record']} record's content does not match its digest.", line)
    return record


def _check_header(record: JSONObject, line: int) -> None:
    if (line == 1) != (record["record"] == "bundle"):
        raise FileProblem("A bundle begins with its header, and holds one.", line)
    if line == 1 and record.get("format") != FORMAT:
        raise FileProblem(f"The bundle has format {record.get('format')}; format {FORMAT} can be read.", line)
    if line == 1 and record.get("kind") not in KINDS:
        raise FileProblem(f"The bundle holds a {record.get('kind')}; known are {', '.join(KINDS)}.", line)


def _check_end(record: JSONObject, root: RootHash, line: int) -> None:
    if record.get("records") != root.count:
        raise FileProblem(f"The bundle has {root.count} records; its end says {record.get('records')}.", line)
    if record.get("root") != root.hexdigest():
        raise FileProblem("The root hash does not match the records.", line)
