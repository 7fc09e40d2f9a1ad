"""What is written by `client/generate.py` follows the schema and the asynchronous client."""

import ast
import importlib.util
from pathlib import Path

import pytest
from graphql import OperationDefinitionNode, build_schema, parse, validate

CLIENT = Path(__file__).parent.parent / "client"
PACKAGE = CLIENT / "pinset"
SCHEMA = Path(__file__).parent.parent / "schema" / "schema.graphql"
MODULES = sorted(path.name for path in (PACKAGE / "asynchronous").glob("*.py") if path.name != "__init__.py")

spec = importlib.util.spec_from_file_location("generate", CLIENT / "generate.py")
assert spec is not None
assert spec.loader is not None
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)


def test_every_operation_is_valid_against_the_schema() -> None:
    text = "\n".join(path.read_text() for path in sorted((CLIENT / "operations").glob("*.graphql")))
    assert validate(build_schema(SCHEMA.read_text()), parse(text)) == []


def test_the_generated_client_has_every_operation() -> None:
    names = {
        definition.name.value
        for path in (CLIENT / "operations").glob("*.graphql")
        for definition in parse(path.read_text()).definitions
        if isinstance(definition, OperationDefinitionNode) and definition.name is not None
    }
    calls = list(ast.walk(ast.parse((PACKAGE / "generated" / "client.py").read_text())))
    generated = {
        keyword.value.value
        for node in calls
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "operation_name" and isinstance(keyword.value, ast.Constant)
    }
    assert generated == names


def statements(text: str) -> list[str]:
    body = ast.parse(text).body
    return [ast.dump(node) for node in body if not isinstance(node, ast.Import | ast.ImportFrom)]


@pytest.mark.parametrize("name", [*MODULES, "operations.py"])
def test_the_synchronous_client_is_the_asynchronous_one(name: str) -> None:
    original = PACKAGE / "generated" / "client.py" if name == "operations.py" else PACKAGE / "asynchronous" / name
    written = PACKAGE / "synchronous" / name
    assert statements(written.read_text()) == statements(generate.synchronous(original.read_text()))
