"""Pages: what all connections share. A page is loaded whole, so that its items complete without waiting."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, ClassVar, Generic, TypeAlias, TypeVar

import strawberry

from schema.arguments import given
from storage.pages import PageRequest
from storage.records import Page

Item = TypeVar("Item")
EdgeOf = TypeVar("EdgeOf", bound="Edge[Any]")
Record = TypeVar("Record")

First: TypeAlias = Annotated[
    int | None,
    strawberry.argument(description="How many items from the start (or after `after`), 0 to 1000; null means 100."),
]
After: TypeAlias = Annotated[
    str | None,
    strawberry.argument(description="Cursor of the item after which the page begins, from the same list and order."),
]
Last: TypeAlias = Annotated[
    int | None,
    strawberry.argument(description="How many items from the end (or before `before`), 0 to 1000; excludes `first`."),
]
Before: TypeAlias = Annotated[
    str | None,
    strawberry.argument(description="Cursor of the item before which the page ends, from the same list and order."),
]
Offset: TypeAlias = Annotated[
    int | None,
    strawberry.argument(description="How many items to skip, 0 to 10000, for page numbers; excludes cursors."),
]


@strawberry.type(description="What lies on either side of a page.")
class PageInfo:
    has_next_page: bool = strawberry.field(description="Whether the list goes on after this page.")
    has_previous_page: bool = strawberry.field(description="Whether the list has items before this page.")
    start_cursor: str | None = strawberry.field(description="Cursor of the first item; null on an empty page.")
    end_cursor: str | None = strawberry.field(
        description="Cursor of the last item, to be sent as `after` for the next page; null on an empty page."
    )


@strawberry.type
class Edge(Generic[Item]):
    cursor: str = strawberry.field(description="Where this item stands in the list; send it as `after` or `before`.")
    node: Item = strawberry.field(description="The item itself.")


@strawberry.type
class Connection(Generic[Item, EdgeOf]):
    edge_type: ClassVar[type[Edge[Any]]]

    nodes: list[Item] = strawberry.field(description="The items of the page, in the order of the list.")
    page_info: PageInfo = strawberry.field(description="What lies on either side of the page.")
    cursors: strawberry.Private[Sequence[str]]
    count: strawberry.Private[Callable[[], Awaitable[int]]]

    @strawberry.field(description="The items of the page, each with its cursor.")
    def edges(self) -> list[EdgeOf]:
        return [self.edge_type(cursor=cursor, node=node) for cursor, node in zip(self.cursors, self.nodes, strict=True)]  # type: ignore[misc]

    @strawberry.field(description="How many items the whole list has, exact; counted only when it is asked for.")
    async def total_count(self) -> int:
        return await self.count()


Connected = TypeVar("Connected", bound=Connection[Any, Any])


def connect(
    connection: type[Connected],
    page: Page[Record],
    present: Callable[[Record], object],
    count: Callable[[], Awaitable[int]],
) -> Connected:
    """The connection of one page; `present` makes the GraphQL object of a record."""
    cursors = page.cursors
    return connection(
        nodes=[present(item) for item in page.items],
        cursors=cursors,
        count=count,
        page_info=PageInfo(
            has_next_page=page.has_next,
            has_previous_page=page.has_previous,
            start_cursor=cursors[0] if cursors else None,
            end_cursor=cursors[-1] if cursors else None,
        ),
    )


def request(
    first: int | None,
    after: str | None,
    last: int | None = None,
    before: str | None = None,
    offset: int | None = None,
) -> PageRequest:
    """The page that a list is asked for; an absent argument counts as null."""
    return PageRequest(given(first), given(after), given(last), given(before), given(offset))
