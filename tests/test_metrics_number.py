"""Number check: the last number of each text, and no number at all."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.metrics import MetricType
from domain.trials import TrialStatus
from evaluation.metrics.number import last_number
from tests.test_metrics_text import score


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("42", 42),
        ("first 1, then 2", 2),
        ("The answer is 42.", 42),
        ("x = -3.5", -3.5),
        ("10-5", 5),
        ("(-7)", -7),
        ("5 - 3", 3),
        ("−4", -4),
        ("$1,234.50 in total", 1234.5),
        ("1,234,567", 1234567),
        ("3,14", 14),
        ("1,2345", 2345),
        ("6.02e23", 6.02e23),
        ("1E-3 s", 0.001),
        (".5", 0.5),
        ("100%", 100),
        ("007", 7),
        ("٣", 3),
        ("version 3.11 of 2", 2),
        ("", None),
        ("none", None),
        ("NaN", None),
        ("Infinity", None),
        ("1e999", None),
    ],
)
def test_the_last_number(text: str, expected: float | None) -> None:
    assert last_number(text) == expected


@given(st.text())
def test_a_number_is_finite_or_none(text: str) -> None:
    number = last_number(text)
    assert number is None or math.isfinite(number)


@given(st.integers(), st.text(alphabet="abc xyz.,!"))
def test_a_number_is_found_in_words(number: int, words: str) -> None:
    assert last_number(f"{words} {number}") == float(number)


@pytest.mark.parametrize(
    ("operation", "left", "right", "expected"),
    [
        ("equals", "it is 4", "2 + 2 = 4.0", 1),
        ("equals", "4", "5", 0),
        ("not equals", "4", "5", 1),
        (">", "5", "4", 1),
        (">", "4", "4", 0),
        (">=", "4", "4", 1),
        ("<", "4", "5", 1),
        ("<=", "5", "4", 0),
    ],
)
def test_relations(operation: str, left: str, right: str, expected: int) -> None:
    config = {"operation": operation, "left_template": "{{ item.output }}", "right_template": "{{ item.right }}"}
    found = score(MetricType.NUMBER_CHECK, left, config, right=right)
    assert (found.status, found.values[0].value) == (TrialStatus.COMPLETED, expected)


@pytest.mark.parametrize(("right", "expected"), [("10.5", 1), ("11", 0), ("9.5", 1)])
def test_absolute_difference(right: str, expected: int) -> None:
    config = {
        "operation": "absolute difference",
        "left_template": "{{ item.output }}",
        "right_template": right,
        "epsilon": 0.5,
    }
    assert score(MetricType.NUMBER_CHECK, "10", config).values[0].value == expected


@pytest.mark.parametrize(("output", "side"), [("I do not know", "left"), ("", "left"), ("nan", "left")])
def test_a_text_without_number_has_no_score_and_a_diagnostic(output: str, side: str) -> None:
    config = {"operation": "not equals", "left_template": "{{ item.output }}", "right_template": "1"}
    found = score(MetricType.NUMBER_CHECK, output, config)
    assert found.status is TrialStatus.PARTIAL
    assert [(one.name, one.value) for one in found.values] == [("number-check", None)]
    assert len(found.diagnostics) == 1
    assert side in found.diagnostics[0].message
