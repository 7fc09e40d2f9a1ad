"""How often a caller may ask: a bucket of operations for each token, filled at a steady rate, in each process."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from domain.errors import LimitExceeded

# Callers beyond these have not been heard of for so long that their buckets are full again anyway.
MAX_CALLERS: Final = 10_000


class RateLimited(LimitExceeded):
    """The caller has to wait `retry_after` seconds, at least one."""

    def __init__(self, rate: float, retry_after: int) -> None:
        super().__init__(
            f"More than {rate:g} operations a second; wait {retry_after} s and try again.",
            code="RATE_LIMITED",
            limit=rate,
            retryAfterSeconds=retry_after,
        )
        self.retry_after = retry_after


class RateLimiter:
    """Admits `rate` operations a second for each caller in the long run, `burst` at once; without a rate, all."""

    def __init__(
        self, rate: float | None, burst: int | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = float(burst or max(1, math.ceil(2 * (rate or 0))))
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def admit(self, caller: str) -> None:
        """Count one operation of a caller. Raises RateLimited, and counts nothing, where its bucket is empty."""
        if self._rate is None:
            return
        now = self._clock()
        left, filled_at = self._buckets.pop(caller, (self._burst, now))
        left = min(self._burst, left + (now - filled_at) * self._rate)
        is_admitted = left >= 1
        self._buckets[caller] = (left - 1 if is_admitted else left, now)
        if len(self._buckets) > MAX_CALLERS:
            self._buckets.popitem(last=False)
        if not is_admitted:
            raise RateLimited(self._rate, max(1, math.ceil((1 - left) / self._rate)))
