"""A server process that dies by SIGKILL in the middle of a publish: python -m tests.killed_publisher URL DATABASE N.

It is killed right before its N-th database command of the publish is sent (N from 1), or ends well where the
publish takes fewer.
"""

import asyncio
import os
import signal
import sys

from pymongo import monitoring

from domain.outcomes import ABSENT
from resolvers.context import Context
from resolvers.tasks import replace_task
from storage.driver import connect
from storage.services import open_services
from tests.drafts import task


class Executioner(monitoring.CommandListener):
    """Kills its own process before a command is sent."""

    def __init__(self, deadly: int) -> None:
        self.left = deadly
        self.armed = False

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if not self.armed or event.command_name in ("getMore", "hello", "endSessions"):
            return
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        return

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        return


async def main(url: str, database: str, deadly: int) -> None:
    """Publish new content of the task `t`, armed."""
    executioner = Executioner(deadly)
    monitoring.register(executioner)
    client = connect(url)
    services = await open_services(client, database)
    executioner.armed = True
    await replace_task(Context(services), "default", "t", ABSENT, task("killed", metrics=["m"], tags=["x"]))
    executioner.armed = False
    await services.close()
    client.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
