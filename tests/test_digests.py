"""Canonical text and digests: the platform's vectors, and what the door refuses."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.canonical import canonical_text, check_json, digest_of, parse_json
from domain.content import (
    EvaluatorDraft,
    HarborDraft,
    MetadataItem,
    TaskDraft,
    TasksetDraft,
    TemplateDraft,
    check_task,
    check_taskset,
    taskset_content,
)
from domain.errors import Collector, ErrorCode, InvalidInput, Problems
from domain.limits import MAX_CONTENT_BYTES
from tests.drafts import GEOGRAPHY, SUITE, SUITE_DESCRIPTION

FRANCE = "d7d6a54b1651988f1c7a1f6b459124f28e9565c93b8cc2619a2e22393d510f52"
FRANCE_AGAIN = "8901c76d67d4c42c1a9699092df415ef79e96f3e7a573b0ba7363c70bba96444"
JAPAN = "8632aea4614c5fd697a2df186dff29c4f3366e95ab9f3b28d3a144a0b60d702c"
SUITE_DIGEST = "2f7dfe3f3ca90d4bd1a9177513ec24597f704edf8df5a1f8e5740ed06c257120"
ABSENT_WEIGHT = {
    "reward": {
        "reducer": "weighted_mean",
        "signals": [
            {"metric": "exact-match", "output": "exact-match", "weight": 2},
            {"metric": "f1", "output": "f1"},
        ],
    }
}
NUMBERS = EvaluatorDraft("n", "i", {"a": 1e16, "b": 1e-7}, {"w": 1e20, "x": 9007199254740993, "y": 1.0, "z": -0.0})


def _geography(instruction: str) -> TaskDraft:
    return TaskDraft(EvaluatorDraft(GEOGRAPHY, instruction, metrics=["answer-exact-match"]), SUITE)


TASK_VECTORS = [
    (_geography("What is the capital of France?"), FRANCE),
    (_geography("Name the capital city of France."), FRANCE_AGAIN),
    (_geography("What is the capital of Japan?"), JAPAN),
    (
        TaskDraft(
            HarborDraft(
                "default/hello-world#dist.tar.gz",
                "a" * 64,
                'Create a file called hello.txt with "Hello, world!" as the content.',
                {"any": "config"},
            )
        ),
        "e992cc05364d72a4f792e32137634a29a9844507e632c217de7da379d13d375f",
    ),
    (TaskDraft(EvaluatorDraft("Größe")), "826c3470915235dc4dbd4c257c8b72ec5febb8c13de4b038a8aaffbf186b5850"),
    (
        TaskDraft(EvaluatorDraft("v", metrics=["m"], views=ABSENT_WEIGHT)),
        "741904a9a5461e5198fe0ad824eb52218c80bc9303d0592e47779b689c5c1ece",
    ),
    (
        TaskDraft(NUMBERS, [MetadataItem("a", None), MetadataItem("b", 1.5)]),
        "ba1814d3c27f06cf69a74668d9e408f590d61e3e01b6b005a4b30aab65429c15",
    ),
    (
        TaskDraft(EvaluatorDraft("u", reference={"": 1, "a.b": {"$c": []}, "é": "😀"})),
        "e9142c95d0cd544c64f4154089b72bb89bf2047b1fb8ba9f463212d6f20ba8f1",
    ),
    (
        TaskDraft(
            TemplateDraft("letter-count", "count_letter", {"word": "raspberry"}),
            [MetadataItem("difficulty", "easy"), MetadataItem("length", 9)],
        ),
        "75726b955f9276d03decf0a86f8dcffeee1bcc0b5bf168879760ee7eefadae73",
    ),
]


@pytest.mark.parametrize(("draft", "digest"), TASK_VECTORS)
def test_the_digests_of_tasks_are_those_of_the_platform(draft: TaskDraft, digest: str) -> None:
    content = check_task(draft, "default")
    assert content.digest == digest
    assert digest_of(content.text) == digest


@pytest.mark.parametrize(
    ("draft", "members", "digest"),
    [
        (
            TasksetDraft(SUITE_DESCRIPTION),
            [f"default/capital-of-japan#{JAPAN}", f"default/capital-of-france#{FRANCE}"],
            SUITE_DIGEST,
        ),
        (
            TasksetDraft(files_ref="default/f#files"),
            [],
            "3c602d885782b08fada88815f412480ceac1b1d3ebb094aa15e5ba92a7b420d0",
        ),
    ],
)
def test_the_digests_of_tasksets_are_those_of_the_platform(
    draft: TasksetDraft, members: list[str], digest: str
) -> None:
    problems = Collector()
    head = check_taskset(draft, problems)
    problems.finish()
    content = taskset_content(head, members)
    assert content.digest == digest
    assert content.members == tuple(members)


def test_defaults_and_their_absence_are_one_content() -> None:
    bare = check_task(TaskDraft(EvaluatorDraft("x")), "default")
    full = check_task(TaskDraft(EvaluatorDraft("x", None, {}, {}, [], {})), "default")
    assert bare.text == full.text


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_what_is_hashed_reads_back_identical(value: Any) -> None:
    text = canonical_text(check_json(value))
    assert text.isascii()
    again = parse_json(text)
    assert canonical_text(check_json(again)) == text
    assert json.dumps(again, sort_keys=True) == json.dumps(value, sort_keys=True)


DEEP: Any = 1
for _ in range(65):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": [1, float("nan")]}, ("a", 1)),
        ({"a": float("inf")}, ("a",)),
        ({"a": parse_json("1e400")}, ("a",)),
        ([2**63], (0,)),
        ([-(2**63) - 1], (0,)),
        ({"x": {"y": "\ud800"}}, ("x", "y")),
        ({"x": {"\udfff": 1}}, ("x",)),
        (DEEP, (0,) * 64),
        ({"x": {1: 2}}, ("x",)),
        ({"x": {1, 2}}, ("x",)),
    ],
)
def test_the_door_refuses_with_the_path(value: Any, path: tuple[str | int, ...]) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_json(value)
    assert caught.value.path == path


@pytest.mark.parametrize("text", ["9" * 5_000, "[" * 100_000, "{", "", "nul", '"\x01"', b"\xff"])
def test_every_failure_of_the_parser_is_an_error_of_ours(text: str | bytes) -> None:
    with pytest.raises(InvalidInput):
        parse_json(text)


@pytest.mark.parametrize(
    "value", [2**63 - 1, -(2**63), "\x00", "😀", {"": 1, "a.b": {"$c": []}}, 1, 1.0, -0.0, DEEP[0]]
)
def test_the_door_admits(value: Any) -> None:
    text = canonical_text(check_json(value))
    assert canonical_text(check_json(parse_json(text))) == text


def test_content_at_the_limit_passes_and_one_byte_more_is_refused() -> None:
    empty = len(check_task(TaskDraft(EvaluatorDraft("")), "default").text)
    room = MAX_CONTENT_BYTES - empty
    assert len(check_task(TaskDraft(EvaluatorDraft("x" * room)), "default").text) == MAX_CONTENT_BYTES
    with pytest.raises(InvalidInput) as caught:
        check_task(TaskDraft(EvaluatorDraft("x" * (room + 1))), "default")
    assert caught.value.code is ErrorCode.LIMIT_EXCEEDED


def test_all_problems_of_a_task_come_at_once() -> None:
    draft = TaskDraft(
        EvaluatorDraft(
            "\ud800", None, {"instruction": 1}, [1], ["a/b/c", "ok", "m#x"], {"v": {"reducer": "max", "signals": []}}
        ),
        [MetadataItem("k", 1), MetadataItem("k", float("nan"))],
        ["a b", "latest", "0" * 64],
    )
    with pytest.raises(Problems) as caught:
        check_task(draft, "default")
    assert [".".join(map(str, error.path)) for error in caught.value.errors] == [
        "spec.evaluator.intent",
        "spec.evaluator.inputs.extra.instruction",
        "spec.evaluator.metrics.0",
        "spec.evaluator.metrics.2",
        "spec.evaluator.reference",
        "spec.evaluator.views.v.reducer",
        "metadata.1.key",
        "metadata.1.value",
        "tags.0",
        "tags.2",
    ]


@pytest.mark.parametrize(
    ("draft", "path"),
    [
        (HarborDraft("nowhere", "a" * 64), "spec.harbor.archiveRef"),
        (HarborDraft("a/b#c", "A" * 64), "spec.harbor.archiveDigest"),
        (HarborDraft("a/b#c", "a" * 64, None, [1]), "spec.harbor.config"),
        (TemplateDraft("", "t"), "spec.template.env"),
        (TemplateDraft("e", ""), "spec.template.template"),
        (TemplateDraft("e", "t", [1]), "spec.template.args"),
        (TemplateDraft("e", "t", {}, "x"), "spec.template.agentConfig"),
    ],
)
def test_each_kind_is_checked(draft: HarborDraft | TemplateDraft, path: str) -> None:
    with pytest.raises(Problems) as caught:
        check_task(TaskDraft(draft), "default")
    assert [".".join(map(str, error.path)) for error in caught.value.errors] == [path]
