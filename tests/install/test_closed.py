"""Sockets and files that a fetch has opened are closed on every way out, while whoever failed is still held."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from pathlib import Path

import psutil
import pytest
import trustme

from tests.install.files import locked, some_bytes
from tests.servers.proxy_server import ProxyServer
from wizard.model.errors import Cancelled
from wizard.model.lock import LockedFile
from wizard.transfer.download import Downloads, Fetcher
from wizard.transfer.download.model import Fault
from wizard.transfer.download.transport import Transport

ENOUGH = 60.0


def test_a_proxy_behind_which_nobody_speaks_tls(tmp_path: Path) -> None:
    """TLS in TLS: the outer connection stands when the inner one fails."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "server.pem"))
    ended = threading.Event()

    def babble(listener: socket.socket) -> None:
        sock, _ = listener.accept()
        with sock, contextlib.suppress(OSError):
            sock.sendall(b"no TLS\r\n" * 100)
            while sock.recv(4096):
                pass
        ended.set()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=babble, args=(listener,), daemon=True).start()
        routes = {"files.example:443": listener.getsockname()[1]}
        with ProxyServer(routes, certificate=tmp_path / "server.pem") as proxy:
            environment = {"HTTPS_PROXY": proxy.http, "SSL_CERT_FILE": str(tmp_path / "ca.pem")}
            transport = Transport(environment=environment)
            with pytest.raises(Fault) as caught:
                transport.get("https://files.example/a.whl", 0, None)
            assert ended.wait(ENOUGH), caught.value
        transport.close()


def test_a_file_that_is_opened_after_the_end(tmp_path: Path) -> None:
    """A cancelled fetch waits a second for its threads; one of them may be hashing for longer."""
    data = some_bytes(1 << 20)
    (tmp_path / "a.whl").write_bytes(data)
    file = locked(data, (tmp_path / "a.whl").as_uri())
    begun, go = threading.Event(), threading.Event()

    class Slow(Downloads):
        def find(self, file: LockedFile) -> Path | None:
            if threading.current_thread() is not threading.main_thread():
                begun.set()
                go.wait(ENOUGH)
            return super().find(file)

    store = Slow(tmp_path / "downloads")
    before = set(threading.enumerate())
    with pytest.raises(Cancelled):
        Fetcher(store, connections=1).fetch([file], is_cancelled=begun.is_set)
    left = set(threading.enumerate()) - before
    go.set()
    for thread in left:
        thread.join(ENOUGH)
    until = time.monotonic() + ENOUGH
    while (held := [one.path for one in psutil.Process().open_files()]) and time.monotonic() < until:
        if not any(path.startswith(str(tmp_path)) for path in held):
            return
        time.sleep(0.1)
    assert not any(path.startswith(str(tmp_path)) for path in held)
