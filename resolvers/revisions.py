"""What tasks and tasksets have in common: finding records and revisions, tags and their log."""

from dataclasses import replace

from domain.errors import BadUserInput, Collector, InvalidInput, NotFound, UserError
from domain.names import LATEST, check_digest, check_movable_tag, check_tag
from domain.outcomes import Absent
from domain.references import parse_metric_reference, parse_reference
from resolvers.context import Context
from resolvers.workspaces import writable
from storage import revisions as storage
from storage import tags
from storage.filters import HeadFilter, head_query
from storage.pages import Order, PageRequest
from storage.records import Head, Page, RecordKind, Revision, TagMove
from storage.revisions import Selector


async def head(context: Context, kind: RecordKind, workspace: str, name: str) -> Head | None:
    """The record of this name; None where it does not exist for the viewer."""
    if not context.viewer.reads(workspace):
        return None
    return await storage.find_head(context.services.database, kind, workspace, name)


async def head_with_latest(context: Context, kind: RecordKind, workspace: str, name: str) -> Head | None:
    """As `head`, for a caller that goes on to the latest revision: both come in one query."""
    if not context.viewer.reads(workspace):
        return None
    found = await storage.find_head_and_latest(context.services, kind, workspace, name)
    if found is None:
        return None
    record, latest = found
    if latest is not None:
        context.loaders.revision[kind].prime(latest.id, latest)
    return record


async def heads(
    context: Context, kind: RecordKind, workspace: str, filter: HeadFilter | None, order: Order, page: PageRequest
) -> Page[Head]:
    """Records of a workspace. Raises BadUserInput for a bad page, cursor or filter."""
    query = head_query(workspace, _qualified(filter, workspace))
    if not context.viewer.reads(workspace):
        page.check()
        return Page((), (), False, False)
    return await storage.head_page(context.services.database, kind, query, order, page)


async def count_heads(context: Context, kind: RecordKind, workspace: str, filter: HeadFilter | None) -> int:
    """How many records `heads` lists in all."""
    if not context.viewer.reads(workspace):
        return 0
    query = head_query(workspace, _qualified(filter, workspace))
    return int(await context.services.database[kind.heads].count_documents(query))


async def by_reference(context: Context, kind: RecordKind, ref: str, workspace: str) -> Revision | None:
    """The revision that a reference names, bare names in `workspace`; None where there is none for the viewer.

    Raises BadUserInput for what is not a reference.
    """
    try:
        reference = parse_reference(ref, workspace)
    except UserError as error:
        raise BadUserInput(error.message, argument="ref") from None
    found = await head_with_latest(context, kind, reference.workspace, reference.name)
    if found is None:
        return None
    if reference.tag == LATEST or reference.digest == found.digest:
        return await context.loaders.revision[kind].load(found.revision_id)
    return await storage.select(context.services, kind, found, Selector(digest=reference.digest, tag=reference.tag))


async def select(context: Context, kind: RecordKind, head: Head, selector: Selector | None) -> Revision | None:
    """The revision that a selector names, `latest` where it is None. Raises BadUserInput for a malformed one."""
    try:
        check_selector(selector)
    except UserError as error:
        raise BadUserInput(error.message, argument=".".join(map(str, error.path))) from None
    return await storage.select(context.services, kind, head, selector)


async def revisions(context: Context, kind: RecordKind, head: Head, page: PageRequest) -> Page[Revision]:
    """Revisions of a record, newest first. Raises BadUserInput for a bad page."""
    return await storage.revision_page(context.services.database, kind, head, page)


async def count_revisions(context: Context, kind: RecordKind, head: Head) -> int:
    """How many revisions a record has."""
    return int(await context.services.database[kind.revisions].count_documents({"parent": head.id}))


async def tag_moves(context: Context, head: Head, tag: str | None, page: PageRequest) -> Page[TagMove]:
    """Moves by hand of a record's tags, or of one of them, newest first. Raises BadUserInput for a bad page."""
    return await tags.move_page(context.services.database, head, tag, page)


async def count_tag_moves(context: Context, head: Head, tag: str | None) -> int:
    """How many moves `tag_moves` lists in all."""
    return await tags.count_moves(context.services.database, head, tag)


async def tag(
    context: Context,
    kind: RecordKind,
    workspace: str,
    name: str,
    tag: str,
    selector: Selector,
    expected_digest: str | Absent | None,
) -> tuple[Head, Revision]:
    """Point a tag at a revision; `expected_digest` null demands that the tag does not exist yet.

    Raises NotFound, Conflict, Refused, or Problems with InvalidInput (TAG_RESERVED, LIMIT_EXCEEDED).
    """
    await writable(context, workspace)
    problems = Collector()
    problems.attempt(check_movable_tag, tag, ("tag",))
    problems.attempt(check_selector, selector, "revision")
    _check_expected(expected_digest, problems)
    problems.finish()
    found = await existing(context, kind, workspace, name)
    return await tags.move_tag(context.services, kind, found, tag, selector, expected_digest, context.actor)


async def untag(
    context: Context, kind: RecordKind, workspace: str, name: str, tag: str, expected_digest: str | Absent | None
) -> Head:
    """Remove a tag. Raises NotFound, Conflict, Refused, or Problems with InvalidInput (TAG_RESERVED)."""
    await writable(context, workspace)
    problems = Collector()
    problems.attempt(check_movable_tag, tag, ("tag",))
    _check_expected(expected_digest, problems)
    problems.finish()
    found = await existing(context, kind, workspace, name)
    return await tags.remove_tag(context.services, kind, found, tag, expected_digest, context.actor)


async def existing(context: Context, kind: RecordKind, workspace: str, name: str) -> Head:
    """The record of this name. Raises NotFound."""
    found = await head(context, kind, workspace, name)
    if found is None:
        ref = f"{workspace}/{name}"
        raise NotFound(f"There is no {kind.noun} {ref!a}.", ("name",), ref=ref)
    return found


def check_selector(selector: Selector | None, *path: str) -> None:
    """Refuse a malformed digest or tag. Raises InvalidInput; an ordinal that does not exist is not malformed."""
    if selector is None:
        return
    if selector.digest is not None:
        check_digest(selector.digest, (*path, "digest"))
    if selector.tag is not None:
        check_tag(selector.tag, (*path, "tag"))


def _check_expected(digest: str | Absent | None, problems: Collector) -> None:
    if isinstance(digest, str):
        problems.attempt(check_digest, digest, ("expectedDigest",))


def _qualified(filter: HeadFilter | None, workspace: str) -> HeadFilter | None:
    if filter is None or filter.metric is None:
        return filter
    try:
        reference = parse_metric_reference(filter.metric, workspace)
    except InvalidInput as error:
        raise BadUserInput(error.message, argument="filter.metric") from None
    return replace(filter, metric=str(reference))
