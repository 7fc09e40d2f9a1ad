"""Formats of other systems, as domain content: thin mappings over the readers of the distribution `pinset`."""
