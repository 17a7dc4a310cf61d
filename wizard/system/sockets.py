"""Waiting for a socket, and a socket that is a file: not every system has either.

A wait goes by in slices: Windows need not wake who waits for a socket that another thread has shut down.
"""

from __future__ import annotations

import contextlib
import select
import socket
import sys
import time
import weakref
from typing import Any

_SLICE = 0.5  # seconds
_ended: weakref.WeakSet[Any] = weakref.WeakSet()


def end(sock: Any) -> None:
    """Stop whoever reads from it, from another thread: at once, or half a second later where the system tells nobody.
    Raises nothing. `sock`: a socket, or what has one (TLS through a proxy's TLS)."""
    _ended.add(sock)
    with contextlib.suppress(OSError):
        getattr(sock, "socket", sock).shutdown(socket.SHUT_RDWR)


def wait_readable(sock: Any, seconds: float) -> bool:
    """Return whether something can be read within that time. Raises ConnectionAbortedError when it was ended."""
    until = time.monotonic() + seconds
    while True:
        if sock in _ended:
            raise ConnectionAbortedError("ended by ourselves")
        left = until - time.monotonic()
        if is_readable(sock, max(0.0, min(left, _SLICE))):
            return True
        if left <= _SLICE:
            return False


def receive(sock: Any, buffer: Any, seconds: float | None) -> int:
    """Read what comes within that time (None: whenever), 0 at the end. Raises OSError: TimeoutError,
    ConnectionAbortedError when it was ended. A read of TLS that runs out of time can be begun again."""
    before, until = sock.gettimeout(), None if seconds is None else time.monotonic() + seconds
    try:
        while True:
            if sock in _ended:
                raise ConnectionAbortedError("ended by ourselves")
            left = _SLICE if until is None else until - time.monotonic()
            sock.settimeout(max(0.001, min(left, _SLICE)))
            try:
                return int(sock.recv_into(buffer))
            except TimeoutError:
                if until is not None and left <= _SLICE:
                    raise
    finally:
        sock.settimeout(before)


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
