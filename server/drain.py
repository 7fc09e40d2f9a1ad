"""The moment at which a server stops taking work: streams end, so that their clients go elsewhere."""

import asyncio
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Drain:
    """Shared by all long connections of an application."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self) -> None:
        """Return once it has begun."""
        await self.begun.wait()

    def begin(self) -> None:
        """From here on nothing long-lived starts, and what runs comes to its end."""
        self.begun.set()
