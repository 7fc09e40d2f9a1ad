"""Text metrics by hand, and BLEU and ROUGE against their libraries."""

import json
from typing import Any

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from domain.metrics import MetricType, check_metric
from domain.trials import Score, TrialOutcome, TrialStatus
from evaluation.metrics import local
from evaluation.metrics.measurement import Sample
from evaluation.metrics.text import corpus_bleu, f1_of, normalised
from evaluation.rows import Work, scoring_context


def score(type: MetricType, output: str | None, config: dict[str, Any], **reference: Any) -> Score:
    spec = {"intent": "x", "inputs": {"instruction": None}, "kind": "evaluator", "reference": reference}
    work = Work("task", json.dumps({"metadata": [], "spec": spec}))
    outcome = TrialOutcome(output=output, reward=None if output is not None else 0.0)
    configuration = check_metric(type, config).configuration
    return local.score("default/m", configuration, Sample(outcome, scoring_context(work, outcome)))


def value(type: MetricType, output: str | None, config: dict[str, Any], **reference: Any) -> float | None:
    found = score(type, output, config, **reference)
    assert found.status is TrialStatus.COMPLETED, found.diagnostics
    return found.values[0].value


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        ("Paris", "paris", 1),
        ("Paris", "The Paris.", 1),
        ("an  apple\tpie", "Apple pie!", 1),
        ("Paris", "Paris, France", 0),
        ("theory", "ory", 0),
        ("", "", 1),
        ("", "the", 1),
        ("", "x", 0),
        ("Zürich", "ZÜRICH", 1),
        ("São Paulo", "Sao Paulo", 0),
        ("東京", "東京", 1),
        ("don't", "dont", 1),
        ("3.14", "314", 1),
        ("“Paris”", "Paris", 0),
    ],
)
def test_exact_match(reference: str, candidate: str, expected: int) -> None:
    config = {"reference": "{{ item.expected }}"}
    assert value(MetricType.EXACT_MATCH, candidate, config, expected=reference) == expected


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        ("the cat sat", "cat sat", 1.0),
        ("cat sat on mat", "cat on", 2 * 1.0 * 0.5 / 1.5),
        ("cat cat dog", "cat dog dog", 2 / 3),
        ("cat", "dog", 0.0),
        ("", "", 1.0),
        ("cat", "", 0.0),
        ("", "cat", 0.0),
        ("the", "a", 1.0),
    ],
)
def test_f1(reference: str, candidate: str, expected: float) -> None:
    config = {"reference": "{{ reference.expected }}", "candidate": "{{ output_text }}"}
    assert value(MetricType.F1, candidate, config, expected=reference) == pytest.approx(expected)


@given(st.text(), st.text())
def test_f1_is_symmetric_and_bounded(left: str, right: str) -> None:
    first, second = normalised(left), normalised(right)
    assert 0.0 <= f1_of(first, second) <= 1.0
    assert f1_of(first, second) == f1_of(second, first)
    assert f1_of(first, first) == 1.0


@pytest.mark.parametrize(
    ("operation", "left", "right", "expected"),
    [
        ("equals", "a", "a", 1),
        ("equals", "a", "A", 0),
        ("equals", "a ", "a", 0),
        ("not equals", "a", "b", 1),
        ("contains", "Paris, France", "France", 1),
        ("contains", "France", "Paris, France", 0),
        ("contains", "x", "", 1),
        ("not contains", "Paris", "Rome", 1),
        ("startswith", "Paris", "Par", 1),
        ("startswith", "Paris", "par", 0),
        ("endswith", "Paris", "is", 1),
        ("equals", "\u00e9", "e\u0301", 0),
    ],
)
def test_string_check(operation: str, left: str, right: str, expected: int) -> None:
    config = {"operation": operation, "left_template": "{{ item.output }}", "right_template": "{{ item.right }}"}
    assert value(MetricType.STRING_CHECK, left, config, right=right) == expected


TEXTS = [
    ("The cat sat on the mat.", ["The cat sat on the mat."]),
    ("the cat is on the mat today", ["the cat sat on the mat", "there is a cat on the mat"]),
    ("completely different", ["the cat sat on the mat"]),
    ("", ["the cat sat on the mat"]),
    ("Über die Straße läuft eine Katze", ["Eine Katze läuft über die Straße"]),
    ("one two three", [""]),
]


@pytest.mark.parametrize(("candidate", "references"), TEXTS)
def test_bleu_of_a_sentence_is_the_librarys(candidate: str, references: list[str]) -> None:
    names = [f"{{{{ item.r{index} }}}}" for index in range(len(references))]
    given = {f"r{index}": text for index, text in enumerate(references)}
    expected = sacrebleu.sentence_bleu(candidate, references).score
    assert value(MetricType.BLEU, candidate, {"references": names}, **given) == pytest.approx(expected)


def test_a_perfect_bleu_is_not_above_100() -> None:
    assert value(MetricType.BLEU, "a b c d e", {"references": ["a b c d e"]}) == 100.0


def test_bleu_of_a_corpus_is_the_librarys_over_first_references() -> None:
    scores = [score(MetricType.BLEU, candidate, {"references": references}) for candidate, references in TEXTS]
    expected = sacrebleu.corpus_bleu(
        [candidate for candidate, _ in TEXTS], [[references[0] for _, references in TEXTS]]
    ).score
    assert corpus_bleu([one.counts for one in scores]) == pytest.approx(expected)
    assert corpus_bleu([]) is None


@pytest.mark.parametrize(("candidate", "references"), TEXTS)
def test_rouge_is_the_librarys(candidate: str, references: list[str]) -> None:
    found = score(MetricType.ROUGE, candidate, {"reference": references[0]})
    library = RougeScorer(["rouge1", "rouge2", "rouge3", "rougeL"], use_stemmer=True)
    expected = library.score(references[0], candidate)
    assert [one.name for one in found.values] == ["rouge_1_score", "rouge_2_score", "rouge_3_score", "rouge_L_score"]
    assert [one.value for one in found.values] == pytest.approx([one.fmeasure for one in expected.values()])


def test_rouge_stems() -> None:
    assert value(MetricType.ROUGE, "the cats were running", {"reference": "the cat were run"}) == 1.0


def test_without_output_a_metric_fails_unless_it_names_another_candidate() -> None:
    config = {"reference": "x"}
    found = score(MetricType.EXACT_MATCH, None, config)
    assert found.status is TrialStatus.FAILED
    assert found.values == ()
    assert "No output text" in found.diagnostics[0].message
    assert value(MetricType.EXACT_MATCH, None, {**config, "candidate": "{{ item.mine }}"}, mine="X") == 1


def test_a_template_that_names_what_is_not_there_fails_with_a_diagnostic() -> None:
    found = score(MetricType.EXACT_MATCH, "x", {"reference": "{{ item.wrong }}"})
    assert found.status is TrialStatus.FAILED
    assert len(found.diagnostics) == 1
    assert "wrong" in found.diagnostics[0].message
