"""Which of our media types a client likes best."""

from enum import StrEnum
from functools import lru_cache
from typing import Final


class MediaType(StrEnum):
    """What `/graphql` can answer."""

    JSON = "application/json"
    GRAPHQL = "application/graphql-response+json"
    STREAM = "text/event-stream"
    PAGE = "text/html"


_WILDCARDS: Final = ("*/*", "application/*")


@lru_cache(maxsize=256)
def without_page(wanted: tuple[MediaType, ...]) -> tuple[MediaType, ...]:
    """What answers can be given as: everything but the page."""
    return tuple(media for media in wanted if media is not MediaType.PAGE)


@lru_cache(maxsize=256)
def preferences(header: str | None) -> tuple[MediaType, ...]:
    """The acceptable media types, best first: by quality, then by their order in the header. None accepts JSON."""
    if header is None or not header.strip():
        return (MediaType.JSON,)
    ranked: dict[MediaType, tuple[float, int]] = {}
    refused: set[MediaType] = set()
    for index, part in enumerate(header.split(",")[:50]):
        name, quality = _parse(part)
        media = _media_type(name)
        if media is None:
            continue
        if quality <= 0:
            refused.add(media)
        elif name in _WILDCARDS:
            ranked.setdefault(media, (quality, -1000 - index))
        else:
            ranked[media] = max(ranked.get(media, (0.0, -index)), (quality, -index))
    accepted = [media for media in ranked if media not in refused]
    return tuple(sorted(accepted, key=lambda media: ranked[media], reverse=True))


def _media_type(name: str) -> MediaType | None:
    if name in _WILDCARDS:
        return MediaType.JSON
    return MediaType(name) if name in set(MediaType) else None


def _parse(part: str) -> tuple[str, float]:
    name, *parameters = (piece.strip().lower() for piece in part.split(";"))
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip() == "q":
            return name, _quality(value.strip())
        if key.strip() == "charset" and value.strip(' "') not in ("utf-8", "utf8"):
            return "", 0.0
    return name, 1.0


def _quality(text: str) -> float:
    try:
        return min(max(float(text), 0.0), 1.0)
    except ValueError:
        return 0.0
