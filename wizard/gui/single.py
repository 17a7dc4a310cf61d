"""One window for one home: a second start hands its file to the first window, which comes to the front.

A local socket that only this user may use. A first start that was killed leaves nothing that stops the next one.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QObject, Signal

from wizard import paths

if TYPE_CHECKING:  # loaded when there is another window, or once ours is painted
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

_CONNECT_MS = 500
_WRITE_MS = 1000
_MOST_BYTES = 16_384


def server_name() -> str:
    """The same for every start with the same home, and no other."""
    return f"{paths.APP_NAME}-{hashlib.sha256(str(paths.home()).encode()).hexdigest()[:16]}"


class SingleInstance(QObject):
    asked = Signal(str)  # a second start: the file that it was given, or ""

    def __init__(self, name: str = "", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = name or server_name()
        self._server: QLocalServer | None = None

    def hand_over(self, file: str | None) -> bool:
        """True: another window has taken it, and this start is done."""
        if not self._may_be_there():
            return False
        from PySide6.QtNetwork import QLocalSocket

        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(_CONNECT_MS):
            return False
        socket.write(json.dumps({"open": file or ""}).encode() + b"\n")
        socket.flush()
        is_taken = socket.waitForReadyRead(_WRITE_MS) and bytes(socket.readAll().data()) == b"ok\n"
        socket.disconnectFromServer()
        return bool(is_taken)

    def _may_be_there(self) -> bool:
        """Where Qt's sockets are files, a file that is not there needs no asking."""
        return sys.platform == "win32" or os.path.lexists(QDir.temp().filePath(self._name))

    def listen(self) -> bool:
        """False: this start stays without a socket, and works all the same."""
        from PySide6.QtNetwork import QLocalServer

        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        if not server.listen(self._name):
            QLocalServer.removeServer(self._name)  # of a start that was killed: nobody has answered there
            if not server.listen(self._name):
                return False
        server.newConnection.connect(self._welcome)
        self._server = server
        return True

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def _welcome(self) -> None:
        while self._server is not None and (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(lambda socket=socket: self._hear(socket))
            socket.disconnected.connect(socket.deleteLater)
            if socket.canReadLine():
                self._hear(socket)

    def _hear(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > _MOST_BYTES:
                socket.abort()
            return
        try:
            said = json.loads(bytes(socket.readLine().data()))
            file = str(said.get("open", "")) if isinstance(said, dict) else ""
        except ValueError:
            socket.abort()
            return
        socket.write(b"ok\n")
        socket.flush()
        self.asked.emit(file)
