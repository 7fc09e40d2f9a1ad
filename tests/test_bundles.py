"""Bundles: every byte is covered, the first mismatch is named, and records move to another workspace."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import canonical
from domain.content import check_task
from interop.drafts import task_draft
from pinset.files import FileProblem, SourceKind, open_source
from pinset.files.bundles import (
    bundle_kind,
    content_of,
    header,
    read_bundle,
    verify_bundle,
    with_digest,
    write_bundle,
)
from pinset.files.platform import task_input
from pinset.files.rewriting import moved
from pinset.files.tables import Fields
from pinset.files.values import JSONObject

CONTENT: Any = {
    "metadata": [{"key": "suite", "value": "geography"}],
    "spec": {
        "inputs": {"instruction": "What is the capital of Japan?"},
        "intent": "Größe",
        "kind": "evaluator",
        "metrics": ["default/exact"],
        "reference": {"x": 1.0, "y": 9007199254740993},
        "views": {},
    },
}
METRIC: Any = {"config": {"candidate": None, "reference": "{{item.expected}}"}, "outputs": [], "type": "exact-match"}


def records(workspace: str = "default", other: str = "default") -> list[JSONObject]:
    task = with_digest({"record": "task", "workspace": workspace, "name": "japan"}, CONTENT)
    second = with_digest({"record": "task", "workspace": other, "name": "france"}, {**CONTENT, "metadata": []})
    pins = [f"{workspace}/japan#{task['digest']}", f"{other}/france#{second['digest']}"]
    content: Any = {"description": None, "files_ref": "default/f#p", "metadata": [], "tasks": sorted(pins)}
    return [
        header("taskset", "default", "suite"),
        with_digest({"record": "metric", "workspace": "default", "name": "exact"}, METRIC),
        task,
        second,
        with_digest({"record": "taskset", "workspace": "default", "name": "suite", "members": [*pins]}, content),
    ]


def bundle(given_records: list[JSONObject]) -> bytes:
    stream = io.BytesIO()
    write_bundle(given_records, stream)
    return stream.getvalue()


BUNDLE = bundle(records())


def test_a_bundle_reads_back_with_its_root_hash(tmp_path: Path) -> None:
    path = tmp_path / "suite.jsonl"
    path.write_bytes(BUNDLE)
    read = [{key: value for key, value in record.items() if key != "hash"} for _, record in read_bundle(path)]
    assert read == records()
    root, count = verify_bundle(path)
    hashes = [json.loads(line)["hash"] for line in BUNDLE.splitlines()[:-1]]
    assert count == 5
    assert root == canonical.digest_of(canonical.canonical_text({"format": 1, "records": list(hashes)}))
    assert json.loads(BUNDLE.splitlines()[-1])["root"] == root
    assert (bundle_kind(path), open_source(path).kind) == ("taskset", SourceKind.BUNDLE)
    with pytest.raises(FileProblem, match="pinset import"):
        open_source(path).rows(Fields(), "default", tmp_path)
    path.write_bytes(gzip.compress(BUNDLE))
    assert verify_bundle(path) == (root, 5)


def test_the_content_of_a_record_keeps_its_digest_through_the_api_s_input() -> None:
    record = records()[2]
    checked = check_task(task_draft(task_input(content_of(record))), "elsewhere")
    assert (checked.digest, checked.text) == (record["digest"], record["canonical"])


@settings(max_examples=300)
@given(st.integers(0, len(BUNDLE) - 1), st.integers(1, 255))
def test_any_changed_byte_is_refused_on_its_line(
    tmp_path_factory: pytest.TempPathFactory, place: int, change: int
) -> None:
    path = tmp_path_factory.mktemp("bundle") / "b.jsonl"
    changed = bytearray(BUNDLE)
    changed[place] ^= change
    path.write_bytes(changed)
    with pytest.raises(FileProblem) as caught:
        verify_bundle(path)
    assert caught.value.line == BUNDLE.count(b"\n", 0, place) + 1


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        (BUNDLE.splitlines(True)[:-1], 6, "ends early"),
        (BUNDLE.splitlines(True)[1:], 1, "begins with its header"),
        ([*BUNDLE.splitlines(True), b"{}\n"], 7, "More text follows"),
        ([line for i, line in enumerate(BUNDLE.splitlines(True)) if i != 2], 5, "has 4 records"),
        ([BUNDLE.splitlines(True)[i] for i in (0, 1, 3, 2, 4, 5)], 6, "root hash"),
        ([b"[]\n"], 1, "no record"),
        ([b"{\n"], 1, "Not valid JSON"),
        (bundle([{**records()[0], "format": 2}]).splitlines(True), 1, "format 2"),
        (bundle([{**records()[0], "kind": "x"}]).splitlines(True), 1, "known are taskset, job"),
        (bundle([records()[0], {**records()[2], "digest": "0" * 64}]).splitlines(True), 2, "match its digest"),
    ],
)
def test_a_bundle_that_is_not_whole_is_refused(tmp_path: Path, lines: list[bytes], line: int, words: str) -> None:
    path = tmp_path / "b.jsonl"
    path.write_bytes(b"".join(lines))
    with pytest.raises(FileProblem, match=words) as caught:
        verify_bundle(path)
    assert caught.value.line == line


def test_records_move_to_another_workspace_with_every_reference() -> None:
    metric, task, second, taskset = moved(list(enumerate(records(), 1)), "team")
    assert [place.new.partition("#")[0] for place in (metric, task, second, taskset)] == [
        "team/exact",
        "team/japan",
        "team/france",
        "team/suite",
    ]
    assert metric.new.partition("#")[2] == metric.old.partition("#")[2]
    assert task.new.partition("#")[2] != task.old.partition("#")[2]
    spec: Any = content_of(task.record)["spec"]
    assert spec["metrics"] == ["team/exact"]
    assert taskset.record["members"] == [task.new, second.new]
    assert content_of(taskset.record) == {
        "description": None,
        "files_ref": "team/f#p",
        "metadata": [],
        "tasks": sorted([task.new, second.new]),
    }
    same = list(moved(list(enumerate(records(), 1)), "default"))
    assert [(place.old, place.record) for place in same] == [
        (place.new, record) for place, record in zip(same, records()[1:], strict=True)
    ]


def test_one_name_out_of_two_workspaces_cannot_move_to_one() -> None:
    twice = records("a", "b")
    twice[3] = {**twice[3], "name": "japan"}
    with pytest.raises(FileProblem, match=r"^line 4: 'japan' comes from two workspaces \(line 3"):
        list(moved(list(enumerate(twice, 1)), "team"))


def test_a_pin_that_the_bundle_does_not_hold_is_named() -> None:
    with pytest.raises(FileProblem, match="pins default/france#"):
        list(moved([entry for entry in enumerate(records(), 1) if entry[0] != 4], "team"))
