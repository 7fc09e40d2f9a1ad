"""Global ids, the interface Node, and the two fields that read by id."""

import base64
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, TypeAlias

import strawberry

from domain.errors import BadUserInput
from domain.limits import MAX_PAGE
from resolvers import nodes as use_cases
from schema.selection import Info
from storage.driver import ObjectId


@strawberry.interface(description="Anything that can be read again by its id.")
class Node:
    id: strawberry.ID = strawberry.field(
        description="Opaque id, unique over all types; it stays the same as long as the record exists."
    )


Presenter: TypeAlias = Callable[[Any], Node]
_PRESENTERS: Final[dict[str, Presenter]] = {}


def register(type_name: str, presenter: Presenter) -> None:
    """Make a type readable by `node`: the presenter turns its stored record into the GraphQL object."""
    _PRESENTERS[type_name] = presenter


def global_id(type_name: str, identity: ObjectId | str) -> strawberry.ID:
    """The opaque id of one record."""
    return strawberry.ID(base64.urlsafe_b64encode(f"{type_name}:{identity}".encode()).decode().rstrip("="))


def parse_global_id(text: str) -> tuple[str, str] | None:
    """The type and the stored id (24 hex digits), or None for anything that `global_id` did not make."""
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True).decode("ascii")
    except ValueError:
        return None
    type_name, _, identity = decoded.partition(":")
    is_ours = type_name in _PRESENTERS and ObjectId.is_valid(identity) and global_id(type_name, identity) == text
    return (type_name, identity) if is_ours else None


async def read_nodes(info: Info, ids: Sequence[str]) -> list[Node | None]:
    """The objects of many ids in their order; None for what is malformed, unknown or unreadable."""
    keys = [parse_global_id(text) for text in ids]
    known = [key for key in keys if key is not None]
    found = dict(zip(known, await use_cases.nodes(info.context, known), strict=True))
    records = [(key, None if key is None else found[key]) for key in keys]
    return [None if key is None or record is None else _PRESENTERS[key[0]](record) for key, record in records]


@strawberry.type
class NodeQueries:
    @strawberry.field(description="Read anything by its id; null where the id is malformed, unknown or unreadable.")
    async def node(
        self, info: Info, id: Annotated[strawberry.ID, strawberry.argument(description="The id, as it was answered.")]
    ) -> Node | None:
        return (await read_nodes(info, [id]))[0]

    @strawberry.field(description="Read many by their ids: as many items as ids, in their order, null where unknown.")
    async def nodes(
        self,
        info: Info,
        ids: Annotated[list[strawberry.ID], strawberry.argument(description="At most 1000 ids, of any types.")],
    ) -> list[Node | None]:
        if len(ids) > MAX_PAGE:
            raise BadUserInput(f"`ids` may hold at most {MAX_PAGE}.", argument="ids", limit=MAX_PAGE)
        return await read_nodes(info, ids)
