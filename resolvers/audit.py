"""The audit log: who did what to which record, for those who administer it."""

from collections.abc import AsyncIterator, Sequence

from domain.grants import Scope
from resolvers.access import Viewer, administered
from resolvers.context import Context
from storage import audit as storage
from storage.audit import AuditFilter, AuditRecord
from storage.driver import ObjectId
from storage.pages import PageRequest
from storage.records import Page

_WHAT = "the audit log"


async def audit_log(context: Context, filter: AuditFilter | None, page: PageRequest) -> Page[AuditRecord]:
    """Entries on the workspaces that the viewer administers, newest first; all entries for ADMIN on all workspaces.

    Raises Forbidden without ADMIN, BadUserInput for a bad page.
    """
    query = storage.audit_query(administered(context.viewer, _WHAT), filter)
    return await storage.page(context.services.database, query, page)


async def count_audit_log(context: Context, filter: AuditFilter | None) -> int:
    """How many entries `audit_log` lists in all. Raises Forbidden."""
    query = storage.audit_query(administered(context.viewer, _WHAT), filter)
    return await storage.count(context.services.database, query)


async def find_entries(context: Context, ids: Sequence[ObjectId]) -> dict[ObjectId, AuditRecord]:
    """Entries by id; those that the viewer may not see are left out."""
    found = await storage.find_many(context.services.database, ids)
    return {identity: entry for identity, entry in found.items() if _sees(context.viewer, entry)}


def every_entry(context: Context, filter: AuditFilter | None) -> AsyncIterator[AuditRecord]:
    """Every entry that the viewer may see, oldest first. Raises Forbidden."""
    query = storage.audit_query(administered(context.viewer, _WHAT), filter)
    return storage.entries(context.services.database, query)


def _sees(viewer: Viewer, entry: AuditRecord) -> bool:
    if viewer.administered_workspaces() is None:
        return True
    return entry.workspace is not None and viewer.may(Scope.ADMIN, entry.workspace)
