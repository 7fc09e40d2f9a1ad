"""The definition of a metric: written with GraphQL's names, stored with those that are hashed."""

from typing import Any

import pytest

from resolvers.context import Context
from tests.operations import data

pytestmark = pytest.mark.anyio

METRIC = """
mutation ($metric: MetricInput!) {
  createMetric(input: {name: "m", metric: $metric}) {
    metric { type config }
    errors { code path }
  }
}
"""

SCORE = {"name": "s", "minimum": 0, "maximum": 1}
MODEL = {"url": "http://localhost:9/v1", "name": "judge"}
TEMPLATE = {"left": "{{a}}", "right": "b"}

STORED: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"exactMatch": {"reference": "r"}}, "EXACT_MATCH", {"reference": "r", "candidate": None}),
    ({"f1": {"reference": "r", "candidate": "c"}}, "F1", {"reference": "r", "candidate": "c"}),
    ({"bleu": {"references": ["r"]}}, "BLEU", {"references": ["r"], "candidate": None}),
    ({"rouge": {"reference": "r"}}, "ROUGE", {"reference": "r", "candidate": None}),
    (
        {"stringCheck": {"operation": "STARTS_WITH", **TEMPLATE}},
        "STRING_CHECK",
        {"operation": "startswith", "left_template": "{{a}}", "right_template": "b"},
    ),
    (
        {"numberCheck": {"operation": "GREATER_OR_EQUAL", **TEMPLATE}},
        "NUMBER_CHECK",
        {"operation": ">=", "left_template": "{{a}}", "right_template": "b", "epsilon": None},
    ),
    ({"toolCalling": {"reference": "r"}}, "TOOL_CALLING", {"reference": "r"}),
    (
        {
            "llmJudge": {
                "model": {**MODEL, "apiKeySecret": "KEY"},
                "scores": [{"name": "s", "minimum": 0, "maximum": 1}],
            }
        },
        "LLM_JUDGE",
        {
            "model": {**MODEL, "api_key_secret": "KEY"},
            "prompt_template": None,
            "system_prompt": None,
            "scores": [{"name": "s", "description": None, "minimum": 0.0, "maximum": 1.0, "rubric": None}],
        },
    ),
    (
        {"remote": {"url": "http://localhost:9", "body": {"maxRetries": [1, 1.5]}, "outputs": ["o"]}},
        "REMOTE",
        {
            "url": "http://localhost:9",
            "body": {"maxRetries": [1, 1.5]},
            "scores": ["o"],
            "api_key_secret": None,
            "max_retries": 3,
            "timeout_seconds": 30.0,
        },
    ),
    ({"reward": {}}, "REWARD", {"key": "reward"}),
]


@pytest.mark.parametrize(("metric", "type_", "config"), STORED, ids=[type_ for _, type_, _ in STORED])
async def test_a_metric_is_stored_with_the_names_that_are_hashed(
    context: Context, metric: object, type_: str, config: object
) -> None:
    answered = (await data(METRIC, {"metric": metric}, context))["createMetric"]
    assert answered == {"metric": {"type": type_, "config": config}, "errors": []}


REFUSED: list[tuple[dict[str, Any], list[list[str]]]] = [
    ({"numberCheck": {"operation": "LESS", "epsilon": 1, **TEMPLATE}}, [["numberCheck"]]),
    ({"remote": {"url": "ftp://x", "body": 1, "outputs": [""]}}, [["remote", "outputs", "0"], ["remote", "url"]]),
    (
        {"llmJudge": {"model": {**MODEL, "apiKeySecret": "a b"}, "scores": [{"name": "A", "rubric": []}]}},
        [
            ["llmJudge", "model", "apiKeySecret"],
            ["llmJudge", "scores", "0", "name"],
            ["llmJudge", "scores", "0", "rubric"],
        ],
    ),
    ({"bleu": {"references": []}}, [["bleu", "references"]]),
    ({"stringCheck": {"operation": "EQUALS", "left": "\ud800", "right": ""}}, [["stringCheck", "left"]]),
]


@pytest.mark.parametrize(
    ("metric", "paths"), REFUSED, ids=lambda value: next(iter(value)) if type(value) is dict else ""
)
async def test_what_is_wrong_with_a_metric_is_named_as_the_client_wrote_it(
    context: Context, metric: object, paths: list[list[str]]
) -> None:
    answered = (await data(METRIC, {"metric": metric}, context))["createMetric"]
    assert answered["metric"] is None
    assert sorted(error["path"] for error in answered["errors"]) == [["input", "metric", *path] for path in paths]
    assert {error["code"] for error in answered["errors"]} == {"INVALID_INPUT"}
