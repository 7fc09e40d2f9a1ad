"""How the value of a field is had: as an attribute, from a resolver that is told what it asks for, or in general."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import strawberry
from graphql import GraphQLResolveInfo, get_argument_values
from strawberry.types.field import StrawberryField
from strawberry.types.fields.resolver import StrawberryResolver

from schema.execution.literals import Uncommon, argument_reader
from schema.execution.sites import Site
from schema.execution.trails import Trail

if TYPE_CHECKING:
    from schema.execution.planned import PlannedExecutor

_BACK_REFERENCE: Final = "strawberry-definition"

Resolve: TypeAlias = "Callable[[PlannedExecutor, Any, Trail], Any]"


class PlannedInfo(strawberry.Info[Any, Any]):
    """What a resolver is told; most ask for the context alone, and the rest is made when it is looked at."""

    def __init__(self, executor: PlannedExecutor, site: Site, trail: Trail, field: StrawberryField) -> None:
        self._executor = executor
        self._site = site
        self._trail = trail
        self._field = field

    @property
    def context(self) -> Any:
        """The operation's context."""
        return self._executor.context_value

    @cached_property
    def _raw_info(self) -> GraphQLResolveInfo[Any]:  # type: ignore[override]
        return self._site.info(self._executor, self._trail)


def attribute_of(site: Site) -> str | None:
    """The name of the attribute that the field is, None where a resolver answers it."""
    field = _strawberry_field(site)
    if field is None or not field.is_basic_field or field.default_resolver is not getattr:
        return None
    return field.python_name


def resolver(site: Site, executor: PlannedExecutor) -> Resolve:
    """The function that gives the field's value; it raises what the field's resolver raises."""
    field = _strawberry_field(site)
    if field is None or field.base_resolver is None or field.extensions or field.is_subscription:
        return _general(site)
    if field.base_resolver.parent_parameter or field.base_resolver.root_parameter:
        return _general(site)
    return _direct(site, field, field.base_resolver, _arguments(site, field, executor))


def _strawberry_field(site: Site) -> StrawberryField | None:
    found = site.definition.extensions.get(_BACK_REFERENCE)
    return found if isinstance(found, StrawberryField) else None


def _general(site: Site) -> Resolve:
    definition, node = site.definition, site.details[0].node
    values = _reader(site) if definition.args or node.arguments else None

    def resolve(executor: PlannedExecutor, source: Any, trail: Trail) -> Any:
        function = definition.resolve or executor.field_resolver
        arguments = {} if values is None else values(executor)
        return function(source, site.info(executor, trail), **arguments)

    return resolve


def _direct(
    site: Site, field: StrawberryField, resolver: StrawberryResolver[Any], arguments: Arguments | None
) -> Resolve:
    function: Callable[..., Any] = resolver.wrapped_func  # type: ignore[assignment]
    takes_source = resolver.self_parameter is not None
    info_name = resolver.info_parameter.name if resolver.info_parameter is not None else None

    def resolve(executor: PlannedExecutor, source: Any, trail: Trail) -> Any:
        given = {} if arguments is None else dict(arguments(executor))
        if info_name is not None:
            given[info_name] = PlannedInfo(executor, site, trail, field)
        return function(source, **given) if takes_source else function(**given)

    return resolve


Arguments: TypeAlias = "Callable[[PlannedExecutor], Mapping[str, Any]]"


def _arguments(site: Site, field: StrawberryField, executor: PlannedExecutor) -> Arguments | None:
    """Reads the field's arguments, once an execution; None where there are none to read."""
    if not site.definition.args:
        return None
    convert = executor.plans.around.inputs.arguments(field.arguments)
    values = _reader(site)

    def arguments(executor: PlannedExecutor) -> Mapping[str, Any]:
        found = executor.arguments.get(site)
        if found is None:
            found = executor.arguments[site] = convert(values(executor))
        return found

    return arguments


def _reader(site: Site) -> Callable[[PlannedExecutor], dict[str, Any]]:
    details = site.details[0]
    read = None if details.fragment_variable_values else argument_reader(site.definition, details.node)

    def values(executor: PlannedExecutor) -> dict[str, Any]:
        try:
            if read is not None:
                return read(executor.variable_values.coerced)
        except Uncommon:
            pass
        return get_argument_values(
            site.definition,
            details.node,
            executor.variable_values,
            details.fragment_variable_values,
            executor.hide_suggestions,
        )

    return values
