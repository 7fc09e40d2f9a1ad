"""The client for programs that run an event loop. `pinset.synchronous` is written from this by `generate.py`."""
