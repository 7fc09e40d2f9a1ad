"""What a committer remembers of a job between its commits, so that it does not read again what it has just written."""

from collections.abc import Mapping
from typing import Any

from storage.driver import ObjectId


class JobMemory:
    """The leased trials of a job as the last commit of this process left them.

    Every batch leaves a mark of its own in the job's document and finds that of the batch before it. Only where that
    one was ours has nobody else changed the trials. Whatever goes wrong in between empties the memory.
    """

    def __init__(self) -> None:
        self._mark: ObjectId | None = None
        self._trials: dict[ObjectId, dict[str, Any]] = {}
        self.is_shared = False

    def recall(self, mark: ObjectId | None) -> dict[ObjectId, dict[str, Any]]:
        """The trials, where `mark` is that of our last batch; they are gone from here, for they will be changed.

        `is_shared` tells from now on whether another server has committed to the job since.
        """
        self.is_shared = self._mark is not None and mark != self._mark
        trials, self._trials = {} if self.is_shared else self._trials, {}
        return trials

    def keep(self, mark: ObjectId, trials: Mapping[ObjectId, dict[str, Any]]) -> None:
        """Remember what our batch of this mark left, once it is committed."""
        self._mark = mark
        self._trials = {identity: trial for identity, trial in trials.items() if trial["lease"] is not None}
