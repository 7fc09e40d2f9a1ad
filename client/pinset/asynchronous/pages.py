"""Reading every page of a list."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol, TypeVar

Row = TypeVar("Row")


class Page(Protocol[Row]):
    """A connection of any type."""

    @property
    def nodes(self) -> list[Row]: ...
    @property
    def page_info(self) -> Any: ...


async def every(fetch: Callable[[str | None], Awaitable[Page[Row]]]) -> AsyncIterator[Row]:
    """The rows of all pages, fetched one page at a time; `fetch` takes the cursor to go on from."""
    after: str | None = None
    while True:
        page = await fetch(after)
        for row in page.nodes:
            yield row
        if not page.page_info.has_next_page:
            return
        after = page.page_info.end_cursor
