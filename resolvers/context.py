"""What every use case is given: the services of the process, and who asks."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from domain.errors import LimitExceeded
from domain.limits import MAX_ANSWER_BYTES, MEBIBYTE
from resolvers.access import OPEN_VIEWER, Viewer
from resolvers.loaders import Loaders
from storage.ledger import Origin
from storage.services import Services


@dataclass(slots=True)
class Context:
    """The context of one operation; a subscription renews its loaders for each event."""

    services: Services
    viewer: Viewer = OPEN_VIEWER
    request_id: str | None = None
    address: str | None = None
    loaded_bytes: int = 0
    loaders: Loaders = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.loaders = Loaders(self)

    @property
    def actor(self) -> str | None:
        """Who is recorded as the author of a change; nobody in open mode."""
        return None if self.viewer is OPEN_VIEWER else self.viewer.name

    @property
    def origin(self) -> Origin:
        """Who the audit log names for what this operation does."""
        return Origin(self.actor, self.viewer.token, self.address, self.request_id)

    @property
    def rights(self) -> Hashable:
        """Equal for callers who may see the same."""
        return self.viewer.grants

    def renew(self) -> None:
        """Forget what was loaded, before the next event of the same subscription is resolved."""
        self.loaded_bytes = 0
        self.loaders = Loaders(self)

    def spend(self, size: int) -> None:
        """Count the bytes of loaded content; raises LimitExceeded (RESPONSE_TOO_LARGE) beyond 64 MiB."""
        self.loaded_bytes += size
        if self.loaded_bytes > MAX_ANSWER_BYTES:
            raise LimitExceeded(
                f"The answer would exceed {MAX_ANSWER_BYTES // MEBIBYTE} MiB; ask for a smaller page or fewer fields.",
                code="RESPONSE_TOO_LARGE",
                limit=MAX_ANSWER_BYTES,
            )
