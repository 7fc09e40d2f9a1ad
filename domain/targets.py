"""Targets: who produces the trials of a job. Secrets are named here, never held."""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, TypeAlias, cast
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from domain.canonical import JSON, check_json
from domain.errors import Collector, InvalidInput, Path, Problems, UserError
from domain.metrics import Model, SecretName, Text, Url
from domain.names import NAME, shown
from domain.trials import FailureType, TrialError, TrialOutcome, check_inline


class TargetKind(StrEnum):
    """The four ways to get a trial done."""

    MODEL = "MODEL"
    AGENT = "AGENT"
    OUTPUTS = "OUTPUTS"
    RUNNER = "RUNNER"


def _json(value: Any) -> Any:
    try:
        return check_json(value)
    except UserError as error:
        raise ValueError(error.message) from None


def _without_credentials(value: str) -> str:
    try:
        parts = urlsplit(value)
        port_is_legal = parts.port is None or parts.port > 0
    except ValueError:
        raise ValueError("not a legal address") from None
    if "@" in parts.netloc:
        raise ValueError("an address holds no user or password; name a secret with `apiKeySecret` instead")
    if not parts.hostname or not port_is_legal:
        raise ValueError("the address names no host")
    return value


TargetUrl = Annotated[Url, AfterValidator(_without_credentials)]
Named = Annotated[Text, Field(min_length=1, max_length=255)]


class _Target(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, strict=True, extra="forbid", allow_inf_nan=False)
    kind: ClassVar[TargetKind]

    def config(self) -> dict[str, JSON]:
        """What is stored and shown, by the platform's field names; addresses without what looks like a secret."""
        dumped = self.model_dump(mode="json")
        holder = dumped.get("model", dumped)
        if "url" in holder:
            holder["url"] = shown_url(holder["url"])
        return dumped


def shown_url(url: str) -> str:
    """The address as logs, errors and `config` show it: query values that look like secrets are masked."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    if not any(_SECRET_LOOKING.search(name) for name, _ in pairs):
        return url
    masked = urlencode([(name, "***" if _SECRET_LOOKING.search(name) else value) for name, value in pairs], safe="*")
    return urlunsplit(parts._replace(query=masked))


_SECRET_LOOKING: Final = re.compile(r"key|token|secret|passw|signature|^sig$|^auth", re.IGNORECASE)


class TargetModel(Model):
    """The endpoint of a model target; its address may hold no credentials."""

    url: TargetUrl


class ModelTarget(_Target):
    """OpenAI-compatible chat completions; the prompt is `prompt_template` rendered over the row, else the task's."""

    kind = TargetKind.MODEL
    model: TargetModel
    prompt_template: Text | None = None
    system_prompt: Text | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None

    @property
    def name(self) -> str:
        """The model's name, by which jobs are found."""
        return self.model.name


class AgentTarget(_Target):
    """An HTTP endpoint that gets `body` with every string in it rendered, and answers where the JSONPaths say."""

    kind = TargetKind.AGENT
    url: TargetUrl
    name: Named
    body: Annotated[Any, AfterValidator(_json)]
    response_path: Annotated[Text, Field(min_length=1, max_length=1000)]
    trajectory_path: Annotated[Text, Field(min_length=1, max_length=1000)] | None = None
    api_key_secret: SecretName | None = None


class RunnerTarget(_Target):
    """An outside program that leases trials under this name and reports them."""

    kind = TargetKind.RUNNER
    name: Annotated[Named, Field(pattern=NAME.pattern)]


class GivenOutput(BaseModel):
    """An output that exists already, for one task and one repeat (from 0); `error` says that the trial failed."""

    model_config = ConfigDict(defer_build=True, frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    task: str
    repeat: Annotated[int, Field(ge=0)] = 0
    output: str | None = None
    response: Any = None
    trajectory: Any = None
    reward: float | None = None
    error: str | None = None

    def outcome(self) -> TrialOutcome:
        """What a trial gets that has this output; FAILED with NO_OUTPUT where nothing is in it."""
        error = None if self.error is None else TrialError(FailureType.REPORTED, self.error or "No message was given.")
        given = TrialOutcome(
            output=self.output,
            response=cast(JSON, self.response),
            trajectory=cast(JSON, self.trajectory),
            reward=self.reward,
            error=error,
        )
        return given if given.has_result or error is not None else MISSING_OUTPUT


MISSING_OUTPUT: Final = TrialOutcome(error=TrialError(FailureType.NO_OUTPUT, "No output was given for this trial."))


class OutputsTarget(_Target):
    """Outputs that exist already are scored, nothing is called; those missing are failed trials."""

    kind = TargetKind.OUTPUTS
    outputs: list[GivenOutput] = []

    @property
    def name(self) -> str:
        """The same for all jobs of this kind."""
        return "outputs"

    def config(self) -> dict[str, JSON]:
        """Only how many there are: each output is read with its trial."""
        return {"outputs": len(self.outputs)}

    def check_covers(self, tasks: Iterable[str], repeats: int) -> None:
        """Raise Problems for outputs of unknown tasks, of repeats beyond the job's, and for one given twice."""
        known = frozenset(tasks)
        problems = Collector()
        seen: dict[tuple[str, int], int] = {}
        for index, given in enumerate(self.outputs):
            first = seen.setdefault((given.task, given.repeat), index)
            if given.task not in known:
                problems.add(InvalidInput(f"The job has no task {shown(given.task)}.", ("outputs", index, "task")))
            elif given.repeat >= repeats:
                problems.add(
                    InvalidInput(
                        f"The job has {repeats} repeats, counted from 0; {given.repeat} is not one of them.",
                        ("outputs", index, "repeat"),
                    )
                )
            elif first != index:
                problems.add(
                    InvalidInput(
                        f"The output of task {shown(given.task)}, repeat {given.repeat}, stands at {first} "
                        f"and {index}; give one.",
                        ("outputs", index),
                    )
                )
            if len(problems.errors) >= _MOST_PROBLEMS:
                break
        problems.finish()


Target: TypeAlias = ModelTarget | AgentTarget | OutputsTarget | RunnerTarget

TARGETS: Final[Mapping[TargetKind, type[Target]]] = {
    target.kind: target for target in (ModelTarget, AgentTarget, OutputsTarget, RunnerTarget)
}

_MOST_PROBLEMS: Final = 100


def check_target(kind: TargetKind, fields: Mapping[str, object]) -> Target:
    """Check a target by its snake_case fields (`outputs` for the outputs target: a list of such fields).

    Raises Problems; paths are camelCase and relative to the target.
    """
    if kind is TargetKind.OUTPUTS:
        _check_outputs(cast("Sequence[Mapping[str, object]]", fields.get("outputs", ())))
    try:
        return TARGETS[kind].model_validate(fields)
    except ValidationError as error:
        raise _problems(error) from None


def stored_target(kind: TargetKind, fields: Mapping[str, object]) -> Target:
    """A target read back from its `model_dump(mode="json")`; outputs are stored with their trials, not here."""
    if kind is TargetKind.OUTPUTS:
        return OutputsTarget()
    return TARGETS[kind].model_validate(fields)


def _check_outputs(outputs: Sequence[Mapping[str, object]]) -> None:
    problems = Collector()
    for index, fields in enumerate(outputs):
        for name in ("task", "output", "response", "trajectory", "error"):
            check_inline(fields.get(name), ("outputs", index, name), problems)
        if len(problems.errors) >= _MOST_PROBLEMS:
            break
    problems.finish()


def _problems(error: ValidationError) -> Problems:
    collector = Collector()
    for detail in error.errors(include_url=False, include_input=False)[:_MOST_PROBLEMS]:
        message = detail["msg"].removeprefix("Value error, ")
        path: Path = tuple(to_camel(part) if isinstance(part, str) else part for part in detail["loc"])
        collector.add(InvalidInput(f"{message[:1].upper()}{message[1:]}.", path))
    return Problems(collector.errors)
