"""The state machines of jobs and trials, their options, and what a report may hold."""

import itertools
import math

import pytest

from domain.errors import Collector, ErrorCode, InvalidInput, Problems, Refused
from domain.jobs import (
    JobOptions,
    JobStatus,
    can_become,
    check_deletion,
    check_options,
    check_reopening,
    check_transition,
    check_trial_count,
)
from domain.targets import MISSING_OUTPUT, AgentTarget, ModelTarget, OutputsTarget, TargetKind, check_target
from domain.trials import (
    FailureType,
    TrialError,
    TrialOutcome,
    TrialStatus,
    Usage,
    check_outcome,
    check_trial_transition,
)

P, A, H, C, E, X = JobStatus
LEGAL = {(P, A), (P, H), (P, X), (A, H), (A, C), (A, E), (A, X), (H, P), (H, A), (H, C), (H, E), (H, X)}


@pytest.mark.parametrize(("current", "wanted"), list(itertools.product(JobStatus, JobStatus)))
def test_every_move_of_a_job(current: JobStatus, wanted: JobStatus) -> None:
    legal = current == wanted or (current, wanted) in LEGAL
    assert can_become(current, wanted) is legal
    if legal:
        check_transition(current, wanted)
        return
    with pytest.raises(Refused) as refused:
        check_transition(current, wanted)
    assert refused.value.code is ErrorCode.INVALID_STATE
    assert current.value in refused.value.message


@pytest.mark.parametrize("status", JobStatus)
def test_only_an_ended_job_is_reopened_or_deleted(status: JobStatus) -> None:
    for check in (check_reopening, check_deletion):
        if status in (C, E, X):
            check(status)
            continue
        with pytest.raises(Refused) as refused:
            check(status)
        assert refused.value.code is ErrorCode.INVALID_STATE


def test_a_finished_trial_moves_only_by_a_retry() -> None:
    for status in TrialStatus:
        if not status.is_ended:
            continue
        check_trial_transition(status, TrialStatus.PENDING)
        for wanted in set(TrialStatus) - {TrialStatus.PENDING}:
            with pytest.raises(Refused):
                check_trial_transition(status, wanted)


def test_options_report_every_problem_at_once() -> None:
    problems = Collector()
    check_options(JobOptions(0, 1001, math.nan, 0), problems)
    assert [error.path for error in problems.errors] == [
        ("repeats",),
        ("maxConcurrency",),
        ("maxAttempts",),
        ("timeoutSeconds",),
    ]
    assert problems.errors[1].code is ErrorCode.LIMIT_EXCEEDED
    fine = Collector()
    check_options(JobOptions(), fine)
    assert fine.errors == []


def test_a_job_has_at_most_50000_trials() -> None:
    check_trial_count(50, 1000)
    with pytest.raises(InvalidInput) as refused:
        check_trial_count(51, 1000)
    assert refused.value.code is ErrorCode.LIMIT_EXCEEDED


ERROR = TrialError("CRASH", "boom")


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (TrialOutcome(output=""), TrialStatus.COMPLETED),
        (TrialOutcome(response={}), TrialStatus.COMPLETED),
        (TrialOutcome(reward=0.0), TrialStatus.COMPLETED),
        (TrialOutcome(rewards={"reward": 1.0}), TrialStatus.COMPLETED),
        (TrialOutcome(output_blob="0" * 64), TrialStatus.COMPLETED),
        (TrialOutcome(output="half", error=ERROR), TrialStatus.PARTIAL),
        (TrialOutcome(reward=0.0, error=ERROR), TrialStatus.PARTIAL),
        (TrialOutcome(trajectory=[], error=ERROR), TrialStatus.FAILED),
        (TrialOutcome(rewards={}, error=ERROR), TrialStatus.FAILED),
    ],
)
def test_the_status_follows_from_result_and_error(outcome: TrialOutcome, status: TrialStatus) -> None:
    assert outcome.status is status


def test_a_reported_reward_is_found_by_its_key() -> None:
    outcome = TrialOutcome(reward=0.5, rewards={"speed": 0.0})
    assert outcome.reward_of("reward") == 0.5
    assert outcome.reward_of("speed") == 0.0
    assert outcome.reward_of("style") is None
    assert TrialOutcome(reward=0.5, rewards={"reward": 0.25}).reward_of("reward") == 0.25


def test_only_what_never_answered_may_be_attempted_again() -> None:
    lost = {kind for kind in FailureType if TrialError(kind, "x").is_lost}
    assert lost == {FailureType.TIMEOUT, FailureType.UNREACHABLE, FailureType.LEASE_EXPIRED}
    assert not TrialError("anything else", "x").is_lost


def test_a_report_names_everything_that_is_wrong_with_it() -> None:
    bad = TrialOutcome(
        output="\ud800",
        response={"a": math.nan},
        trajectory="x" * (8 * 1024 * 1024 + 1),
        reward=math.inf,
        rewards={"b": True, "c": 10**400},
        error=TrialError("", "m" * 70_000),
        usage=Usage(-1, 2**53 + 1, math.nan),
    )
    with pytest.raises(Problems) as refused:
        check_outcome(bad)
    assert [error.path for error in refused.value.errors] == [
        ("output",),
        ("response", "a"),
        ("trajectory",),
        ("reward",),
        ("rewards", "b"),
        ("rewards", "c"),
        ("error", "type"),
        ("error", "message"),
        ("usage", "inputTokens"),
        ("usage", "outputTokens"),
        ("usage", "costUsd"),
    ]


def test_an_empty_report_is_refused() -> None:
    with pytest.raises(Problems) as refused:
        check_outcome(TrialOutcome(usage=Usage(1, 1, 0.0)))
    assert len(refused.value.errors) == 1
    assert check_outcome(TrialOutcome(error=ERROR)).status is TrialStatus.FAILED


MODEL = {"url": "https://models.test/v1?api_key=abc&x=1", "name": "m", "api_key_secret": "OPENAI"}


def test_a_targets_config_masks_what_looks_like_a_secret() -> None:
    target = check_target(TargetKind.MODEL, {"model": MODEL, "temperature": 0})
    assert isinstance(target, ModelTarget)
    assert target.name == "m"
    assert target.config() == {
        "model": {"api_key_secret": "OPENAI", "name": "m", "url": "https://models.test/v1?api_key=***&x=1"},
        "prompt_template": None,
        "system_prompt": None,
        "temperature": 0.0,
        "max_tokens": None,
    }


@pytest.mark.parametrize(
    "url", ["ftp://x", "https://user:pass@x.test/", "https://", "https://x.test:99999/", "http://[::1/", "file:///etc"]
)
def test_an_address_with_credentials_or_without_host_is_refused(url: str) -> None:
    with pytest.raises(Problems) as refused:
        check_target(TargetKind.MODEL, {"model": {**MODEL, "url": url}})
    assert [error.path for error in refused.value.errors] == [("model", "url")]
    assert "pass" not in refused.value.message or "password" in refused.value.message


def test_an_agents_problems_come_with_their_paths() -> None:
    fields = {"url": "http://x.test", "name": "", "body": {"a": math.inf}, "response_path": "", "api_key_secret": "a b"}
    with pytest.raises(Problems) as refused:
        check_target(TargetKind.AGENT, fields)
    assert [error.path for error in refused.value.errors] == [
        ("name",),
        ("body",),
        ("responsePath",),
        ("apiKeySecret",),
    ]
    agent = check_target(
        TargetKind.AGENT,
        {**fields, "name": "a", "body": ["{{ x }}"], "response_path": "$.x"} | {"api_key_secret": None},
    )
    assert isinstance(agent, AgentTarget)
    assert agent.body == ["{{ x }}"]


def test_outputs_are_for_known_tasks_and_given_once() -> None:
    given = [
        {"task": "a", "output": "x"},
        {"task": "a", "output": "y"},
        {"task": "b", "repeat": 1, "output": "z"},
        {"task": "c", "output": "z"},
    ]
    target = check_target(TargetKind.OUTPUTS, {"outputs": given})
    assert isinstance(target, OutputsTarget)
    assert target.config() == {"outputs": 4}
    with pytest.raises(Problems) as refused:
        target.check_covers(["a", "b"], 1)
    assert [error.path for error in refused.value.errors] == [
        ("outputs", 1),
        ("outputs", 2, "repeat"),
        ("outputs", 3, "task"),
    ]


def test_a_given_output_becomes_an_outcome() -> None:
    target = check_target(
        TargetKind.OUTPUTS,
        {"outputs": [{"task": "a", "output": "x", "error": "late"}, {"task": "b"}, {"task": "c", "error": "crash"}]},
    )
    assert isinstance(target, OutputsTarget)
    partial, missing, failed = (output.outcome() for output in target.outputs)
    assert partial.status is TrialStatus.PARTIAL
    assert missing == MISSING_OUTPUT
    assert missing.error == TrialError("NO_OUTPUT", "No output was given for this trial.")
    assert failed.status is TrialStatus.FAILED
    assert failed.error == TrialError("REPORTED", "crash")


def test_outputs_are_checked_as_json() -> None:
    given = [{"task": "a", "response": {"x": math.nan}}, {"task": "b", "reward": math.inf}]
    with pytest.raises(Problems) as refused:
        check_target(TargetKind.OUTPUTS, {"outputs": given})
    assert [error.path for error in refused.value.errors] == [("outputs", 0, "response", "x")]
