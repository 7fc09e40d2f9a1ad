"""RFC 6902 patches between two JSON values, in time that grows with their size.

jsonpatch finds short patches and takes quadratic time for lists (minutes for a taskset of 10,000 members), so it is
given only the lists that are short once their common ends are cut off.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias, cast

import jsonpatch

from domain.canonical import JSON, canonical_text

Operation: TypeAlias = dict[str, JSON]

# The product of the lengths of two lists up to which jsonpatch compares them.
_SMALL: Final = 40_000


def patch(before: JSON, after: JSON) -> list[JSON]:
    """The operations that turn `before` into `after`; none where their canonical texts are equal."""
    return list(_differences(before, after, ""))


def _differences(before: JSON, after: JSON, pointer: str) -> Iterator[Operation]:
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_objects(before, after, pointer)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _of_lists(before, after, pointer)
    elif canonical_text(before) != canonical_text(after):
        yield {"op": "replace", "path": pointer, "value": after}


def _of_objects(before: dict[str, JSON], after: dict[str, JSON], pointer: str) -> Iterator[Operation]:
    for key in sorted(before.keys() | after.keys()):
        place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
        if key not in after:
            yield {"op": "remove", "path": place}
        elif key not in before:
            yield {"op": "add", "path": place, "value": after[key]}
        else:
            yield from _differences(before[key], after[key], place)


def _of_lists(before: list[JSON], after: list[JSON], pointer: str) -> Iterator[Operation]:
    start, end = _common_ends([*map(canonical_text, before)], [*map(canonical_text, after)])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if _is_sorted(old) and _is_sorted(new):
        yield from _of_sorted(cast("list[str]", old), cast("list[str]", new), pointer, start)
    elif min(len(old), len(new)) > 1 and len(old) * len(new) <= _SMALL:
        yield from (_moved(operation, pointer, start) for operation in jsonpatch.make_patch(old, new).patch)
    else:
        yield from _by_position(old, new, pointer, start)


def _common_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How many items two lists share at their beginning, and how many more at their end."""
    shorter = min(len(before), len(after))
    start = next((index for index in range(shorter) if before[index] != after[index]), shorter)
    rest = shorter - start
    end = next((count for count in range(rest) if before[-1 - count] != after[-1 - count]), rest)
    return start, end


def _is_sorted(items: Sequence[JSON]) -> bool:
    """Whether these are texts in ascending order, none twice, as the members of a taskset are."""
    texts = [item for item in items if isinstance(item, str)]
    return len(texts) == len(items) and all(texts[i] < texts[i + 1] for i in range(len(texts) - 1))


def _of_sorted(old: list[str], new: list[str], pointer: str, start: int) -> Iterator[Operation]:
    kept, wanted = set(old), set(new)
    position = start
    for text in sorted(kept | wanted):
        if text not in wanted:
            yield {"op": "remove", "path": f"{pointer}/{position}"}
            continue
        if text not in kept:
            yield {"op": "add", "path": f"{pointer}/{position}", "value": text}
        position += 1


def _by_position(old: list[JSON], new: list[JSON], pointer: str, start: int) -> Iterator[Operation]:
    shorter = min(len(old), len(new))
    for index in range(shorter):
        yield from _differences(old[index], new[index], f"{pointer}/{start + index}")
    for index in range(len(old) - 1, shorter - 1, -1):
        yield {"op": "remove", "path": f"{pointer}/{start + index}"}
    for index in range(shorter, len(new)):
        yield {"op": "add", "path": f"{pointer}/{start + index}", "value": new[index]}


def _moved(operation: Any, pointer: str, start: int) -> Operation:
    """The operation on a part of a list as one on the whole value."""
    places = {name: _place(operation[name], pointer, start) for name in ("path", "from") if name in operation}
    return {**operation, **places}


def _place(path: str, pointer: str, start: int) -> str:
    # An empty path would replace the list itself, which jsonpatch never does between two lists.
    index, slash, rest = path[1:].partition("/")
    return f"{pointer}/{start + int(index)}{slash}{rest}"
