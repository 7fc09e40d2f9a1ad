"""Outgoing requests: targets, judges and remote scorers against a scripted server; addresses and secrets."""

import asyncio
import ipaddress
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import MappingProxyType
from typing import Any, Final, cast

import httpcore
import httpx
import pytest

from domain.metrics import LlmJudge, MetricType, check_metric
from domain.targets import AgentTarget, GivenOutput, ModelTarget, TargetKind, check_target
from domain.trials import FailureType, TrialError, TrialOutcome, TrialStatus
from evaluation.addresses import AddressRules, ForbiddenAddress, is_public
from evaluation.calls import Answer, Call, OutgoingFailure
from evaluation.chat import completions_url
from evaluation.messages import BoundMetric
from evaluation.metrics.judge import read_scores
from evaluation.metrics.measurement import MetricFailure
from evaluation.outgoing import Outgoing, retry_after
from evaluation.rows import Work
from evaluation.scoring import ScoringPool
from evaluation.secrets import Secrets
from evaluation.targets.execution import attempt
from evaluation.targets.outputs import given_outcomes
from evaluation.verdicts import calls_out, verdict

pytestmark = pytest.mark.anyio

LOCAL: Final = AddressRules(is_local=True)
SECRET: Final = "sk-very-secret-0123456789"
MEBIBYTE: Final = 1024 * 1024


@dataclass
class Scripted:
    """A server that answers with what it was told, in order, the last for ever; None hangs up, 'hang' is silent."""

    port: int
    answers: list[Any]
    seen: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode().split("\r\n")
                headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:] if line)}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                self.seen.append((lines[0].split()[1], headers, json.loads(body)))
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if answer is None:
                    return
                if answer == "hang":
                    await asyncio.sleep(60)
                writer.write(raw(answer))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def raw(answer: Any) -> bytes:
    """A response: a body, or (status, body), or (status, body, headers)."""
    status, body, headers = (*answer, {})[:3] if isinstance(answer, tuple) else (200, answer, {})
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    extra = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} X\r\nContent-Length: {len(content)}\r\n{extra}\r\n".encode() + content


@asynccontextmanager
async def scripted(*answers: Any) -> AsyncIterator[Scripted]:
    script = Scripted(0, list(answers))
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(cast("asyncio.Task[None]", asyncio.current_task()))
        with suppress(asyncio.CancelledError):
            await script.serve(reader, writer)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    script.port = server.sockets[0].getsockname()[1]
    try:
        yield script
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def outgoing(
    rules: AddressRules = LOCAL, environment: Mapping[str, str] = MappingProxyType({})
) -> AsyncIterator[Outgoing]:
    async with Outgoing(rules, Secrets(environment), first_pause_seconds=0.001) as client:
        yield client


async def post(script: Scripted, **call: Any) -> Answer:
    async with outgoing() as client:
        return await client.post(Call(script.url + "/x", {"a": 1}, **call))


async def failure(script: Scripted, **call: Any) -> OutgoingFailure:
    with pytest.raises(OutgoingFailure) as raised:
        await post(script, **call)
    return raised.value


async def test_an_answer_and_what_was_sent() -> None:
    async with scripted({"b": [2]}) as script:
        answer = await post(script)
        assert answer.value == {"b": [2]}
        assert answer.latency_ms > 0
        path, headers, body = script.seen[0]
        assert (path, body, headers["content-type"]) == ("/x", {"a": 1}, "application/json")
        assert "authorization" not in headers


@pytest.mark.parametrize("broken", [(429, {}), (500, {}), (503, {}), None])
async def test_what_may_pass_is_tried_again(broken: Any) -> None:
    async with scripted(broken, broken, {"ok": True}) as script:
        assert (await post(script)).value == {"ok": True}
        assert len(script.seen) == 3


async def test_retries_end() -> None:
    async with scripted((503, {"error": "down"})) as script:
        found = await failure(script, retries=2)
        assert (found.type, len(script.seen)) == (FailureType.TARGET_ERROR, 3)
        assert "503" in found.message
        assert "down" in found.message
        assert not found.error.is_lost


@pytest.mark.parametrize("status", [400, 401, 404, 422, 301, 302, 204])
async def test_any_other_answer_is_final(status: int) -> None:
    async with scripted((status, b"")) as script:
        found = await failure(script)
        assert len(script.seen) == 1
        assert not found.error.is_lost


async def test_retry_after_is_honoured() -> None:
    async with scripted((429, {}, {"Retry-After": "0"}), {"ok": True}) as script:
        assert (await post(script)).value == {"ok": True}
    async with scripted((429, {}, {"Retry-After": "3600"})) as script:
        found = await failure(script, seconds=5.0)
        assert (found.type, len(script.seen)) == (FailureType.TARGET_ERROR, 1)


def test_retry_after_reads_seconds_and_dates() -> None:
    assert retry_after({"retry-after": "7"}) == 7.0
    assert retry_after({}) is None
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({"retry-after": "-1"}) is None
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < (retry_after({"retry-after": later}) or 0) <= 100
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0


async def test_silence_is_a_timeout_and_no_server_is_unreachable() -> None:
    async with scripted("hang") as script:
        found = await failure(script, seconds=0.2)
        assert (found.type, found.error.is_lost) == (FailureType.TIMEOUT, True)
        found = await failure(script, seconds=30.0, seconds_a_try=0.1, retries=1)
        assert (found.type, found.error.is_lost) == (FailureType.TIMEOUT, True)
        assert len(script.seen) == 3
    found = await failure(Scripted(unused_port(), []), retries=1)
    assert (found.type, found.error.is_lost) == (FailureType.UNREACHABLE, True)
    async with outgoing() as client:
        with pytest.raises(OutgoingFailure) as raised:
            await client.post(Call("http://no-such-host.invalid/", {}, retries=0))
        assert raised.value.type is FailureType.UNREACHABLE


def unused_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"a": NaN}', b'{"a": 1e999}', b'"\\ud800"', b"[" * 100_000])
async def test_what_is_no_json_is_an_invalid_answer(body: bytes) -> None:
    async with scripted((200, body)) as script:
        found = await failure(script)
        assert (found.type, len(script.seen)) == (FailureType.INVALID_ANSWER, 1)


async def test_an_answer_is_bounded() -> None:
    async with scripted((200, b'"' + b"x" * (8 * MEBIBYTE) + b'"')) as script:
        assert "8 MiB" in (await failure(script)).message
    async with scripted((200, b"x", {"Content-Encoding": "gzip"})) as script:
        assert (await failure(script)).type is FailureType.INVALID_ANSWER


async def test_redirects_keep_the_method_and_end() -> None:
    async with scripted((307, b"", {"Location": "/y"}), (308, b"", {"Location": "/z"}), {"ok": 1}) as script:
        assert (await post(script)).value == {"ok": 1}
        assert [(path, body) for path, _, body in script.seen] == [(path, {"a": 1}) for path in ("/x", "/y", "/z")]
    async with scripted((307, b"", {"Location": "/x"})) as script:
        assert (await failure(script)).type is FailureType.TARGET_ERROR
        assert len(script.seen) == 6
    for location in ("ftp://x/", "file:///etc/passwd", "http://user:hunter2@127.0.0.1/", "http://[::1/"):
        async with scripted((307, b"", {"Location": location})) as script:
            found = await failure(script)
            assert found.type is FailureType.FORBIDDEN_ADDRESS
            assert "hunter2" not in found.message


FORBIDDEN: Final = [
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://0.0.0.0:{port}/",
    "http://[::1]:{port}/",
    "http://[::]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://10.0.0.1:{port}/",
    "http://169.254.169.254/latest/meta-data",
    "http://[fe80::1]:{port}/",
    "http://[fd00::1]:{port}/",
    "http://100.64.0.1:{port}/",
]


@pytest.mark.parametrize("url", FORBIDDEN)
async def test_addresses_within_are_not_called(url: str) -> None:
    async with scripted({}) as script, outgoing(AddressRules()) as client:
        with pytest.raises(OutgoingFailure) as raised:
            await client.post(Call(url.format(port=script.port), {}))
        assert raised.value.type is FailureType.FORBIDDEN_ADDRESS
        assert script.seen == []
        assert not raised.value.error.is_lost


async def test_a_redirect_inside_is_not_followed() -> None:
    async with scripted({}) as inner, scripted((307, b"", {"Location": f"http://127.0.0.2:{inner.port}/"})) as outer:
        rules = AddressRules.of([f"127.0.0.1:{outer.port}"])
        async with outgoing(rules) as client:
            with pytest.raises(OutgoingFailure) as raised:
                await client.post(Call(outer.url, {}))
        assert raised.value.type is FailureType.FORBIDDEN_ADDRESS
        assert (len(outer.seen), inner.seen) == (1, [])


@pytest.mark.parametrize("allowed", ["127.0.0.1", "127.0.0.0/8", "localhost", "localhost:{port}"])
async def test_addresses_that_are_named_are_called(allowed: str) -> None:
    host = "localhost" if "localhost" in allowed else "127.0.0.1"
    async with scripted({"ok": 1}) as script:
        rules = AddressRules.of([allowed.format(port=script.port)])
        async with outgoing(rules) as client:
            assert (await client.post(Call(f"http://{host}:{script.port}/", {}))).value == {"ok": 1}


async def test_a_name_is_resolved_once_and_the_checked_address_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [["93.184.216.34", "127.0.0.1"], ["127.0.0.1"]]
    asked: list[str] = []

    async def resolve(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        addresses = answers[min(len(asked), 2) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    connected: list[str] = []

    async def connect(self: Any, host: str, *_: Any) -> Any:
        connected.append(host)
        raise httpcore.ConnectError("refused")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
    monkeypatch.setattr("httpcore.AnyIOBackend.connect_tcp", connect)
    async with outgoing(AddressRules()) as client:
        with pytest.raises(OutgoingFailure) as raised:
            await client.post(Call("http://rebinding.test/", {}, retries=0))
        assert raised.value.type is FailureType.UNREACHABLE
        assert (asked, connected) == (["rebinding.test"], ["93.184.216.34"])
        with pytest.raises(OutgoingFailure) as raised:
            await client.post(Call("http://rebinding.test/", {}, retries=0))
        assert raised.value.type is FailureType.FORBIDDEN_ADDRESS


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::808:808", True),
        ("::ffff:10.0.0.1", False),
        ("2002:7f00:1::", False),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", False),
        ("::7f00:1", False),
        ("224.0.0.1", False),
        ("ff02::1", False),
        ("240.0.0.1", False),
        ("192.168.1.1", False),
        ("fec0::1", False),
    ],
)
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public


def secret_environment(script: Scripted) -> dict[str, str]:
    return {"PINSET_SECRET_KEY": SECRET, "PINSET_SECRET_KEY_ORIGINS": f"https://other.test, {script.url}"}


async def test_a_secret_goes_to_its_origins() -> None:
    async with scripted({"ok": 1}) as script, outgoing(LOCAL, secret_environment(script)) as client:
        await client.post(Call(script.url, {}, api_key_secret="KEY"))
        assert script.seen[0][1]["authorization"] == f"Bearer {SECRET}"


async def test_a_secret_goes_nowhere_else() -> None:
    async with scripted({}) as other, scripted((307, b"", {"Location": other.url})) as script:
        async with outgoing(LOCAL, secret_environment(script)) as client:
            for url in (other.url, f"http://localhost:{script.port}/", script.url):
                with pytest.raises(OutgoingFailure) as raised:
                    await client.post(Call(url, {}, api_key_secret="KEY"))
                assert raised.value.type is FailureType.FORBIDDEN_ADDRESS
                assert SECRET not in str(raised.value)
                assert "PINSET_SECRET_KEY_ORIGINS" in str(raised.value)
        assert other.seen == []
        assert len(script.seen) == 1


@pytest.mark.parametrize("value", ["", "two words", "line\nbreak", "schlüssel"])
async def test_a_secret_that_cannot_be_sent_is_refused_by_name(value: str) -> None:
    secrets = Secrets({"PINSET_SECRET_KEY": value, "PINSET_SECRET_KEY_ORIGINS": "https://x.test"})
    with pytest.raises(ForbiddenAddress) as raised:
        secrets.headers("KEY", httpx.URL("https://x.test/v1"))
    assert "KEY" in str(raised.value)
    assert not value or value not in str(raised.value)
    assert secrets.headers(None, httpx.URL("https://x.test/v1")) == {}


async def test_a_secret_that_comes_back_is_masked() -> None:
    refusal = (401, {"error": f"Incorrect key {SECRET}"})
    async with scripted(refusal, {"echo": [SECRET]}) as script, outgoing(LOCAL, secret_environment(script)) as client:
        with pytest.raises(OutgoingFailure) as raised:
            await client.post(Call(script.url, {}, api_key_secret="KEY"))
        assert "Incorrect key ***" in str(raised.value)
        answer = await client.post(Call(script.url, {}, api_key_secret="KEY"))
        assert answer.value == {"echo": ["***"]}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.test/v1", "https://a.test/v1/chat/completions"),
        ("https://a.test/v1/", "https://a.test/v1/chat/completions"),
        ("https://a.test", "https://a.test/v1/chat/completions"),
        ("https://a.test/x/chat/completions?v=1", "https://a.test/x/chat/completions?v=1"),
        ("https://a.test/x?v=1", "https://a.test/x/chat/completions?v=1"),
    ],
)
def test_where_completions_are(url: str, expected: str) -> None:
    assert completions_url(url) == expected


def completion(content: Any, **message: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {"choices": [{"message": {"role": "assistant", "content": content, **message}}], "usage": usage}


SPEC: Final = {
    "intent": "Name the capital.",
    "inputs": {"instruction": "Capital of France?"},
    "kind": "evaluator",
    "reference": {"expected": "Paris"},
    "views": {},
}
WORK: Final = Work("france", json.dumps({"metadata": [], "spec": SPEC}))
ROW: Final = Work("row", json.dumps({"question": "2+2?"}), is_row=True)


@pytest.fixture(scope="module")
async def pool() -> AsyncIterator[ScoringPool]:
    async with ScoringPool(size=1) as running:
        yield running


def model(script: Scripted, **fields: Any) -> ModelTarget:
    target = check_target(TargetKind.MODEL, {"model": {"url": script.url, "name": "m"}, **fields})
    assert isinstance(target, ModelTarget)
    return target


async def ask(
    script: Scripted, pool: ScoringPool, target: Any, work: Work = WORK, template: str | None = None
) -> TrialOutcome:
    async with outgoing() as client:
        return await attempt(target, work, template, 5.0, pool, client)


async def test_a_model_is_asked_the_tasks_prompt(pool: ScoringPool) -> None:
    async with scripted(completion("Paris")) as script:
        found = await ask(script, pool, model(script, system_prompt="Be brief.", temperature=0.5, max_tokens=9))
        assert (found.output, found.status) == ("Paris", TrialStatus.COMPLETED)
        assert found.usage is not None
        assert (found.usage.input_tokens, found.usage.output_tokens, found.usage.cost_usd) == (11, 7, None)
        assert found.response == completion("Paris")
        path, _, body = script.seen[0]
        assert path == "/v1/chat/completions"
        assert body == {
            "model": "m",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Capital of France?"},
            ],
            "temperature": 0.5,
            "max_tokens": 9,
        }


async def test_a_prompt_is_rendered_over_the_row(pool: ScoringPool) -> None:
    async with scripted(completion("4")) as script:
        assert (await ask(script, pool, model(script), ROW, "Q: {{item.question}}")).output == "4"
        assert script.seen[0][2]["messages"] == [{"role": "user", "content": "Q: 2+2?"}]
        for template in (None, "{{item.nothing}}"):
            found = await ask(script, pool, model(script), ROW, template)
            assert found.error is not None
            assert found.error.type == "TEMPLATE_ERROR"
        leak = await ask(script, pool, model(script, prompt_template="{{item.reference.expected}}"))
        assert leak.error is not None
        assert leak.error.type == "TEMPLATE_ERROR"
        assert len(script.seen) == 1


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        (completion([{"type": "text", "text": "Pa"}, {"type": "text", "text": "ris"}]), "Paris"),
        (completion(""), ""),
        (completion(None, tool_calls=[{"function": {"name": "f"}}]), None),
        (completion(None, refusal="No."), "No."),
    ],
)
async def test_completions_of_several_shapes(pool: ScoringPool, answer: Any, output: str | None) -> None:
    async with scripted(answer) as script:
        found = await ask(script, pool, model(script))
        assert (found.output, found.status) == (output, TrialStatus.COMPLETED)


@pytest.mark.parametrize("answer", [{}, [], {"choices": []}, completion(None), {"choices": [{"message": 1}]}])
async def test_what_is_no_completion_is_an_invalid_answer(pool: ScoringPool, answer: Any) -> None:
    async with scripted(answer) as script:
        found = await ask(script, pool, model(script))
        assert found.status is TrialStatus.FAILED
        assert found.error is not None
        assert (found.error.type, found.error.is_lost) == ("INVALID_ANSWER", False)
        assert len(script.seen) == 1


def agent(script: Scripted, **fields: Any) -> AgentTarget:
    given = {
        "url": f"{script.url}/run",
        "name": "a",
        "body": {"task": "{{item.instruction}}", "id": "{{item.task.id}}", "n": 1},
        "response_path": "$.result.text",
        **fields,
    }
    target = check_target(TargetKind.AGENT, given)
    assert isinstance(target, AgentTarget)
    return target


async def test_an_agent_gets_its_body_and_is_read_by_paths(pool: ScoringPool) -> None:
    answer = {"result": {"text": "Paris"}, "steps": [{"n": 1}], "usage": {"prompt_tokens": 3, "cost": 0.25}}
    async with scripted(answer) as script:
        found = await ask(script, pool, agent(script, trajectory_path="$.steps"))
        assert (found.output, found.trajectory, found.response) == ("Paris", [{"n": 1}], answer)
        assert found.usage is not None
        assert (found.usage.input_tokens, found.usage.output_tokens, found.usage.cost_usd) == (3, None, 0.25)
        assert script.seen[0][2] == {"task": "Capital of France?", "id": "france", "n": 1}
        assert (await ask(script, pool, agent(script, response_path="$.result"))).output == '{"text": "Paris"}'
        assert (await ask(script, pool, agent(script, trajectory_path="$.none"))).trajectory is None
        lost = await ask(script, pool, agent(script, response_path="$.nothing"))
        assert lost.error is not None
        assert lost.error.type == "INVALID_ANSWER"


async def test_an_agents_body_can_hold_the_datasets_prompt(pool: ScoringPool) -> None:
    async with scripted({"result": {"text": "4"}}) as script:
        target = agent(script, body=["{{prompt}}"])
        assert (await ask(script, pool, target, ROW, "Q: {{question}}")).output == "4"
        assert script.seen[0][2] == ["Q: 2+2?"]


def test_given_outputs_and_those_missing() -> None:
    outputs = [GivenOutput(task="a", repeat=1, output="x")]
    found = given_outcomes(outputs, ["a", "b"], 2)
    assert len(found) == 4
    assert found["a", 1] == TrialOutcome(output="x")
    missing = [outcome for key, outcome in found.items() if key != ("a", 1)]
    assert [outcome.status for outcome in missing] == [TrialStatus.FAILED] * 3
    assert {outcome.error for outcome in missing} == {TrialError("NO_OUTPUT", "No output was given for this trial.")}


RANGE: Final = {"name": "quality", "minimum": 1.0, "maximum": 5.0}
RUBRIC: Final = {"name": "tone", "rubric": [{"label": "Kind", "value": 1.0}, {"label": "Rude", "value": 0.0}]}


def judge_metric(url: str, *scores: dict[str, Any], **fields: Any) -> BoundMetric:
    config = {"model": {"url": url, "name": "j"}, "scores": list(scores), **fields}
    return BoundMetric("default/judge", check_metric(MetricType.LLM_JUDGE, config))


@pytest.mark.parametrize(
    ("text", "quality", "tone"),
    [
        ('{"quality": 4, "tone": "Kind"}', 4.0, 1.0),
        ('```json\n{"quality": "4.5", "tone": "rude"}\n```', 4.5, 0.0),
        ('Let me see {not json}. {"tone": "Kind", "quality": 1} Done.', 1.0, 1.0),
        ('{"quality": 6, "tone": "Kind"}', None, 1.0),
        ('{"quality": true, "tone": "Kind"}', None, 1.0),
        ('{"quality": NaN, "tone": "Kind"}', None, 1.0),
        ('{"quality": 3, "tone": "cold"}', 3.0, None),
        ('{"quality": 3}', 3.0, None),
    ],
)
def test_a_judges_answer(text: str, quality: float | None, tone: float | None) -> None:
    metric = judge_metric("http://j.test", RANGE, RUBRIC)
    assert isinstance(metric.configuration, LlmJudge)
    found = read_scores(metric.configuration, text)
    assert [(one.name, one.value) for one in found.values] == [("quality", quality), ("tone", tone)]
    assert len(found.diagnostics) == [quality, tone].count(None)
    if tone is not None:
        assert found.values[1].label in ("Kind", "Rude")


@pytest.mark.parametrize("text", ["", "I cannot judge this.", "{}", '{"quality": "high", "tone": 3}', "[4]"])
def test_a_judge_that_gives_no_score_fails(text: str) -> None:
    metric = judge_metric("http://j.test", RANGE, RUBRIC)
    assert isinstance(metric.configuration, LlmJudge)
    with pytest.raises(MetricFailure):
        read_scores(metric.configuration, text)


@pytest.mark.parametrize(("score", "text", "value"), [(RUBRIC, " kind.\n", 1.0), (RANGE, "4", 4.0)])
def test_a_single_score_may_stand_alone(score: dict[str, Any], text: str, value: float) -> None:
    metric = judge_metric("http://j.test", score)
    assert isinstance(metric.configuration, LlmJudge)
    assert read_scores(metric.configuration, text).values[0].value == value


async def judged(script: Scripted, pool: ScoringPool, metric: BoundMetric) -> Any:
    assert calls_out([metric])
    async with outgoing() as client:
        return await verdict(WORK, TrialOutcome(output="Paris!"), [metric], pool, client)


async def test_a_judge_sees_the_row_and_scores(pool: ScoringPool) -> None:
    async with scripted(completion('{"quality": 4}')) as script:
        found = await judged(script, pool, judge_metric(script.url, RANGE))
        assert (found.reward, found.scores[0].status) == (4.0, TrialStatus.COMPLETED)
        system, user = script.seen[0][2]["messages"]
        for part in ("Capital of France?", "Paris!", '"expected": "Paris"'):
            assert part in user["content"]
        assert "quality (a number from 1 to 5)" in system["content"]
        await judged(script, pool, judge_metric(script.url, RANGE, prompt_template="{{output}}", system_prompt="Hi."))
        system, user = script.seen[1][2]["messages"]
        assert user["content"] == "Paris!"
        assert system["content"].startswith("Hi.")


@pytest.mark.parametrize("answer", [(401, {}), completion("no idea"), {"choices": []}])
async def test_a_judge_that_fails_is_a_failed_score(pool: ScoringPool, answer: Any) -> None:
    async with scripted(answer) as script:
        found = await judged(script, pool, judge_metric(script.url, RANGE))
        assert (found.reward, found.scores[0].status, found.scores[0].values) == (None, TrialStatus.FAILED, ())
        assert len(found.scores[0].diagnostics) == 1


def remote_metric(url: str, **fields: Any) -> BoundMetric:
    config = {"url": url, "body": {"text": "{{item.output}}"}, "scores": ["a", "b"], "max_retries": 1, **fields}
    return BoundMetric("default/remote", check_metric(MetricType.REMOTE, config))


@pytest.mark.parametrize(
    ("answer", "values", "status"),
    [
        ({"a": 1, "b": 0.5, "c": 9}, [1.0, 0.5], TrialStatus.COMPLETED),
        ({"a": True, "b": None}, [1.0, None], TrialStatus.PARTIAL),
        ({"a": 1, "b": "high"}, [1.0, None], TrialStatus.PARTIAL),
        ({"c": 1}, [], TrialStatus.FAILED),
        ([1, 2], [], TrialStatus.FAILED),
        ((500, {}), [], TrialStatus.FAILED),
    ],
)
async def test_a_remote_scorer(pool: ScoringPool, answer: Any, values: list[float | None], status: TrialStatus) -> None:
    async with scripted(answer) as script:
        found = await judged(script, pool, remote_metric(script.url))
        (score,) = found.scores
        assert ([value.value for value in score.values], score.status) == (values, status)
        assert len(score.diagnostics) == (0 if status is TrialStatus.COMPLETED else 1)
        assert script.seen[0][2] == {"text": "Paris!"}
        assert len(script.seen) == (2 if isinstance(answer, tuple) else 1)
