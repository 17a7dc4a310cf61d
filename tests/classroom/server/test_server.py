"""A class server hands out what its list names and nothing else, and tells who asks too much when to return."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import socket
import sys
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.classroom.pack.classes import Class, make_class, publish
from tests.classroom.server.conftest import serve
from tests.servers.fault_server import FaultServer
from tests.waiting import wait_until
from wizard.classroom.pack.build import BuildOptions, build
from wizard.classroom.pack.listing import PackEntry, PackListing
from wizard.classroom.pack.make import check_pack, read_listing, wanted_of
from wizard.classroom.results.certificate import Certificate, to_json
from wizard.classroom.results.room import write_seats
from wizard.classroom.server.limits import Limits
from wizard.classroom.server.server import PackServer, ServeOptions, content_of_pack
from wizard.model.errors import WizardError
from wizard.transfer.download import Downloads


def ask(
    server: PackServer, path: str, headers: dict[str, str] | None = None, method: str = "GET", body: bytes | None = None
) -> tuple[int, dict[str, str], bytes]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)) as connection:
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        return response.status, {key.lower(): value for key, value in response.getheaders()}, response.read()


def test_ranges_and_conditions(server: PackServer, course: Class) -> None:
    torch = course.file.profile.locks[0].files[0]
    data, path = course.data[torch.sha256], f"/wheels/{torch.filename.replace('+', '%2B')}"
    status, headers, body = ask(server, path)
    assert (status, body) == (200, data)
    assert headers["etag"] == f'"{torch.sha256}"'
    status, headers, body = ask(server, path, {"Range": "bytes=10-99"})
    assert (status, headers["content-range"], body) == (206, f"bytes 10-99/{len(data)}", data[10:100])
    assert ask(server, path, {"Range": "bytes=-5"})[2] == data[-5:]
    assert ask(server, path, {"Range": f"bytes={len(data) - 3}-"})[2] == data[-3:]
    assert ask(server, path, {"Range": f"bytes={len(data)}-"})[0] == 416
    assert ask(server, path, {"Range": "bytes=0-9", "If-Range": f'"{torch.sha256}"'})[0] == 206
    assert ask(server, path, {"Range": "bytes=0-9", "If-Range": '"other"'})[0] == 200
    status, headers, body = ask(server, path, method="HEAD")
    assert (status, headers["content-length"], body) == (200, str(len(data)), b"")
    assert ask(server, path, {"Accept-Encoding": "gzip"})[2] == data


_OUTSIDE = (
    "/../secret",
    "/wheels/../../secret",
    "/%2e%2e/secret",
    "/..%2fsecret",
    "/%2e%2e%2fsecret",
    "//secret",
    "/wheels/",
    "/wheels",
    "/results/",
    "/results/a.json",
    "/.building/x",
    "/wheels/unlisted.txt",
    "/wheels%5c..%5c..%5csecret",
    "/profile.torchlab/",
    "/wheels/%00",
    "/C:/secret",
    "/wheels/listed.gz",
)


def test_nothing_but_the_list(server: PackServer, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("word")
    (tmp_path / "pack" / "wheels" / "unlisted.txt").write_text("word")
    (tmp_path / "pack" / "results" / "a.json").write_text("word")
    for path in _OUTSIDE:
        status, _, body = ask(server, path)
        assert status in (404, 400), path
        assert b"word" not in body


def test_a_compressed_neighbour_is_not_handed_out(server: PackServer, course: Class, tmp_path: Path) -> None:
    torch = course.file.profile.locks[0].files[0]
    (tmp_path / "pack" / "wheels" / f"{torch.filename}.gz").write_text("word")
    path = f"/wheels/{torch.filename.replace('+', '%2B')}"
    assert ask(server, path, {"Accept-Encoding": "gzip"})[2] == course.data[torch.sha256]


def test_other_methods_are_refused(server: PackServer) -> None:
    for method in ("PUT", "DELETE", "PATCH", "POST"):
        assert ask(server, "/pack.json", method=method, body=b"x")[0] == 405


def test_a_file_that_was_cut_since_is_not_begun(server: PackServer, course: Class, tmp_path: Path) -> None:
    numpy = course.file.profile.locks[0].files[1]
    (tmp_path / "pack" / "wheels" / numpy.filename).write_bytes(b"PK")
    assert ask(server, f"/wheels/{numpy.filename}")[0] == 410


def test_who_takes_too_much_at_once_is_told_when_to_come_again(course: Class, tmp_path: Path) -> None:
    torch = course.file.profile.locks[0].files[0]
    with FaultServer() as origin:
        big = make_class(origin.root, builds=(("linux", "cu126"),), kilobytes=20_000)
        publish(origin, big)
        build(wanted_of(big.file), tmp_path / "big", BuildOptions(), Downloads(tmp_path / "own2"))
    torch = big.file.profile.locks[0].files[0]
    with serve(tmp_path / "big", Limits(each=2)) as server:
        held = []
        for _ in range(2):  # two that ask and do not read
            sock = socket.create_connection(("127.0.0.1", server.port))
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.sendall(f"GET /wheels/{torch.filename.replace('+', '%2B')} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert sock.recv(15) == b"HTTP/1.1 200 OK"
            held.append(sock)
        status, headers, _ = ask(server, "/pack.json")
        assert status == 503
        assert 2 <= int(headers["retry-after"]) <= 6
        held.pop().close()
        wait_until(lambda: ask(server, "/pack.json")[0] == 200)  # a client that went away does not count
        held.pop().close()


def test_who_holds_connections_open_shuts_nobody_out(server: PackServer) -> None:
    """More than the program may open: those beyond an address's share are closed at once."""
    held = []
    with contextlib.ExitStack() as stack:
        for _ in range(400):
            held.append(stack.enter_context(socket.create_connection(("127.0.0.1", server.port))))
            held[-1].setblocking(False)
        wait_until(lambda: all(_is_closed(sock) for sock in held[-100:]))
        assert not _is_closed(held[0])
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, 10, ("127.0.0.2", 0))) as other:
            other.request("GET", "/pack.json")
            assert other.getresponse().status == 200

    def is_let_in() -> bool:
        with contextlib.suppress(OSError, http.client.HTTPException):
            return ask(server, "/pack.json")[0] == 200
        return False

    wait_until(is_let_in)  # those who went away do not count


def _is_closed(sock: socket.socket) -> bool:
    try:
        return sock.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


@pytest.mark.parametrize(
    "said",
    [
        b"\x00\xff" * 50 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /results HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_what_is_no_request_writes_nothing_on_the_screen(
    server: PackServer, said: bytes, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as sock:
        sock.sendall(said)
        assert b" 400 " in sock.recv(100)
    assert "".join(capfd.readouterr()) + caplog.text == ""


def test_a_packed_result_is_not_unpacked(server: PackServer, course: Class) -> None:
    """A megabyte of it would be a gigabyte in memory."""
    body = zlib.compress(some_certificate(course))
    assert ask(server, "/results", {"Content-Encoding": "deflate"}, "POST", body)[0] == 400


# -- results ----------------------------------------------------------------------------------------------------


def some_certificate(course: Class, **changes: object) -> bytes:
    value = Certificate("ab" * 16, course.file.sha256, "seat 7", {"schema": 1, "status": 0, "created": "x"})
    return to_json(replace(value, **changes))  # type: ignore[arg-type]


def test_a_result_is_kept_and_a_later_one_takes_its_place(server: PackServer, course: Class, tmp_path: Path) -> None:
    assert ask(server, "/results", method="POST", body=some_certificate(course))[0] == 201
    assert ask(server, "/results", method="POST", body=some_certificate(course, label="seat 8"))[0] == 201
    (kept,) = (tmp_path / "pack" / "results").glob("*.json")
    document = json.loads(kept.read_text())
    assert document["label"] == "seat 8"
    assert document["received"] > 1_700_000_000


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{}", 400),
        (b"[" * 5000, 400),
        (b'{"schema": 1, "report": {"status": 0}}', 400),
        (b"x" * 600_000, 413),
    ],
)
def test_what_is_no_result_is_refused(server: PackServer, tmp_path: Path, body: bytes, status: int) -> None:
    assert ask(server, "/results", method="POST", body=body)[0] == status
    assert list((tmp_path / "pack" / "results").iterdir()) == []


def test_a_result_cannot_choose_its_file(server: PackServer, course: Class, tmp_path: Path) -> None:
    for machine in ("../../../x", "a/b", "AB" * 16, ""):
        assert ask(server, "/results", method="POST", body=some_certificate(course, machine=machine))[0] == 400
    assert ask(server, "/results", method="POST", body=some_certificate(course, profile_sha256="0" * 64))[0] == 409


def test_one_client_cannot_fill_the_disk(course: Class, tmp_path: Path) -> None:
    with serve(tmp_path / "pack", Limits(results_each=3)) as server:
        statuses = [
            ask(server, "/results", method="POST", body=some_certificate(course, machine=f"{number:032x}"))[0]
            for number in range(5)
        ]
        assert statuses == [201, 201, 201, 429, 429]
        assert server.counted.too_many == {"127.0.0.1": 2}


def test_a_taken_port_is_said_or_another_is_used(course: Class, tmp_path: Path) -> None:
    with serve(tmp_path / "pack") as first:
        with pytest.raises(WizardError) as caught, serve(tmp_path / "pack", port=first.port):
            pass
        assert caught.value.code == "share-port"
        content = content_of_pack(tmp_path / "pack", read_listing(tmp_path / "pack"))
        with PackServer(content, ServeOptions("127.0.0.1", first.port, any_port=True)) as second:
            assert second.port != first.port
            assert ask(second, "/pack.json")[0] == 200


def test_the_number_of_seats_is_handed_to_nobody(course: Class, tmp_path: Path) -> None:
    write_seats(tmp_path / "pack", 30)
    assert check_pack(tmp_path / "pack", lambda count: None, lambda: False).others == ()
    with serve(tmp_path / "pack") as server:
        assert ask(server, "/seats.json")[0] == 404


@pytest.mark.skipif(sys.platform != "linux", reason="wants further addresses of loopback")
def test_who_takes_the_place_of_a_slow_one_is_heard(tmp_path: Path) -> None:
    """The one that gives way is in the middle of a file: its socket must not be taken from under what sends it."""
    whole = bytes(30_000_000)
    (tmp_path / "large.whl").write_bytes(whole)
    entry = PackEntry("large.whl", len(whole), hashlib.sha256(whole).hexdigest())
    content = content_of_pack(tmp_path, PackListing("0" * 64, (entry,)))
    with (
        PackServer(content, ServeOptions("127.0.0.1", 0, Limits(together=8, each=4))) as server,
        contextlib.ExitStack() as stack,
    ):
        for number in range(8):
            slow = stack.enter_context(socket.socket())
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
            slow.bind((f"127.0.0.{2 + number % 2}", 0))
            slow.connect(("127.0.0.1", server.port))
            slow.sendall(f"GET /{entry.path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert slow.recv(100)
        for path in ("pack.json", entry.path, "pack.json", entry.path):
            with closing(http.client.HTTPConnection("127.0.0.1", server.port, 10, ("127.0.1.1", 0))) as other:
                other.request("GET", f"/{path}")
                reply = other.getresponse()
                assert (reply.status, len(reply.read()) > 0) == (200, True)
