"""The printed schema offers everything that the contract promises, exactly as it is written there."""

from collections.abc import Iterator
from pathlib import Path

from graphql import (
    DocumentNode,
    InputValueDefinitionNode,
    Node,
    parse,
    print_ast,
    strip_ignored_characters,
)

from schema.export import TARGET, printed

CONTRACT = parse((Path(__file__).parent / "contract.graphql").read_text(encoding="utf-8"), no_location=True)
OFFERED = parse(printed(), no_location=True)


def _lines(document: DocumentNode) -> Iterator[str]:
    """One line for each promise: a type and what it implements, a field, an argument, a value, a directive."""
    for definition in document.definitions:
        name = definition.name.value  # type: ignore[attr-defined]
        yield f"{definition.kind} {name}{_directives(definition)}"
        for interface in getattr(definition, "interfaces", None) or ():
            yield f"{name} implements {interface.name.value}"
        for value in getattr(definition, "values", None) or ():
            yield f"{name}.{value.name.value}"
        for field in getattr(definition, "fields", None) or ():
            if isinstance(field, InputValueDefinitionNode):
                yield f"{name}.{_input(field)}"
                continue
            yield f"{name}.{field.name.value}: {print_ast(field.type)}{_directives(field)}"
            for argument in field.arguments or ():
                yield f"{name}.{field.name.value}({_input(argument)})"


def _input(node: InputValueDefinitionNode) -> str:
    default = "" if node.default_value is None else f" = {print_ast(node.default_value)}"
    return f"{node.name.value}: {print_ast(node.type)}{default}{_directives(node)}"


def _directives(node: Node) -> str:
    return "".join(f" {strip_ignored_characters(print_ast(each))}" for each in getattr(node, "directives", None) or ())


OFFERS = set(_lines(OFFERED))


def test_the_schema_keeps_every_promise() -> None:
    promises = set(_lines(CONTRACT))
    assert len(promises) > 700
    assert promises - OFFERS == set()


def test_arguments_without_a_default_in_the_contract_show_none() -> None:
    assert "= null" not in printed()


def test_the_exported_file_is_what_the_code_prints() -> None:
    assert TARGET.read_text(encoding="utf-8") == printed(), "run: python -m schema.export"


def test_the_export_is_the_same_every_time() -> None:
    assert printed() == printed()
