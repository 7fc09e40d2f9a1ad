"""Tokens: create, revoke, list. A token hands on and manages only what it may itself administer."""

from collections.abc import Sequence
from datetime import datetime

from domain.errors import Collector, ErrorCode, InvalidInput, NotFound, Refused
from domain.grants import EVERY_WORKSPACE, MAX_GRANTS, Grant, Scope
from domain.names import check_name
from resolvers.access import OPEN_VIEWER, Viewer, administered, missing_workspace, require
from resolvers.context import Context
from storage import tokens as storage
from storage import workspaces
from storage.clock import now
from storage.driver import ObjectId
from storage.pages import PageRequest
from storage.records import Page, TokenRecord


async def tokens(context: Context, page: PageRequest) -> Page[TokenRecord]:
    """The tokens that the viewer administers, ended ones too, newest first. Raises Forbidden without ADMIN."""
    return await storage.page(context.services, administered(context.viewer, "tokens"), page)


async def count_tokens(context: Context) -> int:
    """How many tokens `tokens` lists in all. Raises Forbidden."""
    return await storage.count(context.services, administered(context.viewer, "tokens"))


async def find_tokens(context: Context, ids: Sequence[ObjectId]) -> dict[ObjectId, TokenRecord]:
    """Tokens by id; those that the viewer does not administer are left out."""
    found = await storage.find_many(context.services, ids)
    return {identity: record for identity, record in found.items() if manages(context.viewer, record)}


async def create_token(
    context: Context, name: str, grants: Sequence[Grant], expires_at: datetime | None
) -> tuple[str, TokenRecord]:
    """A new token's secret, shown only here, and its record. Needs ADMIN on every workspace that it grants.

    Raises Refused (INVALID_STATE in open mode, FORBIDDEN beyond the viewer's own grants or expiry), NotFound, Problems.
    """
    if context.viewer is OPEN_VIEWER:
        raise Refused(
            "This server runs in open mode, where a token would protect nothing; start it with PINSET_AUTH=tokens."
        )
    problems = Collector()
    problems.attempt(check_name, name, ("name",), "token name")
    problems.attempt(_check_grants, grants)
    problems.attempt(_check_expiry, context.viewer, expires_at)
    for position, grant in enumerate(grants):
        problems.attempt(require, context.viewer, Scope.ADMIN, grant.workspace, ("grants", position, "workspace"))
    problems.finish()
    await _check_workspaces(context, grants)
    return await storage.create(context.services, name, _merged(grants), expires_at, context.actor)


async def revoke_token(context: Context, identity: ObjectId | None, shown_id: str) -> None:
    """End a token for good; ending it again changes nothing. Raises NotFound for one that the viewer cannot manage."""
    found = {} if identity is None else await find_tokens(context, [identity])
    if identity is None or identity not in found:
        raise NotFound("There is no token of this id among those that you administer.", ("id",), ref=shown_id)
    await storage.revoke(context.services, identity)


def manages(viewer: Viewer, record: TokenRecord) -> bool:
    """Whether a token lies within what the viewer administers."""
    return all(viewer.may(Scope.ADMIN, grant.workspace) for grant in record.grants)


def _check_grants(grants: Sequence[Grant]) -> None:
    if not 1 <= len(grants) <= MAX_GRANTS:
        raise InvalidInput(f"A token has 1 to {MAX_GRANTS} grants; this one has {len(grants)}.", ("grants",))
    for position, grant in enumerate(grants):
        if not grant.scopes:
            raise InvalidInput("A grant needs at least one scope.", ("grants", position, "scopes"))


def _check_expiry(viewer: Viewer, expires_at: datetime | None) -> None:
    if expires_at is not None and expires_at <= now():
        raise InvalidInput("The time lies in the past; give a later one, or none for a token that stays.", _EXPIRY)
    if viewer.expires_at is not None and (expires_at is None or expires_at > viewer.expires_at):
        raise Refused(
            f"Your own token ends at {viewer.expires_at.isoformat()}; a token that it creates may not outlive it.",
            _EXPIRY,
            ErrorCode.FORBIDDEN,
        )


_EXPIRY = ("expiresAt",)


async def _check_workspaces(context: Context, grants: Sequence[Grant]) -> None:
    problems = Collector()
    for position, grant in enumerate(grants):
        if grant.workspace != EVERY_WORKSPACE:
            found = await workspaces.find(context.services.database, grant.workspace)
            if found is None:
                problems.add(missing_workspace(grant.workspace, ("grants", position, "workspace")))
    problems.finish()


def _merged(grants: Sequence[Grant]) -> list[Grant]:
    """One grant a workspace, in the order given."""
    merged: dict[str, frozenset[Scope]] = {}
    for grant in grants:
        merged[grant.workspace] = merged.get(grant.workspace, frozenset()) | grant.scopes
    return [Grant(workspace, scopes) for workspace, scopes in merged.items()]
