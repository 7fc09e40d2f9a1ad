"""The commands that need a server's code, each an entry point of the group `pinset.commands` of the command `pinset`.

Heavy imports wait in their bodies.
"""
