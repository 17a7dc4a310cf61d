"""A longest time and a least rate for what a server says, of any scheme: head, redirects, body, chunk sizes.

A socket's own time limit begins anew with every byte, so one that drips is waited for as long as it likes. Here the
clock is looked at with every piece that comes. TLS handshakes need nothing: Python holds them to one limit as a whole.
"""

from __future__ import annotations

import http.client
import io
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wizard.system.sockets import receive


class TooSlow(TimeoutError):
    """The whole took too long, or too little came."""


class Pace:
    """`longest` seconds for the whole; at least `least` bytes a second once `patience` seconds have passed."""

    def __init__(self, longest: float, patience: float = 0.0, least: float = 0.0) -> None:
        self._longest, self._patience, self._least = longest, patience, least
        self._began = time.monotonic()
        self._came = 0

    def left(self) -> float:
        """Seconds. Raises TooSlow."""
        passed = time.monotonic() - self._began
        if passed >= self._longest:
            raise TooSlow(f"not all of it in {self._longest:g} seconds")
        if passed > self._patience and self._came < self._least * passed:
            raise TooSlow(f"{self._came} bytes in {passed:.0f} seconds")
        return self._longest - passed

    def add(self, count: int) -> None:
        self._came += count


_of_thread = threading.local()


@contextmanager
def keeping(pace: Pace) -> Iterator[None]:
    """What this thread reads through `PacedResponse` is held to `pace`."""
    before = getattr(_of_thread, "pace", None)
    _of_thread.pace = pace
    try:
        yield
    finally:
        _of_thread.pace = before


class PacedResponse(http.client.HTTPResponse):
    """In place of a connection's `response_class`. Without `keeping` around it, it is an ordinary one."""

    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp = io.BufferedReader(_PacedReader(self.fp.detach(), sock))


class _PacedReader(io.RawIOBase):
    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw, self._sock = raw, sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        pace: Pace | None = getattr(_of_thread, "pace", None)
        silence = self._sock.gettimeout()
        if pace is None:
            return receive(self._sock, buffer, silence)
        left = pace.left()
        count = receive(self._sock, buffer, left if silence is None else min(silence, left))
        pace.add(count)
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()
