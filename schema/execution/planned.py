"""An executor that looks up once per document what graphql-core looks up for every value.

graphql-core decides at each value of each answer which fields are selected, how each is resolved and how it is
completed. All of that follows from the document, so it is compiled here into plans that are kept with the document.
What is rare (null where it is refused, errors, types that are seen for the first time, lists that are not lists) is
still completed by graphql-core's own methods, so that it is answered exactly as there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from types import CoroutineType
from typing import Any, Final

from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLError,
    OperationType,
    VariableNode,
    Visitor,
    visit,
)
from graphql.execution import Executor
from graphql.execution.collect_fields import collect_fields

from schema.execution.inputs import Inputs
from schema.execution.selections import SelectionPlan, selection_plan
from schema.execution.sites import Site

_TOO_DEEP: Final = "Selections are nested too deeply. Execution aborted."
_MOST_VARIANTS: Final = 32


class Plans:
    """The plans of one operation: one for each combination of its @skip and @include conditions, made when met."""

    __slots__ = ("_conditions", "_known", "inputs")

    def __init__(self, conditions: tuple[str, ...], inputs: Inputs) -> None:
        self.inputs = inputs
        self._conditions = conditions
        self._known: dict[tuple[Any, ...], SelectionPlan] = {}

    def root(self, executor: PlannedExecutor) -> SelectionPlan:
        """The plan of the operation's root fields under the executor's variables."""
        variables = executor.variable_values.coerced
        key = tuple(variables.get(name) for name in self._conditions)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_VARIANTS:
                self._known.clear()
            found = self._known[key] = _root_plan(executor)
        return found


class PlannedExecutor(Executor[Any]):
    """Runs one operation by its plans."""

    def __init__(self, *args: Any, plans: Plans, **options: Any) -> None:
        super().__init__(*args, **options)
        self.plans = plans
        self.arguments: dict[Site, Mapping[str, Any]] = {}

    def execute_operation(self, serially: bool | None = None) -> Any:
        """The result, or an awaitable of it; errors of fields are in it, located."""
        try:
            plan = self.plans.root(self)
            one_by_one = self.operation.operation is OperationType.MUTATION if serially is None else serially
            run = plan.run_serially if one_by_one else plan.run
            data = run(self, self.root_value, None)
        except GraphQLError as error:
            return self._without_data(error)
        return self._later(data) if data.__class__ is CoroutineType else self.build_response(data)

    async def _later(self, data: Awaitable[dict[str, Any]]) -> Any:
        try:
            return self.build_response(await data)
        except GraphQLError as error:
            return self._without_data(error)

    def _without_data(self, error: GraphQLError) -> ExecutionResult:
        self.collected_errors.add(error, None)
        return ExecutionResult(None, self.collected_errors.errors)


def _root_plan(executor: PlannedExecutor) -> SelectionPlan:
    operation = executor.operation
    root = executor.schema.get_root_type(operation.operation)
    if root is None:
        raise GraphQLError(f"Schema is not configured to execute {operation.operation.value} operation.", operation)
    try:
        fields = collect_fields(
            executor.schema, executor.fragments, executor.variable_values, root, operation, executor.hide_suggestions
        )
        return selection_plan(executor, root, fields.grouped_field_set)
    except RecursionError:
        # Answered outside of this block, or the answer would keep all the frames of the recursion alive.
        pass
    raise GraphQLError(_TOO_DEEP, operation)


def conditions(document: DocumentNode) -> tuple[str, ...]:
    """The variables of a document that decide whether something is selected."""
    found = _Conditions()
    visit(document, found)
    return tuple(sorted(found.names))


class _Conditions(Visitor):
    """Collects the variables that decide whether something is selected."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def enter_directive(self, node: Any, *_: Any) -> None:
        for argument in node.arguments or ():
            if node.name.value in ("skip", "include") and isinstance(argument.value, VariableNode):
                self.names.add(argument.value.name.value)
