"""Pass rates: how likely any, or all, of k attempts at a task pass."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Final

from domain.trials import TrialStatus
from evaluation.results import AttemptRow

MAX_K: Final = 100
PASSING_REWARD: Final = 1.0


@dataclass(frozen=True, slots=True)
class PassRate:
    """`any_pass` and `all_pass` are means over tasks, None where a task has fewer than k trials.

    `tasks` counts those that have k.
    """

    k: int
    any_pass: float | None
    all_pass: float | None
    tasks: int


@dataclass(frozen=True, slots=True)
class Tally:
    """A task's trials that can be judged, and how many of them passed."""

    trials: int
    passed: int


def tally(attempts: Sequence[AttemptRow]) -> Tally:
    """Count a task's trials: a reward of 1 or more passes, a failed trial did not.

    Left out are trials that have not ended, were cancelled, or whose reward could not be measured.
    """
    judged = [attempt for attempt in attempts if attempt.reward is not None or attempt.status is TrialStatus.FAILED]
    return Tally(len(judged), sum((attempt.reward or 0.0) >= PASSING_REWARD for attempt in judged))


def pass_rates(tallies: Sequence[Tally], repeats: int) -> tuple[PassRate, ...]:
    """Pass rates for k = 1 … repeats, at most 100, by the unbiased estimators over n trials of which c passed.

    Any of k passes with 1 - C(n-c, k) / C(n, k), all of k with C(c, k) / C(n, k).
    """
    return tuple(_rate(tallies, k) for k in range(1, min(repeats, MAX_K) + 1))


def _rate(tallies: Sequence[Tally], k: int) -> PassRate:
    able = [tally for tally in tallies if tally.trials >= k]
    if not able or len(able) < len(tallies):
        return PassRate(k, None, None, len(able))
    any_pass, all_pass = Fraction(), Fraction()
    for one, count in Counter(able).items():
        any_share, all_share = _shares(one, k)
        any_pass += any_share * count
        all_pass += all_share * count
    return PassRate(k, float(any_pass / len(able)), float(all_pass / len(able)), len(able))


def _shares(one: Tally, k: int) -> tuple[Fraction, Fraction]:
    ways = comb(one.trials, k)
    return 1 - Fraction(comb(one.trials - one.passed, k), ways), Fraction(comb(one.passed, k), ways)
