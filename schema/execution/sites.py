"""The places of a document that values come to stand at, with all that graphql-core needs to know of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphql import FieldNode, GraphQLField, GraphQLObjectType, GraphQLOutputType, GraphQLResolveInfo
from graphql.execution.collect_fields import FieldDetails

from schema.execution.trails import Trail, path_of

if TYPE_CHECKING:
    from schema.execution.planned import PlannedExecutor


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A field as one selection set asks for it: its definition, its type, and the nodes that ask."""

    parent: GraphQLObjectType
    definition: GraphQLField
    details: Sequence[FieldDetails]

    @property
    def nodes(self) -> list[FieldNode]:
        """The nodes of the document that ask for the field."""
        return [details.node for details in self.details]

    def info(self, executor: PlannedExecutor, trail: Trail) -> GraphQLResolveInfo[Any]:
        """What graphql-core tells a resolver."""
        return executor.build_resolve_info(self.definition, self.nodes, self.parent, path_of(trail))

    def failed(self, executor: PlannedExecutor, error: Exception, trail: Trail) -> None:
        """Note the field's error and answer null; raises it, located, where the field cannot be null."""
        executor.handle_field_error(error, self.definition.type, list(self.details), path_of(trail))

    def item_failed(self, executor: PlannedExecutor, error: Exception, type_: GraphQLOutputType, trail: Trail) -> None:
        """As `failed`, for an item of a list."""
        executor.handle_field_error(error, type_, list(self.details), path_of(trail))

    def complete(self, executor: PlannedExecutor, type_: GraphQLOutputType, value: Any, trail: Trail) -> Any:
        """Complete a value as graphql-core does, for all that is rare or wrong."""
        field = path_of(trail)
        while isinstance(field.key, int) and field.prev is not None:
            field = field.prev
        info = executor.build_resolve_info(self.definition, self.nodes, self.parent, field)
        return executor.complete_value(type_, list(self.details), info, path_of(trail), value, None)
