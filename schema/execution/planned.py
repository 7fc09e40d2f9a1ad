"""An executor that looks up once per document what graphql-core looks up for every value.

graphql-core decides at each value of each answer which fields are selected, how each is resolved and how it is
completed. All of that follows from the document, so it is compiled here into plans that are kept with the document.
What is rare (null where it is refused, errors, types that are seen for the first time, lists that are not lists) is
still completed by graphql-core's own methods, so that it is answered exactly as there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from types import CoroutineType
from typing import Any, Final

from graphql import (
    DocumentNode,
    ExecutionResult,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    VariableNode,
    Visitor,
    default_field_resolver,
    default_type_resolver,
    visit,
)
from graphql.execution import Executor
from graphql.execution.collect_fields import FragmentDetails, collect_fields
from strawberry.execution import optimized_is_awaitable

from schema.execution.inputs import Inputs
from schema.execution.selections import SelectionPlan, selection_plan
from schema.execution.sites import Site
from schema.execution.variables import Variables

_TOO_DEEP: Final = "Selections are nested too deeply. Execution aborted."
_MOST_VARIANTS: Final = 32


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the operations of one document share; `conditions` are the variables that decide what is selected."""

    schema: GraphQLSchema
    definitions: dict[str, FragmentDefinitionNode]
    fragments: dict[str, FragmentDetails]
    conditions: tuple[str, ...]
    inputs: Inputs


def surroundings(schema: GraphQLSchema, document: DocumentNode, inputs: Inputs) -> Surroundings:
    """Collect them, once for a document. The parser knows no arguments of fragments, so that none have signatures."""
    definitions = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    fragments = {name: FragmentDetails(node) for name, node in definitions.items()}
    conditions = _Conditions()
    visit(document, conditions)
    return Surroundings(schema, definitions, fragments, tuple(sorted(conditions.names)), inputs)


class Plans:
    """The plans of one operation: one for each combination of its @skip and @include conditions, made when met."""

    __slots__ = ("_known", "around", "operation", "variables")

    def __init__(self, around: Surroundings, operation: OperationDefinitionNode) -> None:
        self.around = around
        self.operation = operation
        self.variables = Variables(around.schema, operation)
        self._known: dict[tuple[Any, ...], SelectionPlan] = {}

    def executor(
        self, given: Mapping[str, Any], context: Any, *, hide_suggestions: bool = False
    ) -> PlannedExecutor | list[GraphQLError]:
        """An execution under these variables, or what is wrong with them."""
        values = self.variables.coerce(given, hide_suggestions=hide_suggestions)
        if isinstance(values, list):
            return values
        return PlannedExecutor(
            self.around.schema,
            self.around.definitions,
            self.around.fragments,
            None,
            context,
            self.operation,
            values,
            default_field_resolver,
            default_type_resolver,
            default_field_resolver,
            is_awaitable=optimized_is_awaitable,
            hide_suggestions=hide_suggestions,
            plans=self,
        )

    def root(self, executor: PlannedExecutor) -> SelectionPlan:
        """The plan of the operation's root fields under the executor's variables."""
        variables = executor.variable_values.coerced
        key = tuple(variables.get(name) for name in self.around.conditions)
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


class _Conditions(Visitor):
    """Collects the variables that decide whether something is selected."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def enter_directive(self, node: Any, *_: Any) -> None:
        for argument in node.arguments or ():
            if node.name.value in ("skip", "include") and isinstance(argument.value, VariableNode):
                self.names.add(argument.value.name.value)
