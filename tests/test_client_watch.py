"""Watching a job over a stream that breaks: every event once, in order, to the end."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import httpx
import pytest

from pinset import AsyncPinset, PinsetError, RequestError
from pinset.answers import EventLines
from pinset.synchronous import jobs
from pinset.synchronous.client import Pinset
from pinset.synchronous.transport import StreamCut

PROGRESS = {
    **dict.fromkeys(("total", "pending", "running", "scoring", "completed", "partial", "failed", "cancelled"), 0),
    "retries": 0,
    "fraction": 0.0,
    "meanReward": None,
    "secondsRemaining": None,
    "inputTokens": 0,
    "outputTokens": 0,
    "costUsd": 0.0,
}
JOB: dict[str, Any] = {
    "id": "J",
    "workspace": "default",
    "name": "run",
    "project": None,
    "description": None,
    "labels": {},
    "status": "COMPLETED",
    "statusReason": None,
    "isStalled": False,
    "tasksetRef": "s",
    "tasksetDigest": None,
    "target": {"kind": "RUNNER", "name": "r"},
    "repeats": 1,
    "maxConcurrency": 1,
    "timeoutSeconds": 1.0,
    "maxAttempts": 1,
    "failFast": False,
    "progress": PROGRESS,
    "createdAt": "2026-01-01T00:00:00Z",
    "startedAt": None,
    "finishedAt": None,
    "createdBy": None,
}


def event(seq: int, kind: str = "TrialStarted", **more: object) -> dict[str, object]:
    job = {"id": "J", "name": "run", "status": "ACTIVE"}
    common = {"seq": seq, "at": "2026-01-01T00:00:00Z", "progress": PROGRESS, "job": job}
    return {"__typename": kind, **common, **more}


def stream(*events: dict[str, object], complete: bool = False) -> httpx.Response:
    lines = [f"event: next\ndata: {json.dumps({'data': {'jobProgress': each}})}\n\n" for each in events]
    text = "".join([":\n\n", *lines, "event: complete\ndata: \n\n" if complete else ""])
    return httpx.Response(200, headers={"content-type": "text/event-stream; charset=utf-8"}, text=text)


class Script:
    """Answers subscriptions one by one as written, and records what each asked for."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = iter(answers)
        self.after: list[int | None] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if body["operationName"] == "GetJob":
            return httpx.Response(200, json={"data": {"job": JOB}})
        self.after.append(body["variables"].get("after"))
        answer = next(self.answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


def broken() -> Script:
    return Script(
        stream(event(3, "JobSnapshot"), event(4)),
        httpx.ConnectError("refused"),
        stream(),
        stream(event(5), event(6, "JobEnded", status="COMPLETED"), complete=True),
    )


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long a watcher paused; nobody really waits."""
    paused: list[float] = []

    async def sleep(seconds: float) -> None:
        paused.append(seconds)
        await anyio.lowlevel.checkpoint()

    monkeypatch.setattr("pinset.asynchronous.jobs.asyncio.sleep", sleep)
    monkeypatch.setattr("pinset.synchronous.jobs.time.sleep", paused.append)
    return paused


def client_of(script: Callable[[httpx.Request], httpx.Response]) -> Pinset:
    return Pinset("http://test", http=httpx.Client(transport=httpx.MockTransport(script)))


def test_a_broken_stream_is_taken_up_after_the_last_event(pauses: list[float]) -> None:
    script = broken()
    with client_of(script) as client:
        seen = [(item.seq, item.typename__) for item in client.jobs.watch("J")]
    assert seen == [(3, "JobSnapshot"), (4, "TrialStarted"), (5, "TrialStarted"), (6, "JobEnded")]
    assert script.after == [None, 4, 4, 4]
    assert pauses == [0.25, 0.25, 0.5]


@pytest.mark.anyio
async def test_the_asynchronous_client_waits_the_same_way(pauses: list[float]) -> None:
    script = broken()
    http = httpx.AsyncClient(transport=httpx.MockTransport(script))
    seen: list[int] = []
    async with AsyncPinset("http://test", http=http) as client:
        job = await client.jobs.wait("J", on_event=lambda item: seen.append(item.seq))
    assert (job.name, seen) == ("run", [3, 4, 5, 6])


def test_patience_has_an_end(pauses: list[float]) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with client_of(refuse) as client, pytest.raises(StreamCut, match="refused"):
        list(client.jobs.watch("J", patience=30.0))
    assert sum(pauses) >= 30.0
    assert max(pauses) == jobs._LONGEST_PAUSE


def test_a_refused_subscription_is_not_repeated(pauses: list[float]) -> None:
    error = {"message": "No such job.", "extensions": {"code": "BAD_USER_INPUT"}}
    answer = f"event: next\ndata: {json.dumps({'errors': [error]})}\n\nevent: complete\ndata: \n\n"
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, text=answer)
    with client_of(Script(response)) as client, pytest.raises(RequestError, match="No such job") as caught:
        list(client.jobs.watch("J"))
    assert (caught.value.code, pauses) == ("BAD_USER_INPUT", [])


def test_an_answer_that_is_no_stream_is_an_error() -> None:
    body = {"errors": [{"message": "No.", "extensions": {"code": "UNAUTHENTICATED"}}]}
    with client_of(Script(httpx.Response(401, json=body))) as client, pytest.raises(RequestError) as caught:
        list(client.jobs.watch("J"))
    assert (caught.value.code, caught.value.status) == ("UNAUTHENTICATED", 401)


def test_a_job_whose_events_end_without_its_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JOB, "status", "PAUSED")
    with client_of(Script(stream(complete=True))) as client, pytest.raises(PinsetError, match="is PAUSED"):
        client.jobs.wait("J")


def lines_of(text: str) -> Iterator[dict[str, Any]]:
    lines = EventLines()
    for line in text.split("\n"):
        yield from lines.take(line)


def test_lines_are_put_together_by_the_standard() -> None:
    text = 'event: next\ndata: {"data":\ndata: {"a": 1}}\n\n: comment\n\nevent:next\ndata:{"data": {"b": 2}}\n\n'
    assert list(lines_of(text)) == [{"a": 1}, {"b": 2}]
    assert list(lines_of('event: next\ndata: {"data": {"a": 1}}')) == []
