"""Plans of selection sets: which fields an object of one type answers with, and how each is had and completed.

A plan is run for every object at its place in an answer, so its loop does nothing that could have been done before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CoroutineType, GeneratorType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from graphql import (
    GraphQLAbstractType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    TypeNameMetaFieldDef,
    default_type_resolver,
    is_abstract_type,
    is_leaf_type,
)
from graphql.execution.collect_fields import FieldDetails, collect_subfields
from graphql.pyutils import gather_with_cancel
from strawberry.execution import optimized_is_awaitable

from schema.execution.leaves import exact_class, leaf_completer
from schema.execution.resolution import Resolve, attribute_of, resolver
from schema.execution.sites import Site
from schema.execution.trails import Trail

if TYPE_CHECKING:
    from schema.execution.planned import PlannedExecutor

Completer: TypeAlias = "Callable[[PlannedExecutor, Any, Trail], Any]"
Grouped: TypeAlias = Mapping[str, Sequence[FieldDetails]]

# Classes whose instances were seen not to be awaitable.
_SYNCHRONOUS: set[type] = {str, int, bool, float, list, dict, type(None)}


@dataclass(slots=True, eq=False)
class FieldPlan:
    """One field of a selection set that takes more than reading an attribute."""

    site: Site
    resolve: Resolve | None
    complete: Completer

    async def later(self, executor: PlannedExecutor, value: Awaitable[Any], trail: Trail) -> Any:
        """Complete a value once it is there."""
        try:
            completed = self.complete(executor, await value, trail)
            return await completed if completed.__class__ is CoroutineType else completed
        except Exception as error:
            return self.site.failed(executor, error, trail)

    async def finished(self, executor: PlannedExecutor, completed: Awaitable[Any], trail: Trail) -> Any:
        """Wait for a value that is being completed."""
        try:
            return await completed
        except Exception as error:
            return self.site.failed(executor, error, trail)


@dataclass(slots=True, eq=False)
class SelectionPlan:
    """The fields that an object of one type answers with.

    `rows` have of each field its key, the attribute that it reads (else None), the class of values that need no
    completion, and its plan. `empty` is the answer with all keys in their order, and the type's name where it is asked.
    """

    typename: str
    empty: dict[str, Any]
    rows: tuple[tuple[str, str | None, type | None, FieldPlan], ...]

    def run(self, executor: PlannedExecutor, source: Any, trail: Trail | None) -> Any:
        """The object's answer, or a coroutine of it where some of it has to be waited for."""
        results = self.empty.copy()
        waiting: list[str] = []
        for key, attribute, exact, field in self.rows:
            place = (trail, key, self.typename)
            try:
                if attribute is not None:
                    value = getattr(source, attribute)
                    if value.__class__ is exact:
                        results[key] = value
                        continue
                else:
                    value = field.resolve(executor, source, place)  # type: ignore[misc]
                if value.__class__ not in _SYNCHRONOUS and _is_awaitable(value):
                    results[key] = field.later(executor, value, place)
                    waiting.append(key)
                    continue
                completed = field.complete(executor, value, place)
                if completed.__class__ is CoroutineType:
                    completed = field.finished(executor, completed, place)
                    waiting.append(key)
                results[key] = completed
            except Exception as error:
                self._failed(executor, error, field, place, [results[name] for name in waiting])
        return _gathered(results, waiting) if waiting else results

    def _failed(
        self, executor: PlannedExecutor, error: Exception, field: FieldPlan, place: Trail, begun: list[Awaitable[Any]]
    ) -> None:
        try:
            field.site.failed(executor, error, place)
        except Exception:
            if begun:
                executor.settle_in_background(begun)
            raise

    def run_serially(self, executor: PlannedExecutor, source: Any, trail: Trail | None) -> Any:
        """As `run`, each field beginning when the one before has ended, as mutations demand."""
        return self.run(executor, source, trail) if len(self.rows) < 2 else self._serially(executor, source, trail)

    async def _serially(self, executor: PlannedExecutor, source: Any, trail: Trail | None) -> dict[str, Any]:
        results = self.empty.copy()
        for row in self.rows:
            part = SelectionPlan(self.typename, {}, (row,)).run(executor, source, trail)
            results.update(await part if part.__class__ is CoroutineType else part)
        return results


async def _gathered(results: dict[str, Any], waiting: list[str]) -> dict[str, Any]:
    if len(waiting) == 1:
        results[waiting[0]] = await results[waiting[0]]
    else:
        found = await gather_with_cancel(*[results[key] for key in waiting])
        results.update(zip(waiting, found, strict=True))
    return results


def _is_awaitable(value: Any) -> bool:
    if optimized_is_awaitable(value):
        return True
    if value.__class__ is not GeneratorType:
        _SYNCHRONOUS.add(value.__class__)
    return False


def selection_plan(executor: PlannedExecutor, parent: GraphQLObjectType, grouped: Grouped) -> SelectionPlan:
    """Compile the fields that were collected for objects of one type."""
    empty: dict[str, Any] = {}
    rows: list[tuple[str, str | None, type | None, FieldPlan]] = []
    for key, details in grouped.items():
        definition = executor.schema.get_field(parent, details[0].node.name.value)
        if definition is None:
            continue
        if definition is TypeNameMetaFieldDef:
            empty[key] = parent.name
            continue
        empty[key] = None
        site = Site(parent, definition, details)
        attribute = attribute_of(site)
        resolve = resolver(site, executor) if attribute is None else None
        plan = FieldPlan(site, resolve, completer(executor, site, definition.type))
        rows.append((key, attribute, exact_class(definition.type), plan))
    return SelectionPlan(parent.name, empty, tuple(rows))


def completer(executor: PlannedExecutor, site: Site, type_: GraphQLOutputType) -> Completer:
    """The function that completes values of a type at a place of the document."""
    inner = type_.of_type if isinstance(type_, GraphQLNonNull) else type_
    if is_leaf_type(inner):
        return leaf_completer(site, type_, inner)
    if isinstance(inner, GraphQLList):
        return _list_completer(executor, site, type_, inner.of_type)
    if is_abstract_type(inner):
        return _abstract_completer(site, type_, inner)
    return _object_completer(executor, site, type_, cast("GraphQLObjectType", inner))


def _object_completer(
    executor: PlannedExecutor, site: Site, type_: GraphQLOutputType, inner: GraphQLObjectType
) -> Completer:
    fields = collect_subfields(
        executor.schema, executor.fragments, executor.variable_values, executor.operation, inner, list(site.details)
    )
    run = selection_plan(executor, inner, fields.grouped_field_set).run
    known: set[type] = set()

    def complete(executor: PlannedExecutor, value: Any, trail: Trail) -> Any:
        if value.__class__ not in known:
            if not _belongs(executor, value, trail):
                return site.complete(executor, type_, value, trail)
            known.add(value.__class__)
        return run(executor, value, trail)

    def _belongs(executor: PlannedExecutor, value: Any, trail: Trail) -> bool:
        if value is None or isinstance(value, Exception):
            return False
        return inner.is_type_of is None or inner.is_type_of(value, site.info(executor, trail)) is True

    return complete


def _abstract_completer(site: Site, type_: GraphQLOutputType, inner: GraphQLAbstractType) -> Completer:
    by_class: dict[type, Completer] = {}

    def complete(executor: PlannedExecutor, value: Any, trail: Trail) -> Any:
        found = by_class.get(value.__class__)
        if found is None:
            if value is None or isinstance(value, Exception):
                return site.complete(executor, type_, value, trail)
            runtime = _runtime_type(executor, value, trail)
            found = by_class[value.__class__] = _object_completer(executor, site, runtime, runtime)
        return found(executor, value, trail)

    def _runtime_type(executor: PlannedExecutor, value: Any, trail: Trail) -> GraphQLObjectType:
        info = site.info(executor, trail)
        name = (inner.resolve_type or default_type_resolver)(value, info, inner)
        return executor.ensure_valid_runtime_type(name, inner, list(site.details), info, value)

    return complete


def _list_completer(
    executor: PlannedExecutor, site: Site, type_: GraphQLOutputType, item_type: GraphQLOutputType
) -> Completer:
    complete_item = completer(executor, site, item_type)
    exact = exact_class(item_type)

    def complete(executor: PlannedExecutor, value: Any, trail: Trail) -> Any:
        if value.__class__ is not list and value.__class__ is not tuple:
            return site.complete(executor, type_, value, trail)
        results: list[Any] = []
        waiting: list[int] = []
        for index, item in enumerate(value):
            if item.__class__ is exact:
                results.append(item)
                continue
            place = (trail, index, None)
            try:
                if item.__class__ not in _SYNCHRONOUS and _is_awaitable(item):
                    completed: Any = _later_item(executor, item, place)
                else:
                    completed = complete_item(executor, item, place)
            except Exception as error:
                _failed(executor, error, place, [results[each] for each in waiting])
                completed = None
            if completed.__class__ is CoroutineType:
                completed = _finished(executor, completed, place)
                waiting.append(index)
            results.append(completed)
        return _gathered_items(results, waiting) if waiting else results

    async def _later_item(executor: PlannedExecutor, item: Awaitable[Any], place: Trail) -> Any:
        completed = complete_item(executor, await item, place)
        return await completed if completed.__class__ is CoroutineType else completed

    async def _finished(executor: PlannedExecutor, completed: Awaitable[Any], place: Trail) -> Any:
        try:
            return await completed
        except Exception as error:
            return site.item_failed(executor, error, item_type, place)

    def _failed(executor: PlannedExecutor, error: Exception, place: Trail, begun: list[Awaitable[Any]]) -> None:
        try:
            site.item_failed(executor, error, item_type, place)
        except Exception:
            if begun:
                executor.settle_in_background(begun)
            raise

    return complete


async def _gathered_items(results: list[Any], waiting: list[int]) -> list[Any]:
    found = await gather_with_cancel(*[results[index] for index in waiting])
    for index, item in zip(waiting, found, strict=True):
        results[index] = item
    return results
