"""The client for programs without an event loop; written from `pinset.asynchronous` by `generate.py`."""
