"""Looking up what a document's names mean in a schema."""

from typing import cast

from graphql import (
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    OperationDefinitionNode,
    SchemaMetaFieldDef,
    TypeMetaFieldDef,
    get_named_type,
)


def root_type(schema: GraphQLSchema, node: OperationDefinitionNode) -> GraphQLObjectType | None:
    """Query, Mutation or Subscription; None where the schema has no such operations."""
    return schema.get_root_type(node.operation)


def type_named(schema: GraphQLSchema, name: str) -> GraphQLNamedType | None:
    """The type of that name, None where it is unknown."""
    return schema.get_type(name)


def field_definition(schema: GraphQLSchema, parent: GraphQLNamedType | None, name: str) -> GraphQLField | None:
    """A field of an object or interface, or one of the two introspection fields of the query root."""
    if parent is schema.query_type:
        if name == "__schema":
            return SchemaMetaFieldDef
        if name == "__type":
            return TypeMetaFieldDef
    if isinstance(parent, GraphQLObjectType | GraphQLInterfaceType):
        return cast("GraphQLField | None", parent.fields.get(name))
    return None


def named(type_: GraphQLOutputType) -> GraphQLNamedType:
    """The type without its lists and non-nulls."""
    return get_named_type(type_)
