"""Outputs that exist already: what each trial of a job gets, without calling anybody."""

from collections.abc import Iterable

from domain.targets import MISSING_OUTPUT, GivenOutput
from domain.trials import TrialOutcome


def given_outcomes(
    outputs: Iterable[GivenOutput], tasks: Iterable[str], repeats: int
) -> dict[tuple[str, int], TrialOutcome]:
    """The outcome of every (task, repeat) of a job; where no output was given it is a failure, NO_OUTPUT."""
    given = {(output.task, output.repeat): output.outcome() for output in outputs}
    return {(task, repeat): given.get((task, repeat), MISSING_OUTPUT) for task in tasks for repeat in range(repeats)}
