"""Rows of an uploaded file, held to the input type that the same task has in a request.

Strawberry's own conversion to input objects takes three times as long as all the rest that is done to a row, so that
the checked values become drafts directly.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from graphql import GraphQLError, GraphQLInputType, Undefined, coerce_input_value
from graphql.utilities import validate_input_value

from domain.content import EvaluatorDraft, HarborDraft, MetadataItem, SpecDraft, TaskDraft, TemplateDraft
from domain.errors import Collector, InvalidInput
from domain.outcomes import ABSENT
from resolvers.sync_file import NamedTask
from schema.selection import Info


def row_reader(info: Info, type_name: str) -> Callable[[object], NamedTask]:
    """A function that reads parsed JSON as the named input type, which is that of a task of a file.

    It raises Problems (or one InvalidInput) for what a request with this value would be refused for, with paths from
    the row.
    """
    expected = cast(GraphQLInputType, info.schema._schema.get_type(type_name))

    def read(value: object) -> NamedTask:
        try:
            coerced = coerce_input_value(value, expected)
        except GraphQLError as error:
            raise InvalidInput(error.message) from None
        if coerced is Undefined:
            _refuse(value, expected)
        return NamedTask(coerced["name"], _draft(coerced["task"]), coerced.get("workspace"))

    return read


def _refuse(value: object, expected: GraphQLInputType) -> None:
    problems = Collector()

    def found(error: GraphQLError, path: list[str | int]) -> None:
        problems.add(InvalidInput(error.message, path))

    validate_input_value(value, expected, found)
    problems.finish()


def _draft(task: Mapping[str, Any]) -> TaskDraft:
    metadata = [MetadataItem(item["key"], item.get("value", ABSENT)) for item in task["metadata"]]
    ((kind, spec),) = task["spec"].items()
    return TaskDraft(_SPECS[kind](spec), metadata, task["tags"])


def _evaluator(spec: Mapping[str, Any]) -> SpecDraft:
    inputs = spec.get("inputs") or {}
    return EvaluatorDraft(
        intent=spec["intent"],
        instruction=inputs.get("instruction"),
        extra=inputs.get("extra"),
        reference=spec.get("reference"),
        metrics=spec["metrics"],
        views=spec.get("views"),
    )


def _harbor(spec: Mapping[str, Any]) -> SpecDraft:
    return HarborDraft(spec["archiveRef"], spec["archiveDigest"], spec.get("instruction"), spec.get("config"))


def _template(spec: Mapping[str, Any]) -> SpecDraft:
    return TemplateDraft(
        spec["env"],
        spec["template"],
        args=spec.get("args"),
        agent_config=spec.get("agentConfig"),
        runtime_config=spec.get("runtimeConfig"),
        validation=spec.get("validation"),
    )


_SPECS = {"evaluator": _evaluator, "harbor": _harbor, "template": _template}
