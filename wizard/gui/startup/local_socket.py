"""Where a second start of the program knocks, on every system but Windows: a local socket, looked at by Qt's own loop.

Qt's `QLocalServer` would do, and does on Windows; here it would bring three megabytes of QtNetwork into every window.
Only this user may knock.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QSocketNotifier

from wizard.system import moving
from wizard.system.sockets import local_socket

_MOST_BYTES = 16_384
_WAITING = 8
Answer = Callable[[bytes], bytes]  # b"": nothing is answered


class LocalSocket(QObject):
    def __init__(self, path: str, answer: Answer, parent: QObject | None = None) -> None:
        """`answer` gets one line. Raises OSError where there can be no such socket."""
        super().__init__(parent)
        self._path, self._answer = path, answer
        self._server = _listening(path)
        self._callers: dict[socket.socket, tuple[QSocketNotifier, bytearray]] = {}
        self._notifier = self._notified(self._server, self._welcome)

    def close(self) -> None:
        """End every connection and remove the socket's file."""
        for caller in tuple(self._callers):
            self._let_go(caller)
        self._notifier.setEnabled(False)
        self._server.close()
        with contextlib.suppress(OSError):
            moving.unlink(Path(self._path))

    def _notified(self, one: socket.socket, slot: Callable[[], None]) -> QSocketNotifier:
        notifier = QSocketNotifier(one.fileno(), QSocketNotifier.Type.Read, self)
        notifier.activated.connect(slot)
        return notifier

    def _welcome(self) -> None:
        try:
            caller, _ = self._server.accept()
        except OSError:  # gone again
            return
        caller.setblocking(False)
        self._callers[caller] = (self._notified(caller, lambda: self._hear(caller)), bytearray())

    def _hear(self, caller: socket.socket) -> None:
        if caller not in self._callers:
            return
        said = self._callers[caller][1]
        try:
            more = caller.recv(_MOST_BYTES)
        except BlockingIOError:
            return
        except OSError:
            more = b""
        said += more
        line, end, _ = said.partition(b"\n")
        if end:
            with contextlib.suppress(OSError):
                caller.send(self._answer(bytes(line)))
        if end or not more or len(said) > _MOST_BYTES:
            self._let_go(caller)

    def _let_go(self, caller: socket.socket) -> None:
        notifier, _ = self._callers.pop(caller)
        notifier.setEnabled(False)
        notifier.deleteLater()
        caller.close()


def is_answered(path: str, seconds: float) -> bool:
    """False for the file of a start that was killed. Who answers hears that we are gone again, and nothing more."""
    try:
        with local_socket() as caller:
            caller.settimeout(seconds)
            caller.connect(path)
    except (ConnectionRefusedError, FileNotFoundError):
        return False
    except OSError:
        return True
    return True


def _listening(path: str) -> socket.socket:
    server = local_socket()
    try:
        server.bind(path)
        Path(path).chmod(0o600)  # before anybody can connect
        server.listen(_WAITING)
    except OSError:
        server.close()
        raise
    server.setblocking(False)
    return server
