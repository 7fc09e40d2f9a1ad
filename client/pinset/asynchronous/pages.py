"""Reading every page of a list."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, Protocol, TypeVar

from pinset.errors import RequestError

Row = TypeVar("Row")
TOO_LARGE: Final = "RESPONSE_TOO_LARGE"


class Page(Protocol[Row]):
    """A connection of any type."""

    @property
    def nodes(self) -> list[Row]: ...
    @property
    def page_info(self) -> Any: ...


async def every(fetch: Callable[[str | None, int], Awaitable[Page[Row]]], page_size: int) -> AsyncIterator[Row]:
    """The rows of all pages, fetched one page at a time; `fetch` takes the cursor to go on from and the page's size.

    A page whose rows are too large for one answer is asked for again at an eighth of its size.
    """
    after: str | None = None
    while True:
        try:
            page = await fetch(after, page_size)
        except RequestError as error:
            if error.code != TOO_LARGE or page_size == 1:
                raise
            page_size = max(1, page_size // 8)
            continue
        for row in page.nodes:
            yield row
        if not page.page_info.has_next_page:
            return
        after = page.page_info.end_cursor
