"""What job statuses mean to a program."""

from typing import Final

ENDED: Final = frozenset({"COMPLETED", "ERROR", "CANCELLED"})
