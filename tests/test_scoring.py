"""The scoring pool: right scores, bounded children, nothing left behind."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

import pytest

from domain.metrics import MetricType, check_metric
from domain.trials import TrialError, TrialOutcome, TrialStatus
from evaluation.messages import BoundMetric
from evaluation.paths import PathFailure
from evaluation.rows import Work
from evaluation.scoring import ScoringPool
from evaluation.templates import TemplateFailure
from evaluation.verdicts import verdict

pytestmark = pytest.mark.anyio

MEBIBYTE: Final = 1024 * 1024
REPOSITORY: Final = Path(__file__).parent.parent
LOOP: Final = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
PARIS: Final = TrialOutcome(output="The Paris.")


def metric(type: MetricType, name: str = "", **config: Any) -> BoundMetric:
    return BoundMetric(f"default/{name or type}", check_metric(type, config))


def work(**spec: Any) -> Work:
    full = {"intent": "x", "inputs": {"instruction": "?"}, "kind": "evaluator", "reference": {"expected": "Paris"}}
    return Work("task", json.dumps({"metadata": [], "spec": {**full, **spec}}))


EXACT: Final = metric(MetricType.EXACT_MATCH, reference="{{item.expected}}", candidate="{{item.output}}")
F1: Final = metric(MetricType.F1, reference="{{item.reference.expected}}")


@pytest.fixture
async def pool() -> AsyncIterator[ScoringPool]:
    async with ScoringPool(size=1, seconds=1.0, memory_bytes=256 * MEBIBYTE) as running:
        yield running


def children(parent: int | str = "self") -> set[int]:
    """The scoring processes that a process has."""
    found = set()
    for task in Path(f"/proc/{parent}/task").iterdir():
        # A thread or a child may end while one looks.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for pid in (task / "children").read_text().split():
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    if b"evaluation.scoring_child" in Path(f"/proc/{pid}/cmdline").read_bytes():
                        found.add(int(pid))
    return found


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - processes set no event
            await asyncio.sleep(0.01)


async def test_every_local_metric_is_scored_in_order(pool: ScoringPool) -> None:
    metrics = [
        metric(MetricType.ROUGE, reference="{{item.expected}}"),
        EXACT,
        metric(MetricType.BLEU, references=["{{item.expected}}"]),
        F1,
        metric(MetricType.STRING_CHECK, operation="contains", left_template="{{item.output}}", right_template="Paris"),
        metric(MetricType.NUMBER_CHECK, operation=">", left_template="3", right_template="2"),
        metric(MetricType.REWARD),
    ]
    scores = await pool.score(work(), PARIS, metrics)
    assert [score.metric for score in scores] == [one.ref for one in metrics]
    values = {score.metric: [value.value for value in score.values] for score in scores}
    assert values["default/exact-match"] == [1.0]
    assert values["default/f1"] == [1.0]
    assert values["default/string-check"] == [1.0]
    assert values["default/number-check"] == [1.0]
    assert len(values["default/rouge"]) == 4
    assert scores[2].counts[8:] == (3, 1)
    assert (scores[6].status, scores[6].values) == (TrialStatus.FAILED, ())


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{{ 'a' * 500000000 }}", "memory"),
        ("{% set x = ['a' * 1000000] %}{{ (x * 1000) | join | length }}", "memory"),
        (LOOP, "1 seconds"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "recursion"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
    ],
)
async def test_a_bomb_fails_its_own_score_alone(pool: ScoringPool, template: str, why: str) -> None:
    bomb = metric(MetricType.EXACT_MATCH, "bomb", reference=template)
    exact, failed, f1 = await pool.score(work(), PARIS, [EXACT, bomb, F1])
    assert (exact.status, f1.status) == (TrialStatus.COMPLETED, TrialStatus.COMPLETED)
    assert (failed.metric, failed.status, failed.values) == ("default/bomb", TrialStatus.FAILED, ())
    assert len(failed.diagnostics) == 1
    assert why in failed.diagnostics[0].message


async def test_a_bomb_among_many_takes_nobody_along(pool: ScoringPool) -> None:
    bomb = metric(MetricType.EXACT_MATCH, "bomb", reference=LOOP)
    asked = [pool.score(work(), PARIS, [bomb if index == 20 else EXACT]) for index in range(50)]
    statuses = [scores[0].status for scores in await asyncio.gather(*asked)]
    assert [index for index, status in enumerate(statuses) if status is TrialStatus.FAILED] == [20]


async def test_a_bomb_leaves_the_event_loop_free(pool: ScoringPool) -> None:
    ticks = 0
    bomb = asyncio.create_task(pool.score(work(), PARIS, [metric(MetricType.F1, reference=LOOP)]))
    while not bomb.done():
        await asyncio.sleep(0.01)
        ticks += 1
    assert bomb.result()[0].status is TrialStatus.FAILED
    assert ticks > 10


async def test_a_pattern_that_never_ends_is_ended(pool: ScoringPool) -> None:
    value: Any = [{"x": "a" * 40 + "!"}]
    with pytest.raises(PathFailure, match="more than 1 seconds"):
        await pool.find('$[?(@.x =~ "(a+)+$")].x', value)
    assert await pool.find('$[?(@.x =~ "a+!")].x', value) == "a" * 40 + "!"
    with pytest.raises(PathFailure, match="nothing"):
        await pool.find("$.y", value)


async def test_rendering(pool: ScoringPool) -> None:
    body: Any = {"question": "{{item.instruction}}", "n": 1, "prompt": ["{{prompt}}"]}
    assert await pool.render(body, work(), extra={"prompt": "Why?"}) == {"question": "?", "n": 1, "prompt": ["Why?"]}
    assert await pool.render("{{item.output}}", work(), PARIS) == "The Paris."
    assert await pool.render("{{ '\\ud800' }}é", work()) == "?é"
    for template in ("{{item.expected}}", "{{ 'a' * 500000000 }}", LOOP):
        with pytest.raises(TemplateFailure):
            await pool.render(template, work())


async def test_a_child_that_something_else_ends_is_replaced_and_its_work_done(pool: ScoringPool) -> None:
    assert await pool.render("{{ 1 + 1 }}", work()) == "2"
    (first,) = children()
    os.kill(first, signal.SIGSTOP)
    asked = [asyncio.create_task(pool.score(work(), PARIS, [EXACT])) for _ in range(10)]
    await asyncio.sleep(0)
    os.kill(first, signal.SIGKILL)
    scores = await asyncio.gather(*asked)
    assert {one[0].status for one in scores} == {TrialStatus.COMPLETED}
    assert first not in children()


async def test_a_request_that_keeps_ending_its_child_fails() -> None:
    async with ScoringPool(size=1, seconds=60.0) as pool:
        asked = asyncio.create_task(pool.score(work(), PARIS, [metric(MetricType.F1, reference=LOOP)]))
        ended: set[int] = set()
        while len(ended) < 2:
            await until(lambda: any(is_serving(pid) for pid in children() - ended))
            (child,) = children() - ended
            os.kill(child, signal.SIGSEGV)
            ended.add(child)
        (score,) = await asked
        assert score.status is TrialStatus.FAILED
        assert "SIGSEGV" in score.diagnostics[0].message
        assert (await pool.score(work(), PARIS, [EXACT]))[0].status is TrialStatus.COMPLETED


def is_serving(pid: int) -> bool:
    """Whether a child is past its start: it has taken its pipes out of reach."""
    return os.readlink(f"/proc/{pid}/fd/1") == os.devnull


def environment_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


async def test_a_child_knows_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINSET_SECRET_X", "hunter2")
    async with ScoringPool(size=1) as pool:
        await pool.render("{{ 1 }}", work())
        (child,) = children()
        assert b"hunter2" not in environment_of(child)


async def test_closing_leaves_no_child_and_no_waiting_request() -> None:
    pool = ScoringPool(size=2, seconds=60.0)
    await pool.start()
    slow = [asyncio.create_task(pool.score(work(), PARIS, [metric(MetricType.F1, reference=LOOP)]))] * 3
    await until(lambda: len(children()) == 2)
    await pool.close()
    results = await asyncio.gather(*slow, return_exceptions=True)
    assert all(isinstance(result, asyncio.CancelledError) for result in results)
    assert children() == set()
    with pytest.raises(RuntimeError):
        await pool.render("{{ 1 }}", work())


ORPHANS: Final = """
import asyncio
from evaluation.scoring import ScoringPool
from evaluation.rows import Work

async def main():
    async with ScoringPool(size=2) as pool:
        await asyncio.gather(*(pool.render("{{ 1 }}", Work("x", '{"spec": {}}')) for _ in range(20)))
        print("ready", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_children_die_with_their_parent() -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ORPHANS, cwd=REPOSITORY, stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert parent.stdout is not None
        assert await parent.stdout.readline() == b"ready\n"
        orphans = children(parent.pid)
        assert len(orphans) >= 1
    finally:
        parent.kill()
        await parent.wait()
    await until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in orphans))


VIEWS: Final = {
    "reward": {"reducer": "weighted_mean", "signals": [
        {"metric": "exact-match", "output": "exact-match", "weight": 3.0},
        {"metric": "f1", "output": "f1", "weight": None},
    ]},
    "broken": {"reducer": "all", "signals": [{"metric": "nothing", "output": "x", "weight": None}]},
}  # fmt: skip


async def test_a_verdict_has_scores_views_and_reward(pool: ScoringPool) -> None:
    found = await verdict(work(views=VIEWS), TrialOutcome(output="Paris Paris"), [EXACT, F1], pool)
    assert [score.values[0].value for score in found.scores] == [0.0, pytest.approx(2 / 3)]
    assert found.views == {"reward": pytest.approx(1 / 6), "broken": None}
    assert found.reward == pytest.approx(1 / 6)


async def test_a_failed_trial_fails_every_metric_and_has_no_reward(pool: ScoringPool) -> None:
    failed = TrialOutcome(error=TrialError("CRASH", "boom"))
    found = await verdict(work(views=VIEWS), failed, [EXACT, metric(MetricType.REWARD)], pool)
    assert [score.status for score in found.scores] == [TrialStatus.FAILED] * 2
    assert "CRASH" in found.scores[0].diagnostics[0].message
    assert (found.reward, found.views) == (None, {"reward": None, "broken": None})


async def test_a_dataset_row_is_scored_by_its_own_output(pool: ScoringPool) -> None:
    row = Work("row", json.dumps({"question": "2+2?", "expected": "4", "output": "4"}), is_row=True)
    found = await verdict(row, TrialOutcome(output="4"), [EXACT], pool)
    assert found.reward == 1.0
