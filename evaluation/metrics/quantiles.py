"""Quantiles of distributions, by SciPy, which takes half a second to load and is needed for summaries alone."""

from functools import lru_cache


@lru_cache(maxsize=4096)
def student_t_975(degrees: int) -> float:
    """The 97.5% quantile of Student's t distribution with so many degrees of freedom (1 or more)."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.975))
