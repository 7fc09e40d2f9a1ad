"""How much a workspace may hold and run at once, as the settings say it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quotas:
    """The limits of every workspace; None is no limit.

    `records` are tasks, tasksets, metrics and jobs; `size` is the bytes of their contents in every revision, and of
    blobs; `running_trials` are those that workers and runners hold at one time.
    """

    records: int | None = None
    size: int | None = None
    running_trials: int | None = None
