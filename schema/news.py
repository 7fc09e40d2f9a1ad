"""Following what is published."""

import contextlib
from collections.abc import AsyncGenerator
from functools import partial
from typing import Annotated, Any

import strawberry

from domain.names import DEFAULT_WORKSPACE
from resolvers import news as use_cases
from schema import tasks, tasksets
from schema.execution.sharing import SharedEvent
from schema.revisions import Revision
from schema.selection import Info
from storage.news import News
from storage.records import TASK


def present_news(item: News) -> Revision:
    """The GraphQL object of a published revision."""
    present = tasks.present_revision if item.kind is TASK else tasksets.present_revision
    return present(item.revision)


def shared_news(item: News) -> Any:
    """One publication, which is presented and resolved once for all who follow the workspace."""
    return SharedEvent(item.revision.id, partial(present_news, item))


@strawberry.type
class NewsSubscriptions:
    @strawberry.subscription(
        description=(
            "Each revision as it is published in the workspace, on any server: those of one record in their order, "
            "each once. What was published before is not sent; one that is deleted at once may be left out."
        )
    )
    async def revision_published(
        self,
        info: Info,
        workspace: Annotated[str, strawberry.argument(description="The workspace to follow.")] = DEFAULT_WORKSPACE,
    ) -> AsyncGenerator[Revision, None]:
        events = use_cases.revision_published(info.context, workspace)
        async with contextlib.aclosing(events):
            async for item in events:
                yield shared_news(item)
