"""Metric definitions: one immutable configuration a name, with the platform's field names and defaults.

The digest of a definition covers `{config, outputs, type}`; description, labels and project lie outside.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from domain.canonical import JSON, bounded_text, check_json, digest_of
from domain.errors import Collector, InvalidInput, Problems, UserError


class MetricType(StrEnum):
    """The scorers that Pinset knows; the value is the platform's name for it."""

    EXACT_MATCH = "exact-match"
    F1 = "f1"
    BLEU = "bleu"
    ROUGE = "rouge"
    STRING_CHECK = "string-check"
    NUMBER_CHECK = "number-check"
    TOOL_CALLING = "tool-calling"
    LLM_JUDGE = "llm-judge"
    REMOTE = "remote"
    REWARD = "reward"


@dataclass(frozen=True, slots=True)
class MetricOutput:
    """One number that a metric gives, with its bounds where they are known."""

    name: str
    description: str | None = None
    minimum: float | None = None
    maximum: float | None = None


def _json(value: Any) -> Any:
    try:
        return check_json(value)
    except UserError as error:
        raise ValueError(error.message) from None


def _http_url(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("use an http:// or https:// address")
    return value


Text = Annotated[str, AfterValidator(_json)]
Url = Annotated[str, AfterValidator(_http_url), AfterValidator(_json)]
SecretName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=255)]
OutputName = Annotated[str, Field(pattern=r"^[a-z0-9_]+$", max_length=255)]


class Configuration(BaseModel):
    """What all configurations share; the field names are those that are hashed."""

    model_config = ConfigDict(defer_build=True, frozen=True, strict=True, extra="forbid", allow_inf_nan=False)
    type: ClassVar[MetricType]

    def outputs(self) -> tuple[MetricOutput, ...]:
        """The numbers that this metric gives, in order; the first is its headline."""
        raise NotImplementedError


class ExactMatch(Configuration):
    """1 where reference and candidate are equal after normalising, else 0."""

    type = MetricType.EXACT_MATCH
    candidate: Text | None = None
    reference: Text

    def outputs(self) -> tuple[MetricOutput, ...]:
        return (MetricOutput("exact-match", "1 where the texts are equal after normalising, else 0.", 0, 1),)


class F1(Configuration):
    """F1 over the tokens of reference and candidate after normalising."""

    type = MetricType.F1
    candidate: Text | None = None
    reference: Text

    def outputs(self) -> tuple[MetricOutput, ...]:
        return (MetricOutput("f1", "F1 over the normalised tokens.", 0, 1),)


class Bleu(Configuration):
    """BLEU by sacrebleu, a row's own and the corpus's, both from 0 to 100."""

    type = MetricType.BLEU
    candidate: Text | None = None
    references: Annotated[list[Text], Field(min_length=1)]

    def outputs(self) -> tuple[MetricOutput, ...]:
        return (
            MetricOutput("sentence", "BLEU of this row.", 0, 100),
            MetricOutput("corpus", "BLEU over all rows of a run.", 0, 100),
        )


class Rouge(Configuration):
    """ROUGE F-measures with stemming."""

    type = MetricType.ROUGE
    candidate: Text | None = None
    reference: Text

    def outputs(self) -> tuple[MetricOutput, ...]:
        return tuple(
            MetricOutput(f"rouge_{which}_score", f"ROUGE-{which} F-measure.", 0, 1) for which in ("1", "2", "3", "L")
        )


class StringCheck(Configuration):
    """1 where the two rendered templates stand in the named relation, case-sensitive and not normalised."""

    type = MetricType.STRING_CHECK
    left_template: Text
    operation: Literal["equals", "not equals", "contains", "not contains", "startswith", "endswith"]
    right_template: Text

    def outputs(self) -> tuple[MetricOutput, ...]:
        return (MetricOutput("string-check", "1 where the relation holds, else 0.", 0, 1),)


class NumberCheck(Configuration):
    """1 where the last numbers of the two rendered templates stand in the named relation."""

    type = MetricType.NUMBER_CHECK
    epsilon: Annotated[float, Field(ge=0)] | None = None
    left_template: Text
    operation: Literal["equals", "not equals", ">", ">=", "<", "<=", "absolute difference"]
    right_template: Text

    @model_validator(mode="after")
    def _epsilon_belongs(self) -> Self:
        if (self.operation == "absolute difference") != (self.epsilon is not None):
            raise ValueError("`epsilon` goes with ABSOLUTE_DIFFERENCE, and only there")
        return self

    def outputs(self) -> tuple[MetricOutput, ...]:
        return (MetricOutput("number-check", "1 where the relation holds, else 0.", 0, 1),)


class ToolCalling(Configuration):
    """Compares the tool calls of a response with a rendered list of expected calls, order ignored."""

    type = MetricType.TOOL_CALLING
    reference: Text

    def outputs(self) -> tuple[MetricOutput, ...]:
        return (
            MetricOutput("function_name_accuracy", "1 where the called names are those expected.", 0, 1),
            MetricOutput("function_name_and_args_accuracy", "1 where names and arguments are those expected.", 0, 1),
        )


class Model(BaseModel):
    """An OpenAI-compatible endpoint; `api_key_secret` names a secret of the worker, it is never a value."""

    model_config = ConfigDict(defer_build=True, frozen=True, strict=True, extra="forbid")

    api_key_secret: SecretName | None = None
    name: Annotated[Text, Field(min_length=1)]
    url: Url


class RubricLevel(BaseModel):
    """One label of a rubric and the value that it stands for."""

    model_config = ConfigDict(defer_build=True, frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    description: Text | None = None
    label: Annotated[Text, Field(min_length=1)]
    value: float


class JudgeScore(BaseModel):
    """One score that a judge gives: a range, or a rubric of at least two labels."""

    model_config = ConfigDict(defer_build=True, frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    description: Text | None = None
    maximum: float | None = None
    minimum: float | None = None
    name: OutputName
    rubric: Annotated[list[RubricLevel], Field(min_length=2)] | None = None

    @model_validator(mode="after")
    def _range_or_rubric(self) -> Self:
        has_range = self.minimum is not None or self.maximum is not None
        if has_range == (self.rubric is not None):
            raise ValueError("give either `minimum` and `maximum`, or a `rubric`")
        if self.rubric is not None and len({level.label for level in self.rubric}) < len(self.rubric):
            raise ValueError("the labels of a rubric must differ")
        if has_range and (self.minimum is None or self.maximum is None or self.minimum >= self.maximum):
            raise ValueError("`minimum` must be given and less than `maximum`")
        return self

    def bounds(self) -> tuple[float | None, float | None]:
        """The least and the greatest value that this score can take."""
        if self.rubric is None:
            return self.minimum, self.maximum
        values = [level.value for level in self.rubric]
        return min(values), max(values)


class LlmJudge(Configuration):
    """A model reads the row and answers with the scores asked for."""

    type = MetricType.LLM_JUDGE
    model: Model
    prompt_template: Text | None = None
    scores: Annotated[list[JudgeScore], Field(min_length=1, max_length=100)]
    system_prompt: Text | None = None

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        _refuse_repeats([score.name for score in self.scores])
        return self

    def outputs(self) -> tuple[MetricOutput, ...]:
        return tuple(MetricOutput(score.name, score.description, *score.bounds()) for score in self.scores)


class Remote(Configuration):
    """A POST of the rendered body; the answer's JSON object holds the outputs by name."""

    type = MetricType.REMOTE
    api_key_secret: SecretName | None = None
    body: Annotated[Any, AfterValidator(_json)]
    max_retries: Annotated[int, Field(ge=0, le=10)] = 3
    scores: Annotated[list[Annotated[Text, Field(min_length=1, max_length=255)]], Field(min_length=1, max_length=100)]
    timeout_seconds: Annotated[float, Field(gt=0, le=600)] = 30.0
    url: Url

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        _refuse_repeats(self.scores)
        return self

    def outputs(self) -> tuple[MetricOutput, ...]:
        return tuple(MetricOutput(name) for name in self.scores)


class Reward(Configuration):
    """Reads one of the rewards that a runner reported with its trial."""

    type = MetricType.REWARD
    key: Annotated[Text, Field(min_length=1, max_length=255)] = "reward"

    def outputs(self) -> tuple[MetricOutput, ...]:
        return (MetricOutput("reward", "The reported reward of this key."),)


CONFIGURATIONS: Final[dict[MetricType, type[Configuration]]] = {
    configuration.type: configuration
    for configuration in (ExactMatch, F1, Bleu, Rouge, StringCheck, NumberCheck, ToolCalling, LlmJudge, Remote, Reward)
}


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """A checked definition; `text` is the canonical text of `{config, outputs, type}`, `digest` its SHA-256."""

    configuration: Configuration
    text: str
    digest: str

    @property
    def type(self) -> MetricType:
        """Which scorer this is."""
        return self.configuration.type


def check_metric(type: MetricType, config: object) -> MetricDefinition:
    """Check a configuration by its snake_case fields, defaults filled in.

    Raises Problems whose paths lead to the offending field of the configuration.
    """
    try:
        configuration = CONFIGURATIONS[type].model_validate(config)
    except ValidationError as error:
        raise _problems(error) from None
    value: JSON = {
        "config": configuration.model_dump(mode="json"),
        "outputs": [_output(output) for output in configuration.outputs()],
        "type": type.value,
    }
    text = bounded_text(value, (), "definition")
    return MetricDefinition(configuration, text, digest_of(text))


def _output(output: MetricOutput) -> dict[str, JSON]:
    # Descriptions stay outside: our own wording may improve without making another metric of it.
    return {
        "maximum": None if output.maximum is None else float(output.maximum),
        "minimum": None if output.minimum is None else float(output.minimum),
        "name": output.name,
    }


def _problems(error: ValidationError) -> Problems:
    collector = Collector()
    for detail in error.errors(include_url=False, include_input=False):
        message = detail["msg"].removeprefix("Value error, ")
        collector.add(InvalidInput(f"{message[:1].upper()}{message[1:]}.", detail["loc"]))
    return Problems(collector.errors)


def _refuse_repeats(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise ValueError("the names of the outputs must differ")
