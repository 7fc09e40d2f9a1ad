"""Tokens: who may call, and what for."""

from datetime import datetime
from functools import partial
from typing import Annotated

import strawberry

from domain import grants
from resolvers import tokens as use_cases
from schema.arguments import given
from schema.connections import After, Connection, Edge, First, connect, request
from schema.enums import Scope
from schema.errors import UserError, answer
from schema.nodes import Node, global_id, parse_global_id, register
from schema.selection import Info
from schema.viewer import Grant, present_grants
from storage import records
from storage.driver import ObjectId


@strawberry.type(description="What lets a program call this server. Its secret is shown once and never stored.")
class Token(Node):
    name: str = strawberry.field(description="What it is for; recorded as the author of what is done with it.")
    grants: list[Grant] = strawberry.field(description="What it allows, one grant a workspace.")
    created_at: datetime = strawberry.field(description="When the token was created.")
    created_by: str | None = strawberry.field(description="The name of the token that created it.")
    expires_at: datetime | None = strawberry.field(description="When it ends by itself; null means never.")
    last_used_at: datetime | None = strawberry.field(
        description="When it was last used, to the minute; null means never."
    )
    revoked_at: datetime | None = strawberry.field(description="When it was ended for good; null if it was not.")


@strawberry.type(description="One token of a page.")
class TokenEdge(Edge[Token]):
    pass


@strawberry.type(description="A page of tokens.")
class TokenConnection(Connection[Token, TokenEdge]):
    edge_type = TokenEdge


def present_token(record: records.TokenRecord) -> Token:
    """The GraphQL object of a stored token."""
    return Token(
        id=global_id("Token", record.id),
        name=record.name,
        grants=present_grants(record.grants),
        created_at=record.created_at,
        created_by=record.created_by,
        expires_at=record.expires_at,
        last_used_at=record.last_used_at,
        revoked_at=record.revoked_at,
    )


register("Token", present_token)


@strawberry.type
class TokenQueries:
    @strawberry.field(
        description="The tokens whose grants all lie in workspaces that the caller administers, ended ones too, newest "
        "first. Needs the scope ADMIN."
    )
    async def tokens(self, info: Info, first: First = 100, after: After = strawberry.UNSET) -> TokenConnection:
        page = await use_cases.tokens(info.context, request(first, after))
        return connect(TokenConnection, page, present_token, partial(use_cases.count_tokens, info.context))


@strawberry.input(description="What a new token shall allow in one workspace, or in all of them.")
class GrantInput:
    workspace: str = strawberry.field(description="An existing workspace; `*` means all, future ones included.")
    scopes: list[Scope] = strawberry.field(description="At least one; each includes READ, and ADMIN includes all.")


@strawberry.input(description="A token to create.")
class CreateTokenInput:
    name: str = strawberry.field(description="1 to 255 letters, digits, `_`, `-` or `.`; need not be unique.")
    grants: list[GrantInput] = strawberry.field(description="1 to 100 grants, none beyond those of the caller.")
    expires_at: datetime | None = strawberry.field(
        description="When it shall end; null or absent means never. It may not outlive the token that creates it."
    )


@strawberry.type(description="What `createToken` did.")
class CreateTokenPayload:
    secret: str | None = strawberry.field(
        default=None, description="What clients send as `Authorization: Bearer <secret>`; shown only here."
    )
    token: Token | None = strawberry.field(default=None, description="The new token; null on errors.")
    errors: list[UserError] = strawberry.field(
        default_factory=list, description="Why no token was created; empty on success."
    )


@strawberry.input(description="A token to end.")
class RevokeTokenInput:
    id: strawberry.ID = strawberry.field(description="The id of the token.")


@strawberry.type(description="What `revokeToken` did.")
class RevokeTokenPayload:
    revoked_id: strawberry.ID | None = strawberry.field(
        default=None, description="The id of the token that has ended; null on errors."
    )
    errors: list[UserError] = strawberry.field(
        default_factory=list, description="Why the token was not ended; empty on success."
    )


@strawberry.type
class TokenMutations:
    @strawberry.mutation(
        description="Create a token. Needs the scope ADMIN on every workspace that it grants; refused in open mode."
    )
    async def create_token(
        self,
        info: Info,
        input: Annotated[CreateTokenInput, strawberry.argument(description="The token to create.")],
    ) -> CreateTokenPayload:
        return await answer(info.context, _create_token(info, input), CreateTokenPayload)

    @strawberry.mutation(
        description="End a token for good: at once on this server, within two seconds on others, open connections "
        "included. Needs the scope ADMIN on every workspace that it grants; ending it again changes nothing."
    )
    async def revoke_token(
        self, info: Info, input: Annotated[RevokeTokenInput, strawberry.argument(description="The token to end.")]
    ) -> RevokeTokenPayload:
        return await answer(info.context, _revoke_token(info, input), RevokeTokenPayload)


async def _create_token(info: Info, input: CreateTokenInput) -> CreateTokenPayload:
    wanted = [grants.Grant(grant.workspace, frozenset(grant.scopes)) for grant in input.grants]
    secret, record = await use_cases.create_token(info.context, input.name, wanted, given(input.expires_at))
    return CreateTokenPayload(secret=secret, token=present_token(record))


async def _revoke_token(info: Info, input: RevokeTokenInput) -> RevokeTokenPayload:
    parsed = parse_global_id(input.id)
    identity = ObjectId(parsed[1]) if parsed is not None and parsed[0] == "Token" else None
    await use_cases.revoke_token(info.context, identity, input.id)
    return RevokeTokenPayload(revoked_id=input.id)
