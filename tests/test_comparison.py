"""Two jobs side by side."""

import pytest

from evaluation.comparison import ComparisonClass, TaskResult, compare
from evaluation.statistics import Observation, statistic


def result(name: str, reward: float | None, digest: str = "a") -> TaskResult:
    return TaskResult(name, digest * 64, statistic("reward", [Observation(name, reward)]))


BASE = [result("up", 0.0), result("down", 1.0), result("same", 0.1 + 0.2), result("gone", 1.0), result("edited", 1.0)]
CANDIDATE = [
    result("new", 1.0),
    result("edited", 0.0, "b"),
    result("same", 0.3),
    result("down", 0.5),
    result("up", 0.75),
    result("lost", 1.0),
]


def test_every_class() -> None:
    found = compare([*BASE, result("lost", None)], CANDIDATE)
    classes = {task.name: task.comparison for task in found.tasks}
    assert classes == {
        "up": ComparisonClass.IMPROVED,
        "down": ComparisonClass.REGRESSED,
        "same": ComparisonClass.EQUAL,
        "gone": ComparisonClass.ONLY_IN_BASE,
        "edited": ComparisonClass.CHANGED_CONTENT,
        "lost": ComparisonClass.UNSCORED,
        "new": ComparisonClass.ONLY_IN_CANDIDATE,
    }
    assert list(classes) == ["up", "down", "same", "gone", "edited", "lost", "new"]
    assert (found.same_content, found.changed_content, found.only_in_base, found.only_in_candidate) == (4, 1, 1, 1)


def test_the_change_rests_on_tasks_of_the_same_content() -> None:
    found = compare(BASE, CANDIDATE)
    assert found.mean_delta == pytest.approx((0.75 - 0.5) / 3)
    edited = next(task for task in found.tasks if task.name == "edited")
    assert (edited.delta, edited.base_digest, edited.candidate_digest) == (-1.0, "a" * 64, "b" * 64)


def test_the_interval_is_paired() -> None:
    base = [result(str(index), index / 10) for index in range(5)]
    shifted = [result(str(index), index / 10 + 0.25) for index in range(5)]
    found = compare(base, shifted)
    assert found.mean_delta == pytest.approx(0.25)
    assert found.confidence95 == pytest.approx((0.25, 0.25))


def test_nothing_in_common_has_no_change() -> None:
    for base, candidate in ((BASE, []), ([], CANDIDATE), ([], []), (BASE[:1], [result("up", None)])):
        found = compare(base, candidate)
        assert found.mean_delta is None
        assert found.confidence95 is None


def test_one_task_has_a_change_and_no_interval() -> None:
    found = compare(BASE[:1], CANDIDATE)
    assert found.mean_delta == 0.75
    assert found.confidence95 is None
