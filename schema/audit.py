"""The audit log: who did what to which record, when and from where."""

from datetime import datetime
from functools import partial
from typing import Annotated

import strawberry

from resolvers import audit as use_cases
from schema.connections import After, Before, Connection, Edge, First, Last, Offset, connect, request
from schema.enums import AuditAction, AuditedType
from schema.filters import DateRange, date_range
from schema.nodes import Node, global_id, register
from schema.selection import Info
from storage import audit as storage


@strawberry.type(
    description="One thing done to one record, written in the transaction that did it. Entries never change."
)
class AuditEntry(Node):
    at: datetime = strawberry.field(description="When it was done.")
    action: AuditAction = strawberry.field(description="What was done.")
    actor: str | None = strawberry.field(description="The name of the token that did it; null in open mode.")
    token_id: strawberry.ID | None = strawberry.field(
        description="The id of that token; null for the admin token of the settings, and in open mode."
    )
    address: str | None = strawberry.field(
        description="The address of the client, as trusted proxies give it; null for a command on the server itself."
    )
    request_id: str | None = strawberry.field(description="The id of the request, as in the answer and the logs.")
    workspace: str | None = strawberry.field(
        description="The workspace of the record; null for a token that is not for one workspace alone."
    )
    type: AuditedType = strawberry.field(description="The kind of the record.")
    record_id: strawberry.ID = strawberry.field(description="The id of the record, which may be gone by now.")
    ref: str = strawberry.field(description="What the record was called: `workspace/name`, or the name alone.")
    before_digest: str | None = strawberry.field(description="The digest before; null where there was none.")
    after_digest: str | None = strawberry.field(description="The digest after; null where there is none.")
    detail: str | None = strawberry.field(description="The part that it was done to: the name of a tag.")


@strawberry.type(description="One entry of a page of the audit log.")
class AuditEntryEdge(Edge[AuditEntry]):
    pass


@strawberry.type(description="A page of the audit log.")
class AuditEntryConnection(Connection[AuditEntry, AuditEntryEdge]):
    edge_type = AuditEntryEdge


def present_entry(record: storage.AuditRecord) -> AuditEntry:
    """The GraphQL object of a stored entry."""
    return AuditEntry(
        id=global_id("AuditEntry", record.id),
        at=record.at,
        action=record.action,
        actor=record.actor,
        token_id=None if record.token is None else global_id("Token", record.token),
        address=record.address,
        request_id=record.request_id,
        workspace=record.workspace,
        type=record.type,
        record_id=global_id(record.type.value, record.record),
        ref=record.ref,
        before_digest=record.before_digest,
        after_digest=record.after_digest,
        detail=record.detail,
    )


register("AuditEntry", present_entry)


@strawberry.input(description="Which entries of the audit log a list should hold; all conditions must be met.")
class AuditFilter:
    workspace: str | None = strawberry.field(description="The workspace of the record.")
    actor: str | None = strawberry.field(description="The name of the token that did it.")
    action: list[AuditAction] | None = strawberry.field(description="What was done: one of these.")
    type: AuditedType | None = strawberry.field(description="The kind of the record.")
    ref: str | None = strawberry.field(description="What the record was called, whole.")
    at: DateRange | None = strawberry.field(description="When it was done.")


@strawberry.type
class AuditQueries:
    @strawberry.field(
        description="Who did what to the records of the workspaces that the caller administers, newest first. Trials "
        "are not among them: their attempts and the events of their job tell who ran them. Needs the scope ADMIN."
    )
    async def audit_log(
        self,
        info: Info,
        filter: Annotated[
            AuditFilter | None, strawberry.argument(description="Which entries; absent means all.")
        ] = strawberry.UNSET,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        last: Last = strawberry.UNSET,
        before: Before = strawberry.UNSET,
        offset: Offset = strawberry.UNSET,
    ) -> AuditEntryConnection:
        wanted = audit_filter(filter)
        page = await use_cases.audit_log(info.context, wanted, request(first, after, last, before, offset))
        count = partial(use_cases.count_audit_log, info.context, wanted)
        return connect(AuditEntryConnection, page, present_entry, count)


def audit_filter(input: AuditFilter | None) -> storage.AuditFilter | None:
    """The filter that storage understands; None where none was given."""
    if not input:
        return None
    return storage.AuditFilter(input.workspace, input.actor, input.action, input.type, input.ref, date_range(input.at))
