"""Metrics that compare texts: exact match, F1, BLEU, ROUGE, string check."""

import string
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final

from domain.metrics import F1, Bleu, ExactMatch, Rouge, StringCheck
from domain.trials import ScoreValue
from evaluation.metrics.measurement import Measurement, Sample, measured

_ARTICLES: Final = frozenset({"a", "an", "the"})
_WITHOUT_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> list[str]:
    """The words of a text: lowercase, without ASCII punctuation and without articles."""
    words = text.lower().translate(_WITHOUT_PUNCTUATION).split()
    return [word for word in words if word not in _ARTICLES]


def exact_match(metric: ExactMatch, sample: Sample) -> Measurement:
    """1 where both texts are equal after normalising, else 0."""
    same = normalised(sample.render(metric.reference)) == normalised(sample.candidate(metric.candidate))
    return measured("exact-match", same)


def f1(metric: F1, sample: Sample) -> Measurement:
    """F1 over the two multisets of normalised words."""
    reference = normalised(sample.render(metric.reference))
    return measured("f1", f1_of(reference, normalised(sample.candidate(metric.candidate))))


def f1_of(reference: Sequence[str], candidate: Sequence[str]) -> float:
    """F1 of two multisets of words; both empty is 1, one empty is 0."""
    if not reference or not candidate:
        return float(not reference and not candidate)
    common = (Counter(reference) & Counter(candidate)).total()
    return 2 * common / (len(reference) + len(candidate))


def string_check(metric: StringCheck, sample: Sample) -> Measurement:
    """1 where the rendered texts stand in the relation, case-sensitive and as they are."""
    left, right = sample.render(metric.left_template), sample.render(metric.right_template)
    holds = {
        "equals": left == right,
        "not equals": left != right,
        "contains": right in left,
        "not contains": right not in left,
        "startswith": left.startswith(right),
        "endswith": left.endswith(right),
    }
    return measured("string-check", holds[metric.operation])


def bleu(metric: Bleu, sample: Sample) -> Measurement:
    """The sentence's BLEU against all references, and the counts against the first for the corpus."""
    candidate = sample.candidate(metric.candidate)
    references = [sample.render(reference) for reference in metric.references]
    sentence, corpus = _bleu_scorers()
    score = sentence.sentence_score(candidate, references)
    first = corpus.corpus_score([candidate], [references[:1]])
    counts = (*first.counts, *first.totals, first.sys_len, first.ref_len)
    return Measurement((ScoreValue("sentence", _percent(score.score)),), counts=tuple(map(int, counts)))


@cache
def _bleu_scorers() -> tuple[Any, Any]:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True), BLEU()


def corpus_bleu(counts: Iterable[Sequence[int]]) -> float | None:
    """BLEU (0 to 100) over all rows whose counts are given: 4 matches, 4 totals, both lengths. None for no rows."""
    from sacrebleu.metrics.bleu import BLEU

    columns = [sum(column) for column in zip(*counts, strict=True)]
    if not columns:
        return None
    score = BLEU.compute_bleu(
        correct=columns[:4], total=columns[4:8], sys_len=columns[8], ref_len=columns[9], smooth_method="exp"
    )
    return _percent(score.score)


def rouge(metric: Rouge, sample: Sample) -> Measurement:
    """ROUGE-1, 2, 3 and L F-measures with stemming."""
    reference, candidate = sample.render(metric.reference), sample.candidate(metric.candidate)
    scores = _rouge_scorer().score(reference, candidate)
    measures = {which: float(scores[f"rouge{which}"].fmeasure) for which in ("1", "2", "3", "L")}
    return Measurement(tuple(ScoreValue(f"rouge_{which}_score", value) for which, value in measures.items()))


def load_bleu() -> None:
    """Import sacrebleu and build its scorers, which takes longer than a score."""
    _bleu_scorers()


def load_rouge() -> None:
    """Import rouge-score, which takes a second or two."""
    _rouge_scorer()


@cache
def _rouge_scorer() -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rouge1", "rouge2", "rouge3", "rougeL"], use_stemmer=True)


def _percent(value: float) -> float:
    return min(max(float(value), 0.0), 100.0)  # sacrebleu's perfect score is 100.00000000000004
