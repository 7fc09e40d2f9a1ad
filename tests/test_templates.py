"""Templates and the rows that they see."""

import json
from typing import Any

import pytest

from domain.errors import ErrorCode, InvalidInput, Problems
from domain.metrics import MetricType, check_metric
from domain.targets import TargetKind, check_target
from domain.trials import TrialError, TrialOutcome
from evaluation.paths import PathFailure, check_path, find
from evaluation.rows import Work, prompt_context, prompt_of, row_outcome, scoring_context
from evaluation.template_checks import check_metric_templates, check_target_templates
from evaluation.templates import TemplateFailure, check_json_template, check_template, render, render_json

CONTENT = {
    "metadata": [{"key": "topic", "value": "capitals"}],
    "spec": {
        "intent": "Answer with a capital.",
        "inputs": {"instruction": "What is the capital of France?", "country": "France", "task": "mine"},
        "reference": {"expected": "Paris", "country": "Gaul", "output": "no"},
        "kind": "evaluator",
        "metrics": [],
        "views": {},
    },
}
WORK = Work("france", json.dumps(CONTENT), repeat=2, trial_id="T1")
OUTCOME = TrialOutcome(output="It is Paris.", response={"a": [1]}, error=TrialError("SLOW", "late"))
CONTEXT = scoring_context(WORK, OUTCOME)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{item.reference.expected}}", "Paris"),
        ("{{item.expected}}", "Paris"),
        ("{{expected}}", "Paris"),
        ("{{reference.expected}}", "Paris"),
        ("{{sample.output_text}}", "It is Paris."),
        ("{{item.output}}", "It is Paris."),
        ("{{output_text}}", "It is Paris."),
        ("{{item.country}}", "Gaul"),
        ("{{item.inputs.country}}", "France"),
        (
            "{{item.task.id}} {{item.task.metadata.topic}} {{item.task.intent}}",
            "france capitals Answer with a capital.",
        ),
        ("{{item.trial.status}} {{item.trial.error.type}} {{item.trial.id}}", "partial SLOW T1"),
        ("{{item.trial.metadata.repeat}} {{item.trial.task_id}}", "2 france"),
        ("{{item.instruction}}", "What is the capital of France?"),
        ("{{sample.response.a[0] + 1}}", "2"),
        ("{{ item.expected | upper }}", "PARIS"),
        ("no template", "no template"),
    ],
)
def test_both_spellings(template: str, expected: str) -> None:
    assert render(template, CONTEXT) == expected


def test_the_intent_stands_in_for_a_missing_instruction() -> None:
    spec = {**CONTENT["spec"], "inputs": {"instruction": None}}  # type: ignore[dict-item]
    work = Work("x", json.dumps({"metadata": [], "spec": spec}))
    assert prompt_of(work) == "Answer with a capital."
    assert render("{{item.instruction}}", prompt_context(work)) == "Answer with a capital."
    assert prompt_of(WORK) == "What is the capital of France?"


@pytest.mark.parametrize("template", ["{{item.reference}}", "{{item.expected}}", "{{expected}}", "{{reference}}"])
def test_a_prompt_never_sees_the_reference(template: str) -> None:
    assert render("{{item.country}}", prompt_context(WORK)) == "France"
    with pytest.raises(TemplateFailure):
        render(template, prompt_context(WORK))


def test_nothing_produced_is_undefined() -> None:
    context = scoring_context(WORK, TrialOutcome(reward=1.0))
    for template in ("{{item.output}}", "{{sample.output_text}}", "{{output_text}}"):
        with pytest.raises(TemplateFailure):
            render(template, context)


ROW = Work("row", json.dumps({"question": "2+2?", "expected": "4", "values": [1], "output": "4"}), is_row=True)


def test_a_dataset_row_is_item_itself() -> None:
    context = scoring_context(ROW, TrialOutcome(output="four"))
    assert render("{{item.question}} {{question}} {{item.expected}}", context) == "2+2? 2+2? 4"
    assert render("{{item.output}} {{sample.output_text}}", context) == "4 four"
    assert render("{{item.values}}", context) == "[1]"
    assert render("{{item.question}}", prompt_context(ROW)) == "2+2?"
    assert prompt_of(ROW) is None
    bare = Work("row", json.dumps({"question": "2+2?"}), is_row=True)
    assert render("{{item.output}}", scoring_context(bare, TrialOutcome(output="four"))) == "four"


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        ({"output": "x"}, TrialOutcome(output="x")),
        ({"output": ""}, TrialOutcome(output="")),
        ({"output": {"a": 1}}, TrialOutcome(output='{"a": 1}')),
        ({"output_text": "x", "reward": 1}, TrialOutcome(output="x", reward=1.0)),
        ({"response": "x"}, TrialOutcome(output="x")),
        ({"response": {"choices": []}, "reward": True}, TrialOutcome(response={"choices": []})),
        ({"output": None, "question": "x"}, None),
        ({}, None),
    ],
)
def test_the_outcome_that_a_row_brings_along(row: dict[str, Any], outcome: TrialOutcome | None) -> None:
    assert row_outcome(row) == outcome


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__ }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ ''|attr('__class__') }}",
        "{{ ''|attr('\\x5f\\x5fclass\\x5f\\x5f') }}",
        "{{ '{0.__class__.__mro__}'.format(1) }}",
        "{{ ('{0.__class__}'|attr('format'))(1) }}",
        "{% set f = '{0.__class__}'.format %}{{ f(1) }}",
        "{{ ['{0.__class__}']|map('format', 1)|list }}{{ x.__init__ }}",
        "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
        "{{ self.__init__.__globals__ }}",
        "{{ joiner.__init__.__globals__ }}",
        "{{ namespace.__init__.__globals__ }}",
        "{{ lipsum.__globals__.os }}",
        "{{ item.__class__ }}",
        "{{ item.update({'a': 1}) }}",
        "{{ item.inputs.clear() }}",
        "{{ sample.response.a.append(2) }}",
        "{{ range(1000000) | list }}",
        "{{ item | attr('__getattribute__') }}",
        "{% for i in range(10**9) %}x{% endfor %}",
        "{{ 1 / 0 }}",
        "{{ item.unknown }}",
        "{{ item | nofilter }}",
        "{{ unknown }}",
        "{{ [1, 2] | random }}",
        "{% include '/etc/passwd' %}",
        "{% import 'os' as os %}",
    ],
)
def test_a_template_that_reaches_out_or_breaks_fails(template: str) -> None:
    with pytest.raises(TemplateFailure):
        render(template, CONTEXT)


def test_a_rendered_text_is_bounded() -> None:
    with pytest.raises(TemplateFailure, match="8 MiB"):
        render("{% for i in range(100) %}{{ 'a' * 100000 }}{% endfor %}", CONTEXT)


def test_rows_stay_as_they_are() -> None:
    before = json.dumps(CONTEXT)
    render("{% set item = 1 %}{% set x = namespace(a=1) %}{% set x.a = 2 %}{{ x.a }}", CONTEXT)
    assert json.dumps(CONTEXT) == before


def test_json_templates_render_strings_and_keep_the_rest() -> None:
    body = {"n": 1, "none": None, "list": ["{{item.expected}}", True, {"{{key}}": "{{item.output}}"}]}
    assert render_json(body, CONTEXT) == {  # type: ignore[arg-type]
        "n": 1,
        "none": None,
        "list": ["Paris", True, {"{{key}}": "It is Paris."}],
    }


@pytest.mark.parametrize(
    "text",
    ["{{ item. }}", "{% for %}", "{{ 'open", "{% if x %}", "{{ x | nofilter }}", "{% bogus %}", "{{" + "(" * 5000],
)
def test_syntax_is_checked_without_rendering(text: str) -> None:
    if "nofilter" in text:
        check_template(text)  # filters are looked up when a template is compiled
        with pytest.raises(TemplateFailure):
            render(text, CONTEXT)
        return
    with pytest.raises(InvalidInput) as refused:
        check_template(text, ("reference",))
    assert refused.value.path == ("reference",)


def test_a_bomb_passes_the_check_unrendered() -> None:
    check_template("{{ 'a' * 500000000 }}")
    check_template("{{ 9**9**9**9 }}")


def test_templates_are_bounded_in_length_and_number() -> None:
    check_template("x" * 100_000)
    with pytest.raises(InvalidInput) as refused:
        check_template("{{ x }}" * 10_000)
    assert refused.value.code is ErrorCode.LIMIT_EXCEEDED
    check_json_template(["{{ x }}"] * 1_000)
    with pytest.raises(Problems) as many:
        check_json_template(["{{ x }}"] * 1_001, ("body",))
    assert [error.path for error in many.value.errors] == [("body",)]


def test_every_bad_string_of_a_body_is_named() -> None:
    with pytest.raises(Problems) as refused:
        check_json_template({"a": "{{", "b": ["fine {{ x }}", "{% if %}"]}, ("body",))
    assert [error.path for error in refused.value.errors] == [("body", "a"), ("body", "b", 1)]


ANSWER: Any = {"choices": [{"message": {"content": "hi"}}], "n": None}


@pytest.mark.parametrize(
    ("path", "expected"),
    [("$.choices[0].message.content", "hi"), ("choices[*].message", {"content": "hi"}), ("$.n", None)],
)
def test_paths(path: str, expected: object) -> None:
    check_path(path)
    assert find(path, ANSWER) == expected


def test_a_path_that_leads_nowhere_fails() -> None:
    for path in ("$.choices[3]", "$.nothing.here"):
        with pytest.raises(PathFailure):
            find(path, ANSWER)


@pytest.mark.parametrize("path", ["$.[", "$..[?(", "", "x" * 1001, "$." + "(" * 900])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput):
        check_path(path, ("responsePath",))


def paths(check: Any, *values: Any) -> list[tuple[str | int, ...]]:
    with pytest.raises(Problems) as refused:
        check(*values)
    return [error.path for error in refused.value.errors]


def test_the_templates_of_a_metric_are_checked_where_it_is_handed_in() -> None:
    bad = "{{ x"
    fields: Any
    for type, fields, found in (
        (MetricType.F1, {"reference": bad, "candidate": bad}, [("reference",), ("candidate",)]),
        (MetricType.BLEU, {"references": ["{{ x }}", bad]}, [("references", 1)]),
        (MetricType.REMOTE, {"url": "http://x.test", "scores": ["a"], "body": {"a": [bad]}}, [("body", "a", 0)]),
    ):
        assert paths(check_metric_templates, check_metric(type, fields).configuration) == found
    check_metric_templates(check_metric(MetricType.F1, {"reference": "{{ x }}"}).configuration)


def test_the_templates_and_paths_of_a_target_are_checked_where_it_is_handed_in() -> None:
    model = {"model": {"url": "http://x.test", "name": "m"}, "prompt_template": "{{"}
    assert paths(check_target_templates, check_target(TargetKind.MODEL, model)) == [("promptTemplate",)]
    agent = {"url": "http://x.test", "name": "a", "body": {"q": "{%"}, "response_path": "$[", "trajectory_path": "$["}
    found = paths(check_target_templates, check_target(TargetKind.AGENT, agent))
    assert found == [("body", "q"), ("responsePath",), ("trajectoryPath",)]
    check_target_templates(check_target(TargetKind.RUNNER, {"name": "r"}))
