"""Every element of the schema says what it is."""

from collections.abc import Iterator

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    is_introspection_type,
    is_specified_directive,
    is_specified_scalar_type,
)

from schema.build import build_schema

SCHEMA = build_schema()._schema


def _elements() -> Iterator[tuple[str, str | None]]:
    for name, type_ in SCHEMA.type_map.items():
        if is_introspection_type(type_) or is_specified_scalar_type(type_):
            continue
        yield name, type_.description
        yield from _parts(name, type_)
    for directive in SCHEMA.directives:
        if not is_specified_directive(directive):
            yield f"@{directive.name}", directive.description


def _parts(name: str, type_: GraphQLNamedType) -> Iterator[tuple[str, str | None]]:
    if isinstance(type_, GraphQLEnumType):
        for value, definition in type_.values.items():
            yield f"{name}.{value}", definition.description
    if isinstance(type_, GraphQLInputObjectType):
        for field, input_field in type_.fields.items():
            yield f"{name}.{field}", input_field.description
    if isinstance(type_, GraphQLObjectType | GraphQLInterfaceType):
        for field, output_field in type_.fields.items():
            yield f"{name}.{field}", output_field.description
            for argument, definition in output_field.args.items():
                yield f"{name}.{field}({argument})", definition.description


ELEMENTS = dict(_elements())


def test_every_element_has_a_description() -> None:
    assert len(ELEMENTS) > 400
    assert [name for name, text in ELEMENTS.items() if not text] == []


def test_descriptions_are_sentences() -> None:
    endings = (".", ":", "`")
    assert [name for name, text in ELEMENTS.items() if text and (text != text.strip() or text[-1] not in endings)] == []


def test_types_do_not_share_a_description() -> None:
    texts: dict[str, str] = {}
    for name, text in ELEMENTS.items():
        if "." not in name and text:
            assert texts.setdefault(text, name) == name, f"{name} is described like {texts[text]}"
