"""What every use case is given: the services of the process, and who asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from storage.services import Services

from resolvers.access import Viewer

if TYPE_CHECKING:
    from resolvers.loaders import Loaders


@dataclass(slots=True)
class Context:
    """The context of one operation; loaders live as long as it does, so an event of a subscription gets a fresh one."""

    services: Services
    viewer: Viewer
    request_id: str | None = None
    _loaders: Loaders | None = field(default=None, repr=False)

    def fresh(self) -> Context:
        """The same services and viewer with loaders of its own; for the next event of a subscription."""
        return Context(self.services, self.viewer, self.request_id)
