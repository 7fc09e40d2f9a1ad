"""Statistics that say what they rest on: a value that is missing is null and counted, never 0 and never NaN."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from evaluation.metrics.quantiles import student_t_975

UNIT: Final = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Observation:
    """What one trial gives to a statistic; `cluster` is its task. Without a value it failed, or is missing."""

    cluster: Hashable
    value: float | None
    is_failed: bool = False


Interval: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Statistic:
    """One number over many trials.

    `expected` = `scored` + `failed` + `missing`; `coverage` is scored over expected. The standard deviation is that
    of a sample (n - 1); standard error and interval are clustered by task; the bounds are the mean if every value
    without a number were the least, or the greatest, that is possible: 0 and 1 where a metric declares no others.
    """

    name: str
    expected: int = 0
    scored: int = 0
    failed: int = 0
    missing: int = 0
    coverage: float = 0.0
    mean: float | None = None
    standard_deviation: float | None = None
    standard_error: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    median: float | None = None
    confidence95: Interval | None = None
    lower_bound: float | None = None
    upper_bound: float | None = None


def statistic(
    name: str,
    observations: Iterable[Observation],
    bounds: Interval = UNIT,
    missing_as: float | None = None,
) -> Statistic:
    """Summarise observations; `missing_as` stands in the numbers (not in the counts) for every value not there."""
    seen = list(observations)
    scored = [(seen_one.cluster, seen_one.value) for seen_one in seen if _is_number(seen_one.value)]
    failed = sum(not _is_number(seen_one.value) and seen_one.is_failed for seen_one in seen)
    absent = len(seen) - len(scored)
    counted = scored
    if missing_as is not None:
        counted = [(one.cluster, one.value if _is_number(one.value) else missing_as) for one in seen]
    values = [value for _, value in counted if value is not None]
    known = [value for _, value in scored if value is not None]
    mean = _mean(values)
    deviation = _deviation(values, mean)
    error = _standard_error(counted, mean, deviation)
    return Statistic(
        name=name,
        expected=len(seen),
        scored=len(scored),
        failed=failed,
        missing=absent - failed,
        coverage=len(scored) / len(seen) if seen else 0.0,
        mean=mean,
        standard_deviation=deviation,
        standard_error=error,
        minimum=min(values, default=None),
        maximum=max(values, default=None),
        median=_median(values),
        confidence95=interval95(mean, error, len({cluster for cluster, _ in counted})),
        lower_bound=_mean([*known, *[bounds[0]] * absent]),
        upper_bound=_mean([*known, *[bounds[1]] * absent]),
    )


def interval95(mean: float | None, error: float | None, clusters: int) -> Interval | None:
    """The 95 % interval by Student's t over independent clusters; None under two of them."""
    if mean is None or error is None or clusters < 2:
        return None
    reach = student_t_975(clusters - 1) * error
    low, high = mean - reach, mean + reach
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def _is_number(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _mean(values: Sequence[float]) -> float | None:
    if not values:
        return None
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return _finite(math.fsum(value / len(values) for value in values))


def _median(values: Sequence[float]) -> float | None:
    if not values:
        return None
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    low, high = ordered[middle - 1], ordered[middle]
    return low if low == high else low / 2 + high / 2


def _deviation(values: Sequence[float], mean: float | None) -> float | None:
    if mean is None or len(values) < 2:
        return None
    return _norm([value - mean for value in values], 1 / (len(values) - 1))


def _standard_error(
    counted: Sequence[tuple[Hashable, float | None]], mean: float | None, deviation: float | None
) -> float | None:
    """Of the mean, with the deviations of a task added up first: repeats of one task say less than other tasks.

    Within a single task there is nothing to compare with, so its repeats count as independent.
    """
    if mean is None or deviation is None:
        return None
    sums: dict[Hashable, list[float]] = {}
    for cluster, value in counted:
        if value is not None:
            sums.setdefault(cluster, []).append(value - mean)
    if len(sums) < 2 or len(sums) == len(counted):
        return deviation / math.sqrt(len(counted))
    size = len(sums)
    totals = [_total(parts) for parts in sums.values()]
    norm = None if None in totals else _norm([total for total in totals if total is not None], size / (size - 1))
    return None if norm is None else norm / len(counted)


def _total(parts: Sequence[float]) -> float | None:
    try:
        return _finite(math.fsum(parts))
    except (OverflowError, ValueError):
        return None


def _norm(parts: Sequence[float], factor: float) -> float | None:
    """The root of the summed squares times a factor, scaled so that squares of large numbers do not overflow."""
    scale = max(map(abs, parts), default=0.0)
    if scale == 0.0:
        return 0.0
    if not math.isfinite(scale):
        return None
    return _finite(scale * math.sqrt(math.fsum((part / scale) ** 2 for part in parts) * factor))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
