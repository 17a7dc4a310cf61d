"""Stands before a server on 127.0.0.1 and hands on what it says byte by byte, from a given byte on. Knows no protocol,
so that a TLS record, a head or a chunk size trickles as well as a body.

    with Trickle(server.port, after=2000) as slow: f"https://127.0.0.1:{slow.port}/a.whl"
"""

from __future__ import annotations

import contextlib
import socket
import threading

from tests.servers.raw_server import Listener

_MOST = 64 * 1024


class Trickle(Listener):
    """`after`: bytes of each connection that come at once; `pause`: seconds before each further one."""

    def __init__(self, port: int, after: int = 0, pause: float = 0.05) -> None:
        super().__init__()
        self._target, self._after, self._pause = port, after, pause

    def _answer(self, sock: socket.socket) -> None:
        with contextlib.suppress(OSError), sock, socket.create_connection(("127.0.0.1", self._target)) as behind:
            asking = threading.Thread(target=self._hand_on, args=(sock, behind, None), daemon=True)
            asking.start()
            self._hand_on(behind, sock, self._after)
            asking.join()

    def _hand_on(self, source: socket.socket, target: socket.socket, at_once: int | None) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(_MOST):
                if at_once is None:
                    target.sendall(piece)
                    continue
                target.sendall(piece[:at_once])
                for place in range(at_once, len(piece)):
                    if self._over.wait(self._pause):
                        return
                    target.sendall(piece[place : place + 1])
                at_once = max(0, at_once - len(piece))
        for sock in (source, target):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
