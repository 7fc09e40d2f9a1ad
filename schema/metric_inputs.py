"""The definition of a metric as a client writes it, and its translation to the hashed configuration.

The configuration keeps the platform's snake_case names; a few fields have another name here.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar, Final

import strawberry
from strawberry.utils.str_converters import to_camel_case

from domain.errors import Path
from schema.enums import MetricType
from schema.scalars import JSON

_TEMPLATE: Final = (
    "a Jinja template; `item` is the task's content (`item.reference.expected`, or `item.expected`), `sample` is the "
    "answer (`sample.output_text`)."
)
_CANDIDATE: Final = f"What is scored: {_TEMPLATE} Absent means the answer's text."
_SECRET: Final = (
    "Name of a secret on the worker (letters, digits and `_`), never the secret itself: `X` reads `PINSET_SECRET_X`."
)


@strawberry.enum(description="How the left text must stand to the right one; case matters, nothing is normalised.")
class StringOperation(Enum):
    EQUALS = strawberry.enum_value("equals", description="Both are the same text.")
    NOT_EQUALS = strawberry.enum_value("not equals", description="They differ.")
    CONTAINS = strawberry.enum_value("contains", description="The left text contains the right one.")
    NOT_CONTAINS = strawberry.enum_value("not contains", description="The left text does not contain the right one.")
    STARTS_WITH = strawberry.enum_value("startswith", description="The left text begins with the right one.")
    ENDS_WITH = strawberry.enum_value("endswith", description="The left text ends with the right one.")


@strawberry.enum(description="How the last number of the left text must stand to the last number of the right one.")
class NumberOperation(Enum):
    EQUALS = strawberry.enum_value("equals", description="Both numbers are equal.")
    NOT_EQUALS = strawberry.enum_value("not equals", description="They differ.")
    GREATER = strawberry.enum_value(">", description="The left number is greater.")
    GREATER_OR_EQUAL = strawberry.enum_value(">=", description="The left number is greater or equal.")
    LESS = strawberry.enum_value("<", description="The left number is less.")
    LESS_OR_EQUAL = strawberry.enum_value("<=", description="The left number is less or equal.")
    ABSOLUTE_DIFFERENCE = strawberry.enum_value(
        "absolute difference", description="The numbers lie at most `epsilon` apart."
    )


@strawberry.input(description="A comparison of one reference text with the answer.")
class TextMatchInput:
    reference: str = strawberry.field(description=f"The expected text: {_TEMPLATE}")
    candidate: str | None = strawberry.field(description=_CANDIDATE)


@strawberry.input(description="BLEU against one or more reference texts, from 0 to 100.")
class BleuInput:
    references: list[str] = strawberry.field(description="The reference translations, at least one, each a template.")
    candidate: str | None = strawberry.field(description=_CANDIDATE)


@strawberry.input(description="1 where two rendered texts stand in a relation, else 0.")
class StringCheckInput:
    renamed: ClassVar[Mapping[str, str]] = {"left": "left_template", "right": "right_template"}

    operation: StringOperation = strawberry.field(description="The relation.")
    left: str = strawberry.field(description=f"The left text: {_TEMPLATE}")
    right: str = strawberry.field(description="The right text, a template over the same values.")


@strawberry.input(description="1 where the last numbers of two rendered texts stand in a relation, else 0.")
class NumberCheckInput:
    renamed: ClassVar[Mapping[str, str]] = {"left": "left_template", "right": "right_template"}

    operation: NumberOperation = strawberry.field(description="The relation.")
    left: str = strawberry.field(description=f"The text with the left number: {_TEMPLATE}")
    right: str = strawberry.field(description="The text with the right number, a template over the same values.")
    epsilon: float | None = strawberry.field(
        description="The greatest difference allowed, 0 or more; required by ABSOLUTE_DIFFERENCE, and only there."
    )


@strawberry.input(description="Compares the tool calls of an answer with the expected ones, in any order.")
class ToolCallingInput:
    reference: str = strawberry.field(description="The expected tool calls: a template that renders to a JSON list.")


@strawberry.input(description="A model behind an OpenAI-compatible chat completions endpoint.")
class ModelInput:
    url: str = strawberry.field(description="The endpoint's address, http:// or https://.")
    name: str = strawberry.field(description="The model's name, as the endpoint knows it.")
    api_key_secret: str | None = strawberry.field(description=_SECRET)


@strawberry.input(description="One label that a judge may choose, and what it is worth.")
class RubricLevelInput:
    label: str = strawberry.field(description="The label, unique within its rubric.")
    description: str | None = strawberry.field(description="When the judge should choose it.")
    value: float = strawberry.field(description="The score that the label stands for.")


@strawberry.input(description="One score that a judge gives: either a range, or a rubric of labels.")
class JudgeScoreInput:
    name: str = strawberry.field(
        description="Lowercase letters, digits and `_`, at most 255; unique within the metric."
    )
    description: str | None = strawberry.field(description="What the judge should look at.")
    minimum: float | None = strawberry.field(description="The least score; goes with `maximum`, excludes `rubric`.")
    maximum: float | None = strawberry.field(description="The greatest score; must exceed `minimum`.")
    rubric: list[RubricLevelInput] | None = strawberry.field(description="At least two labels, instead of a range.")


@strawberry.input(description="A model reads the task and the answer, and gives one or more scores.")
class LlmJudgeInput:
    model: ModelInput = strawberry.field(description="The judging model.")
    prompt_template: str | None = strawberry.field(
        description="What the judge is shown, a Jinja template over `item` and `sample`; absent means a general one."
    )
    system_prompt: str | None = strawberry.field(description="The judge's system prompt; absent means none.")
    scores: list[JudgeScoreInput] = strawberry.field(description="The scores to ask for, 1 to 100.")


@strawberry.input(description="A scorer of your own: a POST of JSON whose answer holds the outputs by name.")
class RemoteMetricInput:
    renamed: ClassVar[Mapping[str, str]] = {"outputs": "scores"}

    url: str = strawberry.field(description="Where to POST, http:// or https://.")
    body: JSON = strawberry.field(description="The JSON to send; texts in it are Jinja templates.")
    outputs: list[str] = strawberry.field(description="The names of the numbers in the answer, 1 to 100, unique.")
    api_key_secret: str | None = strawberry.field(description=_SECRET)
    timeout_seconds: float = strawberry.field(default=30, description="Seconds to wait for one answer, at most 600.")
    max_retries: int = strawberry.field(
        default=3, description="How often a failed call is repeated, 0 to 10; answers are never repeated."
    )


@strawberry.input(description="Reads one of the rewards that a runner reported with its trial.")
class RewardInput:
    key: str = strawberry.field(default="reward", description="Which of the reported rewards, at most 255 characters.")


@strawberry.input(one_of=True, description="What a metric does: exactly one of the fields.")
class MetricInput:
    exact_match: TextMatchInput | None = strawberry.field(
        description="1 where reference and answer are equal after normalising, else 0."
    )
    f1: TextMatchInput | None = strawberry.field(description="F1 over the normalised tokens of reference and answer.")
    bleu: BleuInput | None = strawberry.field(description="BLEU, by sacrebleu.")
    rouge: TextMatchInput | None = strawberry.field(description="ROUGE-1, -2, -3 and -L, with stemming.")
    string_check: StringCheckInput | None = strawberry.field(description="A relation between two texts.")
    number_check: NumberCheckInput | None = strawberry.field(description="A relation between two numbers.")
    tool_calling: ToolCallingInput | None = strawberry.field(description="A comparison of tool calls.")
    llm_judge: LlmJudgeInput | None = strawberry.field(description="Scores by a judging model.")
    remote: RemoteMetricInput | None = strawberry.field(description="Scores by an HTTP service of your own.")
    reward: RewardInput | None = strawberry.field(description="A reward that the runner reports.")


def chosen(input: MetricInput) -> tuple[MetricType, str, object]:
    """The type of the metric, the field that was filled, and its value."""
    for type in MetricType:
        name = type.name.lower()
        value = getattr(input, name)
        if value is not None:
            return type, name, value
    raise AssertionError("GraphQL has checked that exactly one field is set")


def configuration(value: object) -> Any:
    """The hashed configuration of an input: snake_case names, enumerations as the platform spells them."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list):
        return [configuration(item) for item in value]
    if not hasattr(value, "__strawberry_definition__"):
        return value
    renamed = getattr(value, "renamed", {})
    return {renamed.get(name, name): configuration(item) for name, item in vars(value).items()}


def input_path(path: Path, variant: str, value: object) -> Path:
    """Where a problem of the configuration stands in the input, by GraphQL's names."""
    original = {new: old for old, new in getattr(value, "renamed", {}).items()}
    first = tuple(original.get(step, step) if isinstance(step, str) else step for step in path[:1])
    steps = (variant, *first, *path[1:])
    return tuple(to_camel_case(step) if isinstance(step, str) else step for step in steps)
