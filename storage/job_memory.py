"""What a committer remembers of a job between its commits, so that it does not read again what it has just written."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final

from storage.driver import ObjectId

# Commits after which a server that came in between counts as gone: some seconds of a busy job.
_FORGOTTEN_AFTER: Final = 50


@dataclass(slots=True)
class KnownTrials:
    """Trials as they stand: some by their ids, and the first of those that wait, in the order of the work list."""

    by_id: dict[ObjectId, dict[str, Any]] = field(default_factory=dict)
    waiting: deque[dict[str, Any]] = field(default_factory=deque)

    def clear(self) -> None:
        """Know nothing any more."""
        self.by_id.clear()
        self.waiting.clear()

    def kept(self) -> "KnownTrials":
        """What is of use to the next batch: those that are leased, and those that wait."""
        leased = {identity: trial for identity, trial in self.by_id.items() if trial["lease"] is not None}
        return KnownTrials(leased | {trial["_id"]: trial for trial in self.waiting}, self.waiting)


class JobMemory:
    """The trials of a job that the last commit of this process left.

    Every batch leaves a mark of its own in the job's document and finds that of the batch before it. Only where that
    one was ours has nobody else changed the trials. Whatever goes wrong in between empties the memory.
    """

    def __init__(self) -> None:
        self._mark: ObjectId | None = None
        self._trials = KnownTrials()
        self._alone = _FORGOTTEN_AFTER

    @property
    def is_shared(self) -> bool:
        """Whether another server has committed to the job lately."""
        return self._alone < _FORGOTTEN_AFTER

    def recall(self, mark: ObjectId | None) -> KnownTrials:
        """The trials, where `mark` is that of our last batch; they are gone from here, for they will be changed."""
        trials, self._trials = self._trials, KnownTrials()
        if self._mark is None or mark == self._mark:
            self._alone += 1
            return trials
        self._alone = 0
        return KnownTrials()

    def keep(self, mark: ObjectId, trials: KnownTrials) -> None:
        """Remember what our batch of this mark left, once it is committed."""
        self._mark = mark
        self._trials = trials.kept()
