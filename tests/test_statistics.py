"""Statistics, pass rates and summaries: by hand on the edges, and by rule for everything between."""

import math
import statistics as library
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from domain.jobs import AttemptPolicy
from domain.metrics import MetricType, check_metric
from domain.trials import Score, ScoreValue, TrialStatus
from evaluation.messages import BoundMetric
from evaluation.pass_rates import PassRate, Tally, pass_rates
from evaluation.results import AttemptRow, TaskPlan, TrialRow
from evaluation.statistics import Observation, Statistic, statistic
from evaluation.summaries import (
    FailureCount,
    group_summaries,
    job_summary,
    reward_by_task,
    task_summary,
)

DONE, PART, FAIL, WAIT, GONE = (
    TrialStatus.COMPLETED,
    TrialStatus.PARTIAL,
    TrialStatus.FAILED,
    TrialStatus.PENDING,
    TrialStatus.CANCELLED,
)
EM: Final = BoundMetric("default/em", check_metric(MetricType.EXACT_MATCH, {"reference": "x"}))
BLEU: Final = BoundMetric("default/bleu", check_metric(MetricType.BLEU, {"references": ["x"]}))


def of(*values: float | None) -> Statistic:
    return statistic("x", [Observation(index, value) for index, value in enumerate(values)])


def test_nothing_at_all() -> None:
    nothing = of()
    assert nothing == Statistic("x")
    assert nothing.mean is None
    assert nothing.lower_bound is None


def test_one_value_has_a_mean_and_no_spread() -> None:
    one = of(0.5)
    assert (one.expected, one.scored, one.coverage) == (1, 1, 1.0)
    assert (one.mean, one.minimum, one.maximum, one.median) == (0.5, 0.5, 0.5, 0.5)
    assert (one.standard_deviation, one.standard_error, one.confidence95) == (None, None, None)


def test_half_failed_is_seen_and_does_not_raise_the_mean() -> None:
    seen = [Observation(index, 1.0) for index in range(5)] + [Observation(5 + index, None, True) for index in range(5)]
    half = statistic("x", seen)
    assert (half.expected, half.scored, half.failed, half.missing, half.coverage) == (10, 5, 5, 0, 0.5)
    assert (half.mean, half.lower_bound, half.upper_bound) == (1.0, 0.5, 1.0)
    with_zeros = statistic("x", seen, missing_as=0.0)
    assert (with_zeros.mean, with_zeros.scored, with_zeros.failed) == (0.5, 5, 5)
    assert with_zeros.minimum == 0.0


def test_all_missing_is_null_and_bounded() -> None:
    lost = of(None, None)
    assert (lost.expected, lost.scored, lost.missing, lost.coverage, lost.mean) == (2, 0, 2, 0.0, None)
    assert (lost.lower_bound, lost.upper_bound, lost.median) == (0.0, 1.0, None)


def test_bounds_are_those_of_the_metric() -> None:
    bounded = statistic("x", [Observation(1, 50.0), Observation(2, None)], (0.0, 100.0))
    assert (bounded.lower_bound, bounded.upper_bound) == (25.0, 75.0)


def test_the_numbers_of_the_library() -> None:
    values = [0.1, 0.4, 0.4, 0.9, 1.0]
    found = of(*values)
    assert found.mean == pytest.approx(library.fmean(values))
    assert found.standard_deviation == pytest.approx(library.stdev(values))
    assert found.standard_error == pytest.approx(stats.sem(values))
    assert found.median == 0.4
    expected = stats.t.interval(0.95, 4, loc=library.fmean(values), scale=stats.sem(values))
    assert found.confidence95 == pytest.approx(expected)


def test_repeats_of_a_task_are_clustered() -> None:
    seen = [Observation(task, value) for task, value in (("a", 1.0), ("a", 1.0), ("b", 0.0), ("b", 0.0))]
    clustered = statistic("x", seen)
    # Two tasks, deviations +1 and -1: sqrt(2/1 * (1 + 1)) / 4 = 0.5, against 0.2887 were the four independent.
    assert clustered.standard_error == pytest.approx(0.5)
    assert clustered.confidence95 == pytest.approx((0.5 - 12.7062 * 0.5, 0.5 + 12.7062 * 0.5), abs=1e-3)


def test_repeats_of_one_task_have_an_error_and_no_interval() -> None:
    eight = statistic("x", [Observation("a", float(index % 2)) for index in range(8)])
    assert eight.standard_error == pytest.approx(library.stdev([0, 1] * 4) / math.sqrt(8))
    assert eight.confidence95 is None


def test_equal_values_have_an_interval_without_width() -> None:
    ties = of(0.5, 0.5, 0.5)
    assert (ties.standard_deviation, ties.standard_error, ties.confidence95) == (0.0, 0.0, (0.5, 0.5))


numbers = st.one_of(
    st.none(), st.floats(allow_nan=True, allow_infinity=True), st.integers(0, 1).map(float), st.just(1.7e308)
)


@given(
    st.lists(st.tuples(st.integers(0, 3), numbers, st.booleans())),
    st.one_of(st.none(), st.floats(-2, 2)),
    st.sampled_from([(0.0, 1.0), (0.0, 100.0)]),
)
def test_no_number_is_ever_nan_or_infinite(
    seen: list[tuple[int, float | None, bool]], missing_as: float | None, bounds: tuple[float, float]
) -> None:
    found = statistic("x", [Observation(*one) for one in seen], bounds, missing_as)
    assert found.expected == len(seen) == found.scored + found.failed + found.missing
    numbers = [
        found.mean,
        found.standard_deviation,
        found.standard_error,
        found.minimum,
        found.maximum,
        found.median,
        found.lower_bound,
        found.upper_bound,
        *(found.confidence95 or ()),
    ]
    assert all(number is None or math.isfinite(number) for number in numbers)
    if found.scored == 0 and missing_as is None:
        assert numbers[:6] == [None] * 6


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-1e3, 1e3)), min_size=2))
def test_the_mean_lies_within_its_interval(seen: list[tuple[int, float]]) -> None:
    found = statistic("x", [Observation(*one) for one in seen])
    assert found.mean is not None
    if found.confidence95 is not None:
        assert found.confidence95[0] <= found.mean <= found.confidence95[1]


def test_pass_rates_by_hand() -> None:
    # n = 4, c = 2: any of 2 passes with 1 - C(2,2)/C(4,2) = 5/6, both with C(2,2)/C(4,2) = 1/6.
    rates = pass_rates([Tally(4, 2)], 4)
    assert [rate.k for rate in rates] == [1, 2, 3, 4]
    assert [rate.any_pass for rate in rates] == pytest.approx([1 / 2, 5 / 6, 1.0, 1.0])
    assert [rate.all_pass for rate in rates] == pytest.approx([1 / 2, 1 / 6, 0.0, 0.0])


def test_fewer_trials_than_k_is_null_and_never_1() -> None:
    assert pass_rates([Tally(3, 3), Tally(5, 5)], 5)[4] == PassRate(5, None, None, 1)
    assert pass_rates([Tally(3, 3)], 5)[3:] == (PassRate(4, None, None, 0), PassRate(5, None, None, 0))
    assert pass_rates([Tally(0, 0)], 1) == (PassRate(1, None, None, 0),)
    assert pass_rates([], 1) == (PassRate(1, None, None, 0),)


def test_pass_rates_stop_at_100() -> None:
    assert len(pass_rates([Tally(1000, 7)], 1000)) == 100


@given(st.integers(1, 60), st.integers(0, 60))
def test_pass_rates_are_ordered(trials: int, passed: int) -> None:
    rates = pass_rates([Tally(trials, min(passed, trials))], trials)
    any_pass = [rate.any_pass for rate in rates]
    all_pass = [rate.all_pass for rate in rates]
    assert any_pass == sorted(any_pass, key=float)  # type: ignore[arg-type]
    assert all_pass == sorted(all_pass, key=float, reverse=True)  # type: ignore[arg-type]
    assert any_pass[0] == all_pass[0]


def scored(value: float | None, status: TrialStatus = DONE) -> AttemptRow:
    score = Score(EM.ref, DONE if value is not None else PART, (ScoreValue("exact-match", value),))
    return AttemptRow(status, value, (score,), {"reward": value})


CRASH: Final = AttemptRow(FAIL, error_type="CRASH")


def trial(task: str, *attempts: AttemptRow, status: TrialStatus | None = None, repeat: int = 0) -> TrialRow:
    last = attempts[-1] if attempts else AttemptRow(WAIT)
    return TrialRow(task, repeat, status or last.status, attempts, last.error_type)


PLANS: Final = [TaskPlan(name, name * 64, (EM,), ("reward",)) for name in ("a", "b", "c", "d")]


def test_three_policies_give_three_numbers() -> None:
    trials = [trial("a", scored(0.0), scored(1.0), scored(0.5))]
    means = {
        policy: job_summary(PLANS[:1], trials, 1, policy).reward.mean
        for policy in (AttemptPolicy.FIRST, AttemptPolicy.LAST, AttemptPolicy.BEST)
    }
    assert means == {AttemptPolicy.FIRST: 0.0, AttemptPolicy.LAST: 0.5, AttemptPolicy.BEST: 1.0}


def test_a_fail_and_a_pass_under_each_policy() -> None:
    trials = [trial("a", CRASH, scored(1.0)), trial("b", scored(1.0), CRASH)]
    first, last, best = (job_summary(PLANS[:2], trials, 1, policy) for policy in AttemptPolicy)
    assert (first.reward.scored, first.reward.failed) == (1, 1)
    assert (last.reward.scored, last.reward.failed) == (1, 1)
    assert (best.reward.scored, best.reward.failed, best.reward.mean) == (2, 0, 1.0)
    assert [summary.pass_rates[0].any_pass for summary in (first, last, best)] == [0.5, 0.5, 1.0]


def test_a_lost_attempt_is_in_no_policy() -> None:
    lost = AttemptRow(FAIL, error_type="TIMEOUT", is_lost=True)
    for policy in AttemptPolicy:
        found = job_summary(PLANS[:1], [trial("a", lost, scored(1.0))], 1, policy).reward
        assert (found.scored, found.failed, found.mean) == (1, 0, 1.0)
    exhausted = TrialRow("a", 0, FAIL, (lost,), "TIMEOUT")
    summary = job_summary(PLANS[:1], [exhausted], 1)
    assert (summary.reward.failed, summary.reward.missing) == (1, 0)
    assert summary.failures == (FailureCount("TIMEOUT", 1),)


def test_a_summary_counts_every_kind_of_trial() -> None:
    trials = [trial("a", scored(1.0)), trial("b", scored(None)), trial("c", CRASH), trial("d", status=GONE)]
    summary = job_summary(PLANS, trials, 1)
    names = [one.name for one in summary.statistics]
    assert names == ["default/em.exact-match", "view.reward"]
    for one in (summary.reward, *summary.statistics):
        assert (one.expected, one.scored, one.failed, one.missing, one.coverage) == (4, 1, 1, 2, 0.25)
        assert (one.mean, one.lower_bound, one.upper_bound) == (1.0, 0.25, 1.0)
    assert summary.failures == (FailureCount("CRASH", 1),)
    assert summary.pass_rates == (PassRate(1, None, None, 2),)


def test_failures_are_counted_by_type_and_add_up() -> None:
    other = AttemptRow(FAIL, error_type="TIMEOUT")
    trials = [trial("a", CRASH), trial("b", other), trial("c", CRASH), trial("d", AttemptRow(PART, 1.0, (), {}, "X"))]
    summary = job_summary(PLANS, trials, 1)
    assert summary.failures == (FailureCount("CRASH", 2), FailureCount("TIMEOUT", 1))
    assert summary.reward.failed == 3


def test_all_failed_is_null_and_not_a_pass() -> None:
    summary = job_summary(PLANS[:2], [trial("a", CRASH), trial("b", CRASH)], 1)
    assert (summary.reward.mean, summary.reward.coverage, summary.reward.failed) == (None, 0.0, 2)
    assert summary.pass_rates == (PassRate(1, 0.0, 0.0, 2),)


def test_a_metric_counts_only_the_tasks_that_have_it() -> None:
    plans = [PLANS[0], TaskPlan("b", "b" * 64)]
    summary = job_summary(plans, [trial("a", scored(1.0)), trial("b", AttemptRow(DONE, 0.0))], 1)
    assert summary.reward.expected == 2
    assert [one.expected for one in summary.statistics] == [1, 1]


def test_a_job_without_trials() -> None:
    summary = job_summary([], [], 1)
    assert summary.reward == Statistic("reward")
    assert (summary.statistics, summary.failures) == ((), ())
    assert summary.pass_rates == (PassRate(1, None, None, 0),)


def test_a_corpus_is_one_number() -> None:
    counts = [(4, 3, 2, 1, 5, 4, 3, 2, 5, 6), (6, 5, 4, 3, 6, 5, 4, 3, 6, 6)]
    rows = [AttemptRow(DONE, 0.5, (Score(BLEU.ref, DONE, (ScoreValue("sentence", 50.0),), (), one),)) for one in counts]
    plans = [TaskPlan(name, name * 64, (BLEU,)) for name in ("a", "b", "c")]
    trials = [trial("a", rows[0]), trial("b", rows[1]), trial("c", CRASH)]
    sentence, corpus = job_summary(plans, trials, 1).statistics
    assert (sentence.name, sentence.mean) == ("default/bleu.sentence", 50.0)
    assert sentence.upper_bound == pytest.approx(200 / 3)
    # Precisions 10/11, 8/9, 6/7, 4/5 and a brevity penalty of exp(1 - 12/11).
    expected = 100 * math.exp(1 - 12 / 11) * (10 / 11 * 8 / 9 * 6 / 7 * 4 / 5) ** 0.25
    assert corpus.mean == pytest.approx(expected)
    assert (corpus.expected, corpus.scored, corpus.failed) == (3, 2, 1)
    assert (corpus.confidence95, corpus.lower_bound) == (None, None)


def test_groups_by_a_metadata_key() -> None:
    plans = [
        TaskPlan("a", "a" * 64, metadata={"topic": "x"}),
        TaskPlan("b", "b" * 64, metadata={"topic": ["y", 1]}),
        TaskPlan("c", "c" * 64, metadata={"topic": "x"}),
        TaskPlan("d", "d" * 64),
    ]
    trials = [trial(plan.name, AttemptRow(DONE, float(index))) for index, plan in enumerate(plans)]
    groups = group_summaries(plans, trials, 1, "topic")
    assert [(one.group, one.reward.mean) for one in groups] == [("x", 1.0), (["y", 1], 1.0), (None, 3.0)]


def test_a_tasks_own_numbers() -> None:
    trials = [trial("a", scored(value), repeat=repeat) for repeat, value in enumerate((1.0, 0.0, 1.0))]
    summary = task_summary(trials, 3)
    assert summary.reward.mean == pytest.approx(2 / 3)
    assert [rate.any_pass for rate in summary.pass_rates] == pytest.approx([2 / 3, 1.0, 1.0])
    assert reward_by_task(trials)["a"] == summary.reward
