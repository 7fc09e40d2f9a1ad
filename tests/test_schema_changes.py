"""The tools around the schema: what breaks clients is named, and every document a client ever sent stays valid."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from pinset.command import build
from schema.changes import RELEASED, Level, breaking, changes, problems
from schema.export import printed
from tests.command_line import SERVER_COMMANDS

COMPAT = Path(__file__).with_name("compat")
OLD = "type Query { a(x: Int): Int b: E } enum E { ONE TWO }"

app = build(SERVER_COMMANDS)


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["schema", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("new", "level"),
    [
        ("type Query { a(x: Int): Int b: E c: Int } enum E { ONE TWO }", Level.SAFE),
        ("type Query { a(x: Int): Int b: E } enum E { ONE TWO THREE }", Level.DANGEROUS),
        ("type Query { a(x: Int): Int } enum E { ONE TWO }", Level.BREAKING),
        ("type Query { a(x: Int!): Int b: E } enum E { ONE TWO }", Level.BREAKING),
        ("type Query { a: Int b: E } enum E { ONE TWO }", Level.BREAKING),
        ("type Query { a(x: Int): Int b: E } enum E { ONE }", Level.BREAKING),
    ],
)
def test_changes_have_a_level(new: str, level: Level) -> None:
    assert [change.level for change in changes(OLD, new)] == [level]


def test_the_code_breaks_no_client_of_the_last_release() -> None:
    assert breaking(changes(RELEASED.read_text("utf-8"), printed())) == []


def test_every_document_of_released_clients_is_valid() -> None:
    assert len(list(COMPAT.rglob("*.graphql"))) >= 5
    assert list(problems(COMPAT, printed())) == []


def test_export(tmp_path: Path) -> None:
    assert run("export") == (0, printed())
    assert run("export", "--out", tmp_path / "schema.graphql") == (0, "")
    assert (tmp_path / "schema.graphql").read_text("utf-8") == printed()


def test_check_names_file_line_and_problem(tmp_path: Path) -> None:
    (tmp_path / "good.graphql").write_text("{ viewer { name } }")
    assert run("check", tmp_path) == (0, "")
    (tmp_path / "bad.graphql").write_text("{\n  nothing\n}")
    (tmp_path / "worse.gql").write_text("{")
    code, output = run("check", tmp_path)
    assert code == 1
    assert "bad.graphql:2: Cannot query field 'nothing'" in output
    assert "worse.gql:1: Syntax Error" in output


def test_diff_fails_on_a_breaking_change_alone(tmp_path: Path) -> None:
    old, new = tmp_path / "old.graphql", tmp_path / "new.graphql"
    old.write_text(OLD)
    new.write_text(OLD.replace("b: E", "b: E c: Int"))
    assert run("diff", old, new) == (0, "safe: Field Query.c was added.\n")
    code, output = run("diff", new, old)
    assert code == 1
    assert output == "breaking: Field Query.c was removed.\n"
    new.write_text("not a schema")
    code, output = run("diff", old, new)
    assert code == 1
    assert "The new schema cannot be read" in output
