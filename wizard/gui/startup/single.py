"""One window for one home: a second start hands its file to the first window, which comes to the front.

A local socket that only this user may use: Qt's own on Windows, elsewhere `local_socket.py`. Which of two starts at the
same moment opens the window is decided by a lock, for neither finds the other's socket yet. A start that was killed
leaves nothing that stops the next one.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCryptographicHash, QDir, QLockFile, QObject, QTimer, Signal

from wizard.system import moving, paths
from wizard.system.disk import user_ids
from wizard.system.traits import this

if TYPE_CHECKING:  # loaded when there is another window, or once ours is painted
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

    from wizard.gui.startup.local_socket import LocalSocket

_CONNECT_MS = 500
_WRITE_MS = 1000
_MOST_BYTES = 16_384
_TAKEN = b"ok\n"
_OPENING_SECONDS = 20.0  # that another start may need until its window listens
_NAP = 0.1

_claims: dict[str, QLockFile] = {}  # as long as the process


def server_name() -> str:
    """The same for every start with the same home, and no other."""
    # Qt's own: Python's hashlib brings four megabytes of OpenSSL along.
    mark = QCryptographicHash.hash(str(paths.home()).encode(), QCryptographicHash.Algorithm.Sha256).toHex()
    return f"{paths.APP_NAME}-{bytes(mark.data()[:16]).decode('ascii')}"


def _path(name: str) -> str:
    """Qt's sockets are files here. In the folder that a desktop gives this user alone, if there is one: in the one for
    everybody somebody else may have put something under that name."""
    own = os.environ.get("XDG_RUNTIME_DIR", "")
    return str(Path(own, name)) if own and _is_mine(own, stat.S_ISDIR, 0o077) else QDir.temp().filePath(name)


def _is_mine(path: str, is_kind: Callable[[int], bool], closed: int = 0) -> bool:
    """`closed`: what its mode must not hold. A link is nobody's."""
    ids = user_ids()
    if ids is None:
        return False
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return False
    return is_kind(found.st_mode) and found.st_uid == ids[0] and not found.st_mode & closed


def may_be_open(name: str = "") -> bool:
    """False: there is no window of this home, and nobody has to be asked."""
    name = name or server_name()
    if this().doors_are_pipes:
        from wizard.system.windows.desktop import is_pipe_there

        return is_pipe_there(name)
    # Not another user's: it would be told the name of the file, and its answer would keep this program from starting.
    if not _is_mine(_path(name), stat.S_ISSOCK):
        return False
    from wizard.gui.startup.local_socket import is_answered

    return is_answered(_path(name), _CONNECT_MS / 1000)


def claim(name: str = "") -> bool:
    """Become the one start that opens the window of this home. False: another start has, or is about to. True also
    where nobody can tell."""
    name = name or server_name()
    if name not in _claims:
        lock = QLockFile(f"{_path(name)}.lock")
        lock.setStaleLockTime(0)  # of a process that is gone it is taken at once, of one that lives never
        if not lock.tryLock(0):
            return lock.error() is not QLockFile.LockError.LockFailedError
        _claims[name] = lock
    return True


class SingleInstance(QObject):
    asked = Signal(str)  # a second start: the file that it was given, or ""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = server_name()
        self._server: QLocalServer | LocalSocket | None = None

    def hand_over_or_claim(self, file: str | None) -> bool:
        """True: another window has taken it, perhaps one that was just being opened. False: this start is to open one,
        also beside one that does not answer."""
        until = time.monotonic() + _OPENING_SECONDS
        while not self.hand_over(file):
            if claim(self._name) or time.monotonic() > until:
                return False
            time.sleep(_NAP)
        return True

    def hand_over(self, file: str | None) -> bool:
        """True: another window has taken it, and this start is done."""
        if not may_be_open(self._name):
            return False
        import json

        from PySide6.QtNetwork import QLocalSocket

        from wizard.system.windows.desktop import may_come_forward

        socket = QLocalSocket()
        socket.connectToServer(self._name if this().doors_are_pipes else _path(self._name))
        if not socket.waitForConnected(_CONNECT_MS):
            return False
        may_come_forward()
        socket.write(json.dumps({"open": file or ""}).encode() + b"\n")
        socket.flush()
        is_taken = socket.waitForReadyRead(_WRITE_MS) and bytes(socket.readAll().data()) == _TAKEN
        socket.disconnectFromServer()
        return bool(is_taken)

    def listen(self) -> bool:
        """False: this start stays without a socket, and works all the same."""
        self._server = self._local_server() if this().doors_are_pipes else self._unix_door()
        return self._server is not None

    def _unix_door(self) -> LocalSocket | None:
        from wizard.gui.startup.local_socket import LocalSocket

        path = _path(self._name)
        if _is_mine(path, stat.S_ISSOCK):  # of a start that was killed: nobody has answered there
            with contextlib.suppress(OSError):
                moving.unlink(Path(path))
        try:
            return LocalSocket(path, self._hear_line, self)
        except OSError:
            return None

    def _local_server(self) -> QLocalServer | None:
        from PySide6.QtNetwork import QLocalServer

        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        if not server.listen(self._name):
            QLocalServer.removeServer(self._name)
            if not server.listen(self._name):
                return None
        server.newConnection.connect(self._welcome)
        return server

    def close(self) -> None:
        """Let another start be the first from now on."""
        if self._server is not None:
            self._server.close()
            self._server = None
        if lock := _claims.pop(self._name, None):
            lock.unlock()

    def _welcome(self) -> None:
        from PySide6.QtNetwork import QLocalServer

        while isinstance(self._server, QLocalServer) and (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(lambda socket=socket: self._hear(socket))
            socket.disconnected.connect(socket.deleteLater)
            if socket.canReadLine():
                self._hear(socket)

    def _hear(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > _MOST_BYTES:
                socket.abort()
            return
        answer = self._hear_line(bytes(socket.readLine().data()))
        if not answer:
            socket.abort()
            return
        socket.write(answer)
        socket.flush()

    def _hear_line(self, line: bytes) -> bytes:
        """What is answered; b"" for nonsense."""
        import json

        try:
            said = json.loads(line)
        except ValueError:
            return b""
        # Afterwards: the other start is told before this one begins to do something about it.
        QTimer.singleShot(0, self, lambda: self.asked.emit(_file_of(said)))
        return _TAKEN


def _file_of(said: object) -> str:
    return str(said.get("open", "")) if isinstance(said, dict) else ""
