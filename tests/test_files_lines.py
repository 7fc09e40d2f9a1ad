"""Opening files: encodings, bounds, and messages that name the line."""

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import canonical
from domain.canonical import JSON
from domain.names import is_name
from domain.names import shown as domain_shown
from pinset.files import FileProblem, open_source
from pinset.files.lines import json_items, json_lines
from pinset.files.names import is_legal, legal_name, shown
from pinset.files.tables import Fields, read_table
from pinset.files.values import canonical_text, digest_of

ROW = {"name": "a", "instruction": "Say hello.", "n": 1}


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def problem_of(path: Path) -> FileProblem:
    with pytest.raises(FileProblem) as caught:
        list(read_table(path, Fields()))
    return caught.value


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(ROW).encode(),
        b"\xef\xbb\xbf" + json.dumps(ROW).encode() + b"\n",
        b"\r\n" + json.dumps(ROW).encode() + b"\r\n\r\n",
        gzip.compress(json.dumps(ROW).encode(), mtime=0),
    ],
    ids=["plain", "byte order mark", "CRLF", "gzip"],
)
def test_a_row_reads_the_same_however_it_was_saved(tmp_path: Path, data: bytes) -> None:
    (row,) = read_table(written(tmp_path, "rows.jsonl", data), Fields())
    assert row.named_task() == {
        "name": "a",
        "task": {
            "spec": {"evaluator": {"intent": "Say hello.", "inputs": {"instruction": "Say hello."}}},
            "metadata": [{"key": "n", "value": 1}],
        },
    }


@pytest.mark.parametrize(
    ("name", "data", "line", "words"),
    [
        ("rows.jsonl", b"", None, "is empty"),
        ("rows.jsonl", json.dumps(ROW).encode("utf-16"), 1, "UTF-16"),
        ("rows.jsonl", json.dumps(ROW).encode("utf-16-le"), 1, "UTF-16"),
        ("rows.jsonl", b'{"name": "a", "instruction": "x"}\n{"name": \n', 2, "Not valid JSON"),
        ("rows.jsonl", b'{"name": "a", "instruction": "x", "s": NaN}\n', 1, "NaN"),
        ("rows.jsonl", b'{"name": "a", "instruction": "x", "s": -Infinity}\n', 1, "-Infinity"),
        ("rows.jsonl", b'{"name": "a", "instruction": "x", "s": 1e400}\n', 1, "too large"),
        ("rows.jsonl", b'{"name": "a", "instruction": "x", "s": 9223372036854775808}\n', 1, "64 bits"),
        ("rows.jsonl", b'{"name": "a", "instruction": "\\ud800"}\n', 1, "surrogate"),
        ("rows.jsonl", b'{"name": "a", "instruction": "\xff"}\n', 1, "0xff"),
        ("rows.jsonl", b"[" * 200_000, 1, "nests too deeply"),
        ("rows.jsonl", b'\n\n["a"]\n', 3, "holds a list"),
        ("rows.json", b'[\n {"name": "a", "instruction": "x"},\n {"name": }\n]', 3, "Not valid JSON"),
        ("rows.json", b'[{"name": "a", "instruction": "x"}\n 7]', 2, "must follow"),
        ("rows.json", b"[7]", 1, "must be a JSON object"),
        ("rows.json", b'{"name": "a", "instruction": "x"}\n{}', 2, "More text"),
        ("rows.json", b" \n ", None, "no JSON value"),
        ("rows.jsonl.gz", gzip.compress(json.dumps(ROW).encode(), mtime=0)[:-9], None, "damaged"),
        ("rows.jsonl", b'{"name": "a", "x": "' + b"x" * 17_000_000 + b'"}\n', 1, "longer than 16 MiB"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(
    tmp_path: Path, name: str, data: bytes, line: int | None, words: str
) -> None:
    problem = problem_of(written(tmp_path, name, data))
    assert (problem.line, words in problem.message) == (line, True), problem


def test_a_directory_and_a_missing_file_are_named(tmp_path: Path) -> None:
    assert "is a directory" in problem_of(tmp_path).message
    assert "does not exist" in problem_of(tmp_path / "none.jsonl").message
    with pytest.raises(FileProblem, match="without Harbor tasks"):
        open_source(tmp_path)
    with pytest.raises(FileProblem, match="cannot tell the format"):
        open_source(written(tmp_path, "tasks.xlsx", b"PK"))


def test_an_unreadable_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "rows.jsonl", b"{}")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert "Permission denied" in problem_of(path).message


@pytest.mark.slow
def test_a_large_file_is_read_with_bounded_memory(tmp_path: Path) -> None:
    row = json.dumps({"name": "n", "instruction": "x" * 200_000}).encode()
    lines, items = tmp_path / "large.jsonl", tmp_path / "large.json"
    lines.write_bytes((row + b"\n") * 1000)
    items.write_bytes(b"[" + b",".join([row] * 1000) + b"]")
    tracemalloc.start()
    assert sum(1 for _ in json_lines(lines)) == 1000
    assert sum(1 for _ in json_items(items)) == 1000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16_000_000


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.text(), VALUES, max_size=3), max_size=5), st.sampled_from([None, 0, 3]))
def test_items_of_an_array_read_back(tmp_path_factory: pytest.TempPathFactory, rows: list[object], indent: int) -> None:
    path = tmp_path_factory.mktemp("items") / "rows.json"
    path.write_text(json.dumps(rows, indent=indent), "utf-8")
    assert [row for _, row in json_items(path)] == rows


@given(st.text(max_size=300))
def test_names_follow_the_rule_of_the_server(text: str) -> None:
    assert is_legal(text) == is_name(text)
    assert shown(text) == domain_shown(text)
    if text:
        name = legal_name(text)
        assert is_name(name)
        assert legal_name(name) == name
        assert (name == text) == is_name(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [("HumanEval/0", "HumanEval-0"), ("a b/c", "a-b-c"), ("..", "--"), ("Größe", "Größe"), ("a\n", "a-")],
)
def test_the_stated_mapping_of_names(text: str, name: str) -> None:
    assert legal_name(text) == name


@given(VALUES)
def test_canonical_text_is_the_server_s(value: JSON) -> None:
    text = canonical_text(value)
    assert text == canonical.canonical_text(value)
    assert digest_of(text) == canonical.digest_of(text)
