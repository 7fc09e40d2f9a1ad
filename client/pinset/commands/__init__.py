"""The commands that use a server through its API, each an entry point of the group `pinset.commands`.

Exit codes: 0 done, 1 refused or failed (nothing half written, unless the message says so), 2 wrong usage, 3 no answer
from the server, 130 interrupted.
"""
