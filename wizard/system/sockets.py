"""Waiting for a socket, and a socket that is a file: not every system has either."""

from __future__ import annotations

import select
import socket
import sys


def by_select(sock: socket.socket, seconds: float) -> bool:
    """Windows' way: its select takes a socket of any number, elsewhere only those below 1024 fit."""
    return bool(select.select([sock], [], [], seconds)[0])


if sys.platform == "win32":

    def is_readable(sock: socket.socket, seconds: float) -> bool:
        return by_select(sock, seconds)

    def local_socket() -> socket.socket:
        raise OSError("no such sockets")

else:

    def is_readable(sock: socket.socket, seconds: float) -> bool:
        """Whether something can be read within that time."""
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def local_socket() -> socket.socket:
        """To be bound to a path. Raises OSError where there is no such thing."""
        return socket.socket(socket.AF_UNIX)
