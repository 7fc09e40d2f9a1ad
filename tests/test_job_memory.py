"""What a committer remembers between commits, and when it must not believe it."""

from typing import Any

from storage.driver import ObjectId
from storage.job_memory import JobMemory

MARK, FOREIGN, TRIAL, ENDED = (ObjectId() for _ in range(4))
TRIALS: dict[ObjectId, dict[str, Any]] = {
    TRIAL: {"_id": TRIAL, "lease": {"token": "x"}},
    ENDED: {"_id": ENDED, "lease": None},
}


def test_an_empty_memory_knows_nothing_of_others() -> None:
    memory = JobMemory()
    assert memory.recall(FOREIGN) == {}
    assert not memory.is_shared


def test_leased_trials_are_remembered_until_the_next_batch() -> None:
    memory = JobMemory()
    memory.keep(MARK, TRIALS)
    assert memory.recall(MARK) == {TRIAL: TRIALS[TRIAL]}
    assert not memory.is_shared


def test_a_batch_that_failed_leaves_nothing() -> None:
    memory = JobMemory()
    memory.keep(MARK, TRIALS)
    memory.recall(MARK)
    assert memory.recall(MARK) == {}
    assert not memory.is_shared


def test_nothing_is_believed_after_another_server_came_in_between() -> None:
    memory = JobMemory()
    memory.keep(MARK, TRIALS)
    assert memory.recall(FOREIGN) == {}
    assert memory.is_shared
