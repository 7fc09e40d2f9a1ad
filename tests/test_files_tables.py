"""Generic rows: the mapping of fields, names, CSV, and what is refused."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinset.files import Fields, FileProblem, SourceKind, open_source
from pinset.files.sources import default_name
from pinset.files.tables import read_table, task_row
from pinset.files.values import JSONObject

HUMANEVAL = Path(__file__).parent.parent / "examples" / "HumanEval.jsonl.gz"
MAPPING = Fields(name="task_id", instruction="prompt", reference=("canonical_solution", "test"), extra=("entry_point",))


def test_humaneval_keeps_every_prompt() -> None:
    source = open_source(HUMANEVAL, MAPPING)
    assert (source.kind, source.name) == (SourceKind.TABLE, "HumanEval")
    rows = list(source.rows(MAPPING, "default", Path()))
    raw = [json.loads(line) for line in gzip.decompress(HUMANEVAL.read_bytes()).splitlines()]
    assert len(rows) == len(raw) == 164
    for row, entry in zip(rows, raw, strict=True):
        assert row.name == entry["task_id"].replace("/", "-")
        assert row.task == {
            "spec": {
                "evaluator": {
                    "intent": entry["prompt"],
                    "inputs": {"instruction": entry["prompt"], "extra": {"entry_point": entry["entry_point"]}},
                    "reference": {"canonical_solution": entry["canonical_solution"], "test": entry["test"]},
                }
            },
            "metadata": [{"key": "task_id", "value": entry["task_id"]}],
        }


def test_what_is_not_mapped_becomes_metadata_in_order() -> None:
    row = task_row({"z": 1, "name": "n", "a": {"b": None}, "instruction": "i"}, 1, Fields())
    assert row.task["metadata"] == [{"key": "z", "value": 1}, {"key": "a", "value": {"b": None}}]


def test_dotted_fields_reach_into_objects_and_a_plain_match_wins() -> None:
    entry: JSONObject = {"meta": {"id": 7, "kind": "x"}, "meta.id": "plain", "q": {"text": "i"}}
    mapping = Fields(name="meta.id", instruction="q.text", ignored=("none",))
    row = task_row(dict(entry), 1, mapping)
    assert (row.name, row.task["metadata"]) == ("plain", [{"key": "meta", "value": {"id": 7, "kind": "x"}}])
    del entry["meta.id"]
    row = task_row(dict(entry), 1, mapping)
    assert (row.name, row.task["metadata"]) == ("7", [{"key": "meta", "value": {"kind": "x"}}])


def test_references_stand_under_their_field_or_key_and_objects_are_merged() -> None:
    entry: JSONObject = {"name": "n", "instruction": "i", "answer": "Paris", "truth": {"expected": 1}}
    mapping = Fields(reference=("answer", "truth"), metrics=("m",), metrics_field="own")
    row = task_row({**entry, "own": ["w/x"]}, 1, mapping)
    assert row.task["spec"] == {
        "evaluator": {
            "intent": "i",
            "inputs": {"instruction": "i"},
            "reference": {"answer": "Paris", "expected": 1},
            "metrics": ["m", "w/x"],
        }
    }
    row = task_row(dict(entry), 1, Fields(reference=("expected=answer",), ignored=("truth",)))
    assert row.task["spec"] == {
        "evaluator": {"intent": "i", "inputs": {"instruction": "i"}, "reference": {"expected": "Paris"}}
    }


@pytest.mark.parametrize(
    ("entry", "mapping", "words"),
    [
        ({"id": "a", "x": 1}, Fields(), "no field 'name' to name the task by; it has id, x"),
        ({"name": True, "instruction": "i"}, Fields(), "non-empty string or an integer"),
        ({"name": "", "instruction": "i"}, Fields(), "non-empty string or an integer"),
        ({"name": "a"}, Fields(), "neither an instruction"),
        ({"name": "a", "instruction": 1}, Fields(), "must be a string; it is a number"),
        ({"name": "a", "instruction": "i", "m": [1]}, Fields(metrics_field="m"), "list of references"),
    ],
)
def test_a_row_that_does_not_fit_the_mapping_is_refused(entry: JSONObject, mapping: Fields, words: str) -> None:
    with pytest.raises(FileProblem, match=words) as caught:
        task_row(entry, 9, mapping)
    assert caught.value.line == 9


def test_names_that_collide_are_refused_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"name": name, "instruction": "i"} for name in ("a/1", "b", "a 1")]
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(FileProblem, match=r"^line 3: 'a 1' would be stored as 'a-1', as is 'a/1' on line 1"):
        list(read_table(path, Fields()))


def test_csv_cells_are_texts_and_quoted_line_ends_survive(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b'\xef\xbb\xbfname,instruction,level\r\na,"one\r\ntwo, three",1\r\nb,i,\r\n')
    first, second = open_source(path).rows(Fields(), "default", tmp_path)
    assert (first.line, second.line) == (2, 4)
    assert first.task == {
        "spec": {"evaluator": {"intent": "one\r\ntwo, three", "inputs": {"instruction": "one\r\ntwo, three"}}},
        "metadata": [{"key": "level", "value": "1"}],
    }
    assert second.task["metadata"] == []


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"name,instruction\na,b,c\n", 2, "3 cells; the header has 2"),
        (b"name,name\na,b\n", 1, "twice"),
        (b'name,instruction\na,"b\n', 2, "Not valid CSV"),
        (b"name,instruction\na,i\na,i\n", 3, "line 2 already"),
    ],
)
def test_a_bad_csv_file_is_refused_with_its_line(tmp_path: Path, data: bytes, line: int, words: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(data)
    with pytest.raises(FileProblem, match=words) as caught:
        list(read_table(path, Fields()))
    assert caught.value.line == line


@given(st.lists(st.tuples(st.from_regex(r"[\w.\-]{1,20}", fullmatch=True), st.text(max_size=30)), max_size=8))
def test_any_rows_keep_their_order_and_pairing(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    names = dict(pair for pair in pairs if pair[0] not in (".", ".."))
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    path.write_text("".join(json.dumps({"name": n, "instruction": i}) + "\n" for n, i in names.items()) or "\n")
    rows = list(read_table(path, Fields()))
    assert [(row.name, row.task["spec"]) for row in rows] == [
        (n, {"evaluator": {"intent": i, "inputs": {"instruction": i}}}) for n, i in names.items()
    ]


@pytest.mark.parametrize(
    ("file", "name"), [("a.b.jsonl.gz", "a.b"), ("set.csv", "set"), ("my set.json", "my-set"), ("tasks", "tasks")]
)
def test_a_taskset_is_named_after_its_file(file: str, name: str) -> None:
    assert default_name(Path(file)) == name
