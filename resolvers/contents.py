"""Contents by digest, through the cache and counted against the limit of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from storage.contents import read
from storage.records import Content

if TYPE_CHECKING:
    from resolvers.context import Context


async def contents(context: Context, digests: Sequence[str]) -> dict[str, Content]:
    """The content of every digest, in one query for those that are not remembered.

    A text that is missing or does not hash to its digest gives a corrupt Content, its neighbours are unharmed.
    Raises LimitExceeded (RESPONSE_TOO_LARGE) as soon as the texts exceed 64 MiB.
    """
    cache = context.services.caches.contents
    found: dict[str, Content] = {}
    missing: list[str] = []
    for digest in digests:
        known = cache.get(digest)
        if known is None:
            missing.append(digest)
        else:
            context.spend(len(known.text or ""))
            found[digest] = known
    if missing:
        async for digest, content, size in read(context.services.database, missing):
            context.spend(size)
            if not content.is_corrupt:
                cache.put(digest, content)
            found[digest] = content
    return {digest: found.get(digest) or Content(digest, None, None) for digest in digests}
