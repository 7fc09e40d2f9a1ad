"""The scalars at the door: one value for one content, however it is sent, and a clear refusal for the rest."""

import asyncio
import json
import math
from datetime import UTC, datetime
from typing import Any

import pytest
from graphql import GraphQLError, parse_value
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.content import EvaluatorDraft, TaskDraft, check_task
from schema.scalars import (
    parse_big_integer,
    parse_big_integer_literal,
    parse_json_literal,
    parse_json_value,
    parse_time,
    parse_time_literal,
    serialize_time,
)
from tests.operations import run

pytestmark = pytest.mark.anyio

DIGEST = """
query ($reference: JSON) {
  digestOf(content: {task: {spec: {evaluator: {intent: "i", reference: $reference}}}})
}
"""

NAMES = st.from_regex(r"[_A-Za-z][_A-Za-z0-9]{0,8}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


def _literal(value: Any, parts: list[Any] | None = None, draw: Any = None) -> str:
    """A value as GraphQL writes it; with `parts`, some of it moves there and is named by variables."""
    if parts is not None and draw(st.integers(0, 3)) == 0:
        parts.append(value)
        return f"$v{len(parts) - 1}"
    if isinstance(value, list):
        return f"[{', '.join(_literal(item, parts, draw) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_literal(item, parts, draw)}' for key, item in value.items())}}}"
    return json.dumps(value)


def _document(literal: str, count: int = 0) -> str:
    declared = ", ".join(f"$v{index}: JSON" for index in range(count))
    body = f'{{digestOf(content: {{task: {{spec: {{evaluator: {{intent: "i", reference: {literal}}}}}}}}})}}'
    return f"query({declared}) {body}" if declared else body


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(NAMES, VALUES, max_size=4), st.data())
def test_a_literal_a_variable_and_parts_have_one_digest(reference: dict[str, Any], draws: st.DataObject) -> None:
    async def answers() -> list[Any]:
        parts: list[Any] = []
        split = _literal(reference, parts, draws.draw)
        named = {f"v{index}": part for index, part in enumerate(parts)}
        return [
            await run(_document(_literal(reference))),
            await run(DIGEST, {"reference": reference}),
            await run(_document(split, len(parts)), named),
        ]

    digest = check_task(TaskDraft(EvaluatorDraft("i", reference=reference)), "default").digest
    assert asyncio.run(answers()) == [{"data": {"digestOf": digest}}] * 3


@settings(deadline=None)
@given(VALUES)
def test_a_literal_keeps_its_value_and_its_number_types(value: Any) -> None:
    read = parse_json_literal(parse_value(_literal(value)))
    assert json.dumps(read) == json.dumps(value)


def test_a_key_whose_variable_was_not_sent_is_left_out() -> None:
    literal = parse_value("{a: $sent, b: $unsent, c: [$unsent, $null]}")
    assert parse_json_literal(literal, {"sent": 1, "null": None}) == {"a": 1, "c": [None, None]}


def test_null_stays_apart_from_absent() -> None:
    assert parse_json_literal(parse_value("{a: null, b: $null}"), {"null": None}) == {"a": None, "b": None}


REFUSED_LITERALS = {
    "{a: [RED]}": ["a", 0],
    "{a: 9223372036854775808}": ["a"],
    "{a: -9223372036854775809}": ["a"],
    f"{{a: [0, {'9' * 5000}]}}": ["a", 1],
    "{a: {b: 1e400}}": ["a", "b"],
    "{a: -1e400}": ["a"],
}


@pytest.mark.parametrize(("literal", "path"), REFUSED_LITERALS.items(), ids=lambda value: str(value)[:30])
async def test_a_bad_literal_is_refused_with_its_path(literal: str, path: list[str | int]) -> None:
    answer = await run(_document(literal))
    assert "data" not in answer
    assert len(answer["errors"]) == 1
    assert answer["errors"][0]["extensions"] == {"code": "BAD_USER_INPUT", "valuePath": path}
    assert ".".join(map(str, path)) in answer["errors"][0]["message"]


REFUSED_VALUES: list[tuple[Any, list[str | int]]] = [
    ({"a": math.nan}, ["a"]),
    ({"a": [1, math.inf]}, ["a", 1]),
    ({"a": -math.inf}, ["a"]),
    ({"a": 2**63}, ["a"]),
    ({"a": -(2**63) - 1}, ["a"]),
    ({"a": {"b": "\ud800"}}, ["a", "b"]),
    ({"a": {"\udfff": 1}}, ["a"]),
]


@pytest.mark.parametrize(("value", "path"), REFUSED_VALUES, ids=[str(index) for index in range(len(REFUSED_VALUES))])
async def test_a_bad_variable_is_refused_with_its_path(value: Any, path: list[str | int]) -> None:
    answer = await run(DIGEST, {"reference": value})
    assert "data" not in answer
    assert [error["extensions"] for error in answer["errors"]] == [{"code": "BAD_USER_INPUT", "valuePath": path}]


async def test_a_bad_variable_inside_an_input_object_names_the_input_and_the_place() -> None:
    document = "query($content: DigestInput!) {digestOf(content: $content)}"
    spec = {"evaluator": {"intent": "i", "reference": {"a": [2**63]}}}
    answer = await run(document, {"content": {"task": {"spec": spec}}})
    assert len(answer["errors"]) == 1
    assert "$content" in answer["errors"][0]["message"]
    assert "task.spec.evaluator.reference" in answer["errors"][0]["message"]
    assert answer["errors"][0]["extensions"]["valuePath"] == ["a", 0]


async def test_nesting_over_64_levels_is_refused() -> None:
    def nested(levels: int) -> Any:
        return {"a": nested(levels - 1)} if levels else 1

    assert "errors" not in await run(DIGEST, {"reference": nested(60)})
    answer = await run(DIGEST, {"reference": nested(65)})
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["BAD_USER_INPUT"]


async def test_two_keys_of_one_name_are_refused() -> None:
    answer = await run(_document("{a: 1, a: 2}"))
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["GRAPHQL_VALIDATION_FAILED"]


async def test_an_enumeration_does_not_slip_in_as_a_variable() -> None:
    content = '{task: {spec: {evaluator: {intent: "i", reference: {k: $kind}}}}}'
    document = f"query($kind: TaskKind) {{digestOf(content: {content})}}"
    answer = await run(document, {"kind": "HARBOR"})
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["BAD_USER_INPUT"]


@pytest.mark.parametrize("text", ["a\x00b", "\U0001f9ea", "é\u0301", "", "$set", "a.b"])
def test_texts_and_keys_are_kept_as_they_are(text: str) -> None:
    assert parse_json_value({text: [text]}) == {text: [text]}
    assert parse_json_literal(parse_value(json.dumps(text))) == text


TIMES = {
    "2026-01-31T12:00:00Z": "2026-01-31T12:00:00.000Z",
    "2026-01-31t12:00:00.5z": "2026-01-31T12:00:00.500Z",
    "2026-01-31T12:00:00.123999+02:00": "2026-01-31T10:00:00.123Z",
    "2024-02-29T23:59:59-00:30": "2024-03-01T00:29:59.000Z",
}


@pytest.mark.parametrize(("text", "shown"), TIMES.items())
def test_times_are_read_by_rfc_3339_and_shown_in_utc(text: str, shown: str) -> None:
    assert serialize_time(parse_time(text)) == shown
    assert parse_time_literal(parse_value(json.dumps(text))) == parse_time(text)


@pytest.mark.parametrize(
    "value",
    ["2026-01-31", "2026-01-31T12:00:00", "2026-02-30T12:00:00Z", "2026-01-31T25:00:00Z", "now", "", 5, None, True],
)
def test_what_is_not_a_time_is_refused(value: object) -> None:
    with pytest.raises(GraphQLError) as caught:
        parse_time(value)
    assert (caught.value.extensions or {})["code"] == "BAD_USER_INPUT"


def test_a_time_beyond_the_calendar_is_refused() -> None:
    with pytest.raises(GraphQLError):
        parse_time("0001-01-01T00:00:00+10:00")
    assert parse_time("0001-01-01T00:00:00Z") == datetime(1, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("value", [0, 2**53, -(2**53), 5.0])
def test_a_big_integer_is_kept(value: float) -> None:
    assert parse_big_integer(value) == value


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 1.5, True, "5", None])
def test_what_is_not_a_big_integer_is_refused(value: object) -> None:
    with pytest.raises(GraphQLError):
        parse_big_integer(value)


@pytest.mark.parametrize("literal", ["9" * 5000, "1.0", '"5"', "true", "9007199254740993"])
def test_what_is_not_a_big_integer_literal_is_refused(literal: str) -> None:
    assert parse_big_integer_literal(parse_value("9007199254740992")) == 2**53
    with pytest.raises(GraphQLError):
        parse_big_integer_literal(parse_value(literal))
