"""HUD rows: slugs, columns, the older shape, and round trips."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinset.files import FileProblem, SourceKind, open_source
from pinset.files.hud import default_slug, hud_row, read_hud, task_row, write_hud
from pinset.files.values import JSONObject

EXAMPLE = Path(__file__).parent.parent / "examples" / "letter-count.hud.jsonl"


def content_of(task: JSONObject) -> JSONObject:
    """What the server stores of a template task: the platform's field names, absent fields null."""
    spec: Any = task["spec"]
    given_spec = spec["template"]
    return {
        "metadata": task["metadata"],
        "spec": {
            "kind": "template",
            "env": given_spec["env"],
            "template": given_spec["template"],
            "args": given_spec["args"],
            "agent_config": given_spec.get("agentConfig"),
            "runtime_config": given_spec.get("runtimeConfig"),
            "validation": given_spec.get("validation"),
        },
    }


@pytest.mark.parametrize(
    ("args", "slug"),
    [
        ({}, "count_letter"),
        ({"word": "strawberry"}, "count_letter-f624d1ae"),
        ({"word": "raspberry"}, "count_letter-9add9630"),
        ({"word": "blueberry"}, "count_letter-b719ab35"),
    ],
)
def test_the_default_slug(args: JSONObject, slug: str) -> None:
    assert default_slug("count_letter", args) == slug


def test_the_example_reads_and_writes_back_equal(tmp_path: Path) -> None:
    assert open_source(EXAMPLE).kind is SourceKind.HUD
    rows = list(read_hud(EXAMPLE))
    assert [(row.line, row.name) for row in rows] == [
        (1, "count-straw"),
        (2, "count_letter-9add9630"),
        (4, "count-blue"),
    ]
    assert rows[1].task == {
        "spec": {"template": {"env": "letter-count", "template": "count_letter", "args": {"word": "raspberry"}}},
        "metadata": [{"key": "difficulty", "value": "easy"}, {"key": "length", "value": 9}],
    }
    written = [hud_row(row.name, content_of(row.task)) for row in rows]
    assert written == [json.loads(line) for line in EXAMPLE.read_text().splitlines() if line]
    for as_array, name in ((True, "rows.json"), (False, "rows.jsonl")):
        stream = io.StringIO()
        assert write_hud(written, stream, as_array) == 3
        (tmp_path / name).write_text(stream.getvalue())
        assert [row.named_task() for row in read_hud(tmp_path / name)] == [row.named_task() for row in rows]


def test_no_rows_are_an_empty_array() -> None:
    stream = io.StringIO()
    assert write_hud([], stream, as_array=True) == 0
    assert json.loads(stream.getvalue()) == []


def test_a_slug_that_is_no_name_is_kept_in_the_metadata() -> None:
    row = task_row({"env": "e", "id": "t", "slug": "a/b", "columns": {"c": None}}, 1)
    assert row.name == "a-b"
    assert row.task["metadata"] == [{"key": "c", "value": None}, {"key": "hud.slug", "value": "a/b"}]
    assert hud_row(row.name, content_of(row.task)) == {
        "env": "e",
        "id": "t",
        "args": {},
        "slug": "a/b",
        "columns": {"c": None},
    }


def test_two_slugs_that_reach_one_name_are_refused_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"env": "e", "id": "t", "slug": "a/b"}\n\n{"env": "e", "id": "t", "slug": "a b"}\n')
    with pytest.raises(FileProblem, match=r"^line 3: 'a b' would be stored as 'a-b', as is 'a/b' on line 1"):
        list(read_hud(path))
    path.write_text('{"env": "e", "id": "t"}\n{"env": "f", "id": "t"}\n')
    with pytest.raises(FileProblem, match=r"^line 2: The name 't' stands on line 1 already"):
        list(read_hud(path))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"env": {"name": "browser"}, "scenario": "checkout", "args": {}}, "version 5"),
        ({"env": {"name": "browser"}, "id": "checkout"}, "env as an object"),
        ({"prompt": "Go", "mcp_config": {}}, "version 5 \\(prompt, mcp_config\\)"),
        ({"env": "e", "id": "t", "verifier": {"env": "e", "id": "v"}}, "verifier"),
        ({"env": "", "id": "t"}, "`env` must be a non-empty string"),
        ({"env": "e", "id": 7}, "`id` must be a non-empty string; it is a number"),
        ({"env": "e", "id": "t", "args": []}, "`args` must be an object; it is a list"),
        ({"env": "e", "id": "t", "slug": ""}, "`slug` may not be empty"),
        ({"env": "e", "id": "t", "validation": [1]}, "validation\\[0\\]"),
        ({"env": "e", "id": "t", "colums": {}}, "no field `colums`"),
        ({"env": "e", "id": "t", "columns": {"hud.slug": "x"}}, "reserved"),
    ],
)
def test_a_row_of_another_shape_is_refused(row: JSONObject, words: str) -> None:
    with pytest.raises(FileProblem, match=words) as caught:
        task_row(row, 5)
    assert caught.value.line == 5


def test_only_template_tasks_are_written_as_rows() -> None:
    with pytest.raises(FileProblem, match="no template task"):
        hud_row("a", {"metadata": [], "spec": {"kind": "evaluator"}})


TEXT = st.text(min_size=1, max_size=20)
VALUE = st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=10) | st.lists(st.integers(0, 9))
OBJECT = st.dictionaries(st.text(max_size=10), VALUE, max_size=4)


@st.composite
def hud_rows(draw: st.DrawFn) -> dict[str, Any]:
    row: dict[str, Any] = {"env": draw(TEXT), "id": draw(TEXT), "args": draw(OBJECT)}
    optional = {"slug": TEXT, "columns": OBJECT.filter(bool), "agent_config": OBJECT, "runtime_config": OBJECT}
    for field, values in {**optional, "validation": st.lists(OBJECT, max_size=3)}.items():
        if draw(st.booleans()):
            row[field] = draw(values)
    if "hud.slug" in row.get("columns", {}) or row.get("slug") == default_slug(row["id"], row["args"]):
        del row["slug" if "slug" in row else "columns"]
    return row


@given(hud_rows())
def test_any_row_is_equal_after_a_round_trip(row: dict[str, Any]) -> None:
    read = task_row(dict(row), 1)
    assert hud_row(read.name, content_of(read.task)) == row
