"""The socket of the server, taken before anything else starts."""

import socket

from domain.errors import StartupFailure


def bind(host: str, port: int) -> socket.socket:
    """A listening socket, taken before anything else starts. Raises StartupFailure where it cannot be had."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        raise StartupFailure(
            f"Cannot listen on {host}:{port}: {error.strerror or error}. Choose another --port."
        ) from error
