"""Calls of other systems as data: what is asked, what comes back, and how it goes wrong."""

from dataclasses import dataclass
from typing import Protocol

from domain.canonical import JSON
from domain.trials import FailureType, TrialError


@dataclass(frozen=True, slots=True)
class Call:
    """A POST of JSON. `seconds` bound everything, `seconds_a_try` one try of `retries` + 1."""

    url: str
    body: JSON
    api_key_secret: str | None = None
    seconds: float = 600.0
    seconds_a_try: float | None = None
    retries: int = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """The JSON that came back; `latency_ms` is that of the try that was answered."""

    value: JSON
    latency_ms: float


class OutgoingFailure(Exception):
    """A call without a usable answer, with its type. The message is for people and holds no secret."""

    def __init__(self, type: FailureType, message: str) -> None:
        super().__init__(message)
        self.type = type
        self.message = message

    @property
    def error(self) -> TrialError:
        """The failure as a trial's error."""
        return TrialError(self.type.value, self.message)


class Caller(Protocol):
    """Whoever makes calls: a worker's `Outgoing`. Scoring names it so, because servers score and call nobody."""

    async def post(self, call: Call) -> Answer:
        """POST and read the JSON answer. Raises OutgoingFailure."""
