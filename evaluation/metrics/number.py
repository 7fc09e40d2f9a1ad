"""Number check: the last numbers of two texts."""

import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Final

from domain.metrics import NumberCheck
from domain.names import shown
from evaluation.metrics.measurement import Measurement, Sample, measured, unmeasured

# A sign counts where it does not join two things (`10-5` ends in 5); groups of three digits may have commas.
_NUMBER: Final = re.compile(
    r"(?:(?<![\w.)])[-+−])?(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
)

_RELATIONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "equals": operator.eq,
    "not equals": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


def last_number(text: str) -> float | None:
    """The last number in a text, None where there is none that is finite."""
    found = None
    for found in _NUMBER.finditer(text):  # noqa: B007
        pass
    if found is None:
        return None
    number = float(found.group().replace(",", "").replace("−", "-"))
    return number if math.isfinite(number) else None


def number_check(metric: NumberCheck, sample: Sample) -> Measurement:
    """1 where the relation holds, else 0; no value where either text has no number."""
    texts = [sample.render(metric.left_template), sample.render(metric.right_template)]
    left, right = (last_number(text) for text in texts)
    if left is None or right is None:
        side, text = ("left", texts[0]) if left is None else ("right", texts[1])
        return unmeasured("number-check", f"The {side} text {shown(text)} holds no number.")
    if metric.epsilon is not None:
        return measured("number-check", abs(left - right) <= metric.epsilon)
    return measured("number-check", _RELATIONS[metric.operation](left, right))
