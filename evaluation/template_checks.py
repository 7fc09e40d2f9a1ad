"""Every template and path of a metric or a target, checked where it is handed in and not when it is first used."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from domain.errors import Collector, Path
from domain.metrics import Configuration, Remote
from domain.targets import AgentTarget, ModelTarget, Target
from evaluation.paths import check_path
from evaluation.templates import check_json_template, check_template


def check_metric_templates(configuration: Configuration) -> None:
    """Raise Problems for what is no template; paths are those of the configuration's fields."""
    problems = Collector()
    for name in ("reference", "candidate", "left_template", "right_template", "prompt_template", "system_prompt"):
        for text, path in _texts(configuration, name, (name,)):
            problems.attempt(check_template, text, path)
    for text, path in _texts(configuration, "references", ("references",)):
        problems.attempt(check_template, text, path)
    if isinstance(configuration, Remote):
        problems.attempt(check_json_template, configuration.body, ("body",))
    problems.finish()


def check_target_templates(target: Target) -> None:
    """Raise Problems for what is no template or no JSONPath; paths are camelCase and relative to the target."""
    problems = Collector()
    match target:
        case ModelTarget(prompt_template=str(text)):
            problems.attempt(check_template, text, ("promptTemplate",))
        case AgentTarget():
            problems.attempt(check_json_template, target.body, ("body",))
            problems.attempt(check_path, target.response_path, ("responsePath",))
            if target.trajectory_path is not None:
                problems.attempt(check_path, target.trajectory_path, ("trajectoryPath",))
    problems.finish()


def _texts(holder: BaseModel, name: str, path: Path) -> Iterator[tuple[str, Path]]:
    value: Any = getattr(holder, name, None)
    if isinstance(value, str):
        yield value, path
    elif isinstance(value, list):
        yield from ((text, (*path, index)) for index, text in enumerate(value))
