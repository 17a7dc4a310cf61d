"""A server on 127.0.0.1 that says exactly the bytes it is told, however wrong, and knows no HTTP itself.

with RawServer(lambda asked: [b"HTTP/1.1 200 OK\r\n", 0.1, b"..."]) as server: …

A number among the pieces is a pause in seconds. The reply ends with the connection.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TypeVar

_Some = TypeVar("_Some", bound="Listener")
Reply = Callable[[bytes], Iterable[bytes | float]]
_MOST = 64 * 1024


class Listener:
    """Answers each connection in a thread of its own; all are cut when the `with` ends."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.connections = 0
        self.port = int(self._listening.getsockname()[1])

    def _answer(self, sock: socket.socket) -> None:
        raise NotImplementedError

    def __enter__(self: _Some) -> _Some:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        for sock in (self._listening, *self._open):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                sock, _ = self._listening.accept()
                self._open.append(sock)
                self.connections += 1
                threading.Thread(target=self._answer, args=(sock,), daemon=True).start()


class RawServer(Listener):
    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self._reply = reply
        self.asked: list[bytes] = []
        self.root = f"http://127.0.0.1:{self.port}"

    def _answer(self, sock: socket.socket) -> None:
        with contextlib.suppress(OSError), sock:
            asked = b""
            while b"\r\n\r\n" not in asked and len(asked) < _MOST and (more := sock.recv(_MOST)):
                asked += more
            if length := re.search(rb"(?i)\r\nContent-Length: *(\d+)", asked):  # what lies unread when it closes resets
                whole = asked.index(b"\r\n\r\n") + 4 + int(length[1])
                while len(asked) < min(whole, _MOST) and (more := sock.recv(_MOST)):
                    asked += more
            self.asked.append(asked)
            for piece in self._reply(asked):
                if isinstance(piece, bytes):
                    sock.sendall(piece)
                elif self._over.wait(piece):
                    return
