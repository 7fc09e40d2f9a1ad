"""Metrics as documents: immutable definitions, retired rather than lost while content names them."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from domain.audit import AuditAction, AuditedType
from domain.canonical import canonical_text
from domain.errors import AlreadyExists, NotFound
from domain.metrics import CONFIGURATIONS, MetricDefinition, MetricType
from storage import guards
from storage.clock import now
from storage.driver import Database, Document, ObjectId, Session
from storage.ledger import note
from storage.pages import Order, PageRequest, fetch
from storage.records import MetricRecord, Page, Revision
from storage.revisions import by_names, revision_record
from storage.services import Services


async def create(
    services: Services,
    workspace: str,
    name: str,
    definition: MetricDefinition,
    *,
    project: str | None,
    description: str | None,
    labels: Any,
    actor: str | None,
) -> MetricRecord:
    """Store a definition under a free name, or give a retired name back to its own definition.

    Raises AlreadyExists with the stored digest where the name stands for a definition already.
    """
    identity = ObjectId()
    document = {
        "_id": identity,
        "workspace": workspace,
        "name": name,
        "project": project,
        "type": definition.type.value,
        "definition": definition.text,
        "description": description,
        "labels": canonical_text(labels),
        "digest": definition.digest,
        "isRetired": False,
        "createdAt": now(),
        "createdBy": actor,
    }

    async def work(session: Session) -> MetricRecord:
        collection = services.database["metrics"]
        found = await collection.find_one({"workspace": workspace, "name": name}, session=session)
        if found is None:
            await services.quotas.admit(workspace, records=1)
            await collection.insert_one(document, session=session)
            await guards.create(services.database, session, guards.metric_guards(identity))
            _note(AuditAction.CREATE, document, after=definition.digest)
            return record(document)
        if not found["isRetired"] or found["digest"] != definition.digest:
            raise _taken(found)
        await guards.close(services.database, session, guards.metric_guards(found["_id"]), False)
        kept = {key: document[key] for key in ("project", "description", "labels")}
        await collection.update_one({"_id": found["_id"]}, {"$set": {"isRetired": False, **kept}}, session=session)
        _note(AuditAction.RESTORE, found, after=definition.digest)
        return record({**found, **kept, "isRetired": False})

    return await services.transactions.run([f"metric:{workspace}/{name}"], work)


async def delete(services: Services, workspace: str, name: str) -> ObjectId:
    """Free the name of a metric that no revision names; retire it otherwise. Raises NotFound."""

    async def work(session: Session) -> ObjectId:
        collection = services.database["metrics"]
        found = await collection.find_one({"workspace": workspace, "name": name}, session=session)
        if found is None:
            raise NotFound(f"There is no metric '{workspace}/{name}'.", ("name",), ref=f"{workspace}/{name}")
        identity: ObjectId = found["_id"]
        named = await services.database["task_revisions"].find_one(
            {"metrics": f"{workspace}/{name}"}, {"_id": 1}, session=session
        )
        held = guards.metric_guards(identity)
        if named is None:
            await guards.remove(services.database, session, held)
            await collection.delete_one({"_id": identity}, session=session)
            _note(AuditAction.DELETE, found, before=found["digest"])
        else:
            await guards.close(services.database, session, held, True)
            await collection.update_one({"_id": identity}, {"$set": {"isRetired": True}}, session=session)
            _note(AuditAction.RETIRE, found, before=found["digest"])
        return identity

    return await services.transactions.run([f"metric:{workspace}/{name}"], work)


async def find(database: Database, workspace: str, name: str) -> MetricRecord | None:
    """The metric of this name, retired or not."""
    document = await database["metrics"].find_one({"workspace": workspace, "name": name})
    return None if document is None else record(document)


async def find_by_ref(
    database: Database, refs: Iterable[str], session: Session | None = None
) -> dict[str, MetricRecord]:
    """Metrics by qualified reference, retired or not; unknown ones are left out."""
    names = [(workspace, name) for workspace, _, name in (ref.partition("/") for ref in refs)]
    query = by_names(names)
    if query is None:
        return {}
    found = [record(document) for document in await database["metrics"].find(query, session=session).to_list(None)]
    return {metric.ref: metric for metric in found}


async def find_many(database: Database, ids: Sequence[ObjectId]) -> dict[ObjectId, MetricRecord]:
    """Metrics by id; those that are gone are left out."""
    found = await database["metrics"].find({"_id": {"$in": list(ids)}}).to_list(None)
    return {document["_id"]: record(document) for document in found}


async def page(database: Database, query: dict[str, Any], order: Order, request: PageRequest) -> Page[MetricRecord]:
    """Metrics that match a query, in an order."""
    part = await fetch(database["metrics"], query, order, request)
    return Page(tuple(map(record, part.documents)), part.cursors, part.has_next, part.has_previous)


async def users(database: Database, query: dict[str, Any], request: PageRequest) -> Page[Revision]:
    """Task revisions that match a query on the metrics they name, oldest first."""
    part = await fetch(database["task_revisions"], query, Order("_id"), request)
    return Page(tuple(map(revision_record, part.documents)), part.cursors, part.has_next, part.has_previous)


def record(document: Document) -> MetricRecord:
    """A record of its document."""
    definition = json.loads(document["definition"])
    kind = MetricType(document["type"])
    return MetricRecord(
        id=document["_id"],
        workspace=document["workspace"],
        name=document["name"],
        project=document["project"],
        type=kind,
        description=document["description"],
        labels=json.loads(document["labels"]),
        config=definition["config"],
        outputs=CONFIGURATIONS[kind].model_validate(definition["config"]).outputs(),
        text=document["definition"],
        digest=document["digest"],
        is_retired=document["isRetired"],
        created_at=document["createdAt"],
        created_by=document["createdBy"],
    )


def _note(action: AuditAction, document: Document, before: str | None = None, after: str | None = None) -> None:
    workspace, ref = document["workspace"], f"{document['workspace']}/{document['name']}"
    note(action, AuditedType.METRIC, document["_id"], ref, workspace=workspace, before=before, after=after)


def _taken(found: Document) -> AlreadyExists:
    ref = f"{found['workspace']}/{found['name']}"
    if found["isRetired"]:
        message = f"'{ref}' is a retired metric that revisions still name: its name is kept for that definition."
    else:
        message = f"The metric '{ref}' exists already; a metric is immutable, choose another name."
    return AlreadyExists(message, ("name",), ref=ref, digest=found["digest"])
