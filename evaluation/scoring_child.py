"""A child process of the scoring pool: reads requests, answers each in order, and dies where one takes too much.

It starts with no environment of the server's and without a way to write files. Time is bounded by a timer whose
signal the kernel delivers even inside a regular expression, memory by the address space.
"""

import json
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, Final

import evaluation.languages  # noqa: F401 - loaded here, outside the bounds of the request that needs it first
from domain.metrics import MetricType
from evaluation.messages import (
    LENGTH,
    Message,
    framed_answer,
    read_metrics,
    read_outcome,
    read_work,
    score_fields,
)
from evaluation.metrics import local
from evaluation.metrics.measurement import Sample
from evaluation.paths import PathFailure, find
from evaluation.rows import prompt_context, scoring_context
from evaluation.templates import TemplateFailure, render_json

MAX_REQUESTS: Final = 50_000


class _Bounds:
    """Seconds a request and bytes beyond what the process itself takes."""

    def __init__(self, seconds: float, memory_bytes: int) -> None:
        self._seconds = seconds
        self._memory_bytes = memory_bytes
        self._loaded: set[MetricType] = set()
        for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
            with suppress(ValueError, OSError):
                resource.setrlimit(kind, (0, 0))
        self._bound_memory()

    def load(self, types: set[MetricType]) -> None:
        """Import what metrics need, outside the time and memory of the request that asks first."""
        if types <= self._loaded:
            return
        _limit_memory(self._hardest)
        for type in types:
            local.load(type)
        self._loaded |= types
        self._bound_memory()

    def start(self) -> None:
        """Start the clock of a request; the default action of its signal ends the process."""
        signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def stop(self) -> None:
        """Stop the clock."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _bound_memory(self) -> None:
        # Only Linux says how much is in use; elsewhere the bound counts from nothing.
        used = 0
        with suppress(OSError), open("/proc/self/statm") as pages:
            used = int(pages.read().split()[0]) * resource.getpagesize()
        wanted = used + self._memory_bytes
        unlimited = self._hardest == resource.RLIM_INFINITY
        _limit_memory(wanted if unlimited else min(wanted, self._hardest))

    @property
    def _hardest(self) -> int:
        return resource.getrlimit(resource.RLIMIT_AS)[1]


def _limit_memory(bytes: int) -> None:
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (bytes, resource.getrlimit(resource.RLIMIT_AS)[1]))


def main() -> None:
    """Serve until the parent closes the pipe, which it also does by dying."""
    tempfile.gettempdir()  # libraries ask while they are imported, and it is found by writing
    bounds = _Bounds(float(sys.argv[1]), int(sys.argv[2]))
    requests, answers = _pipes()
    _send(answers, {"ready": True})
    served, is_retiring = 0, False
    while not is_retiring:
        body = _receive(requests)
        if body is None:
            return
        answer = _answer(body, bounds)
        served += 1
        is_retiring = "lost" in answer or served == MAX_REQUESTS
        _send(answers, {**answer, "retiring": is_retiring})


def _pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent, out of reach of whatever prints: the usual numbers lead nowhere afterwards."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    return requests, answers


def _receive(requests: BinaryIO) -> bytes | None:
    header = requests.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(header)
    body = requests.read(length)
    return body if len(body) == length else None


def _send(answers: BinaryIO, message: Message) -> None:
    answers.write(framed_answer(message))
    answers.flush()


def _answer(body: bytes, bounds: _Bounds) -> Message:
    try:
        message: Message = json.loads(body)
        if message["op"] == "score":
            bounds.load({configuration.type for _, configuration in read_metrics(message)})
        bounds.start()
        return _OPERATIONS[message["op"]](message)
    except (TemplateFailure, PathFailure) as failure:
        return {"failure": str(failure)}
    except RecursionError:
        return {"failure": "It nests too deeply."}
    except MemoryError:
        # Freed memory may be in pieces by now; a fresh process is cheap.
        return {"lost": "needed more memory than it may take"}
    except Exception as error:
        return {"failure": f"It failed: {type(error).__name__}: {error}."}
    finally:
        bounds.stop()


def _score(message: Message) -> Message:
    outcome = read_outcome(message)
    assert outcome is not None
    sample = Sample(outcome, scoring_context(read_work(message), outcome))
    scores = [local.score(ref, configuration, sample) for ref, configuration in read_metrics(message)]
    return {"scores": [score_fields(score) for score in scores]}


def _render(message: Message) -> Message:
    outcome, work = read_outcome(message), read_work(message)
    context = prompt_context(work) if outcome is None else scoring_context(work, outcome)
    return {"value": render_json(message["template"], {**context, **message["extra"]})}


def _find(message: Message) -> Message:
    return {"value": find(message["path"], message["value"])}


_OPERATIONS: Final[dict[str, Callable[[Message], dict[str, Any]]]] = {
    "score": _score,
    "render": _render,
    "find": _find,
}

if __name__ == "__main__":
    main()
