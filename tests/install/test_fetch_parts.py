"""The small pieces of fetching: ranges, the sidecar, the part file, addresses."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.install.files import locked
from tests.servers.raw_server import RawServer
from wizard.system import moving
from wizard.transfer.download import part_file
from wizard.transfer.download.file_store import Downloads
from wizard.transfer.download.model import Fault
from wizard.transfer.download.part_file import (
    ALIGN,
    PartFile,
    PartState,
    new_buffer,
    parse_state,
    read_state,
    write_state,
)
from wizard.transfer.download.reply import content_range
from wizard.transfer.download.transport import Transport, is_allowed

pairs = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=12)


@given(pairs)
def test_a_set_of_ranges_is_a_set_of_bytes(added: list[tuple[int, int]]) -> None:
    found: part_file.Ranges = ()
    wanted: set[int] = set()
    for start, end in added:
        found = part_file.add(found, start, end)
        wanted |= set(range(start, end))
    assert {byte for start, end in found for byte in range(start, end)} == wanted
    assert part_file.total(found) == len(wanted)
    gaps = {byte for start, end in part_file.missing(found, 60) for byte in range(start, end)}
    assert gaps == set(range(60)) - wanted


@given(pairs, st.integers(1, 9), st.integers(1, 8))
def test_aligned_gaps_cover_what_is_missing(added: list[tuple[int, int]], chunk: int, align: int) -> None:
    found: part_file.Ranges = ()
    for start, end in added:
        found = part_file.add(found, start // align * align, end)
    gaps = part_file.missing(found, 60, align)
    asked = {byte for start, end in part_file.split(gaps, chunk * align) for byte in range(start, end)}
    have = {byte for start, end in found for byte in range(start, end)}
    assert asked >= set(range(60)) - have
    assert all(start % align == 0 for start, _ in gaps)


def test_the_front_reaches_to_the_first_hole() -> None:
    done = ((0, 10), (12, 20))
    assert [part_file.covered_to(done, at) for at in (0, 5, 10, 12, 20)] == [10, 10, 10, 20, 20]


def test_the_sidecar_keeps_everything(tmp_path: Path) -> None:
    state = PartState("ab", 100, ((0, 10), (20, 100)), '"e"', "f")
    write_state(tmp_path / "x.json", state)
    assert read_state(tmp_path / "x.json") == state
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"schema": 99}',
        '{"schema": 1, "sha256": "a", "size": 5, "done": [[0, 9]]}',
        '{"schema": 1, "sha256": "a", "size": 5, "done": [[3, 2]]}',
        '{"schema": 1, "sha256": "a", "done": []}',
    ],
)
def test_a_broken_sidecar_is_no_sidecar(text: str) -> None:
    assert parse_state(text) is None


def test_blocks_land_where_they_belong(tmp_path: Path) -> None:
    path = tmp_path / "a.part"
    part = PartFile(path)
    first, second = os.urandom(ALIGN), os.urandom(1000)
    buffer = new_buffer(2 * ALIGN)
    buffer[:1000] = second
    part.write(buffer, 1000, ALIGN)
    buffer[:ALIGN] = first
    part.write(buffer, ALIGN, 0)
    part.sync()
    assert part.read(buffer, ALIGN + 1000, 0) == ALIGN + 1000
    assert bytes(buffer[: ALIGN + 1000]) == first + second
    part.finish(ALIGN + 1000)
    assert path.read_bytes() == first + second
    part.close()


def test_a_name_cannot_leave_the_store(tmp_path: Path) -> None:
    file = locked(b"x", "https://example.invalid/x")
    for name in ("../x.whl", "a/b.whl", "/x.whl"):
        with pytest.raises(ValueError, match="plain file name"):
            Downloads(tmp_path).path_for(type(file)(file.name, "1", name, file.urls, file.sha256))


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://a.invalid/x", True),
        ("http://a.invalid/x", False),
        ("http://127.0.0.1:8/x", True),
        ("http://localhost/x", True),
        ("http://[::1]/x", True),
        ("file:///x", True),
        ("ftp://a.invalid/x", False),
    ],
)
def test_only_safe_addresses(url: str, allowed: bool) -> None:
    assert is_allowed(url) is allowed


def test_the_proxy_is_the_one_that_was_handed_over() -> None:
    transport = Transport(environment={"HTTPS_PROXY": "http://proxy.invalid:3128", "NO_PROXY": "inside.invalid"})
    assert transport._proxy("https://a.invalid/x", "a.invalid") == "http://proxy.invalid:3128"
    assert transport._proxy("https://inside.invalid/x", "inside.invalid") is None
    assert transport._proxy("http://127.0.0.1/x", "127.0.0.1") is None
    assert Transport(environment={})._proxy("https://a.invalid/x", "a.invalid") is None


def test_closed_it_holds_no_socket_of_an_answer_that_was_not_read_to_its_end() -> None:
    """An answer after which the server closes has the socket for itself: http.client hands it over."""
    answer = b"HTTP/1.1 404 Not Found\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\nno"
    with RawServer(lambda asked: [answer, 60.0]) as server:
        transport = Transport(environment={})
        with pytest.raises(Fault) as caught:
            transport.get(f"{server.root}/a", 0, None)
        assert caught.value.code == "fetch-not-found"
        (sock,) = transport._sockets.values()
        transport.close()
        assert sock.fileno() == -1


def test_killed_before_a_file_has_its_name_its_hash_is_known(store: Downloads, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody promised one: what is whole is not fetched again only because nobody knew what it is."""
    data = b"wheel"
    file = replace(locked(data, "https://a.invalid/f-1.0-py3-none-any.whl"), sha256="")
    part = store.part_for(file)
    part.parent.mkdir(parents=True)
    part.write_bytes(data)
    moved = moving.replace

    def and_killed(source: Path, target: Path) -> None:
        moved(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(moving, "replace", and_killed)
    with pytest.raises(KeyboardInterrupt):
        store.accept(file, hashlib.sha256(data).hexdigest())
    found = store.find(file)
    assert found is not None
    assert found.read_bytes() == data


@pytest.mark.parametrize("text", ["", "bytes", "bytes 0-5", "bytes x-5/9", "bytes 0--7/-6", "items 0-5/9"])
def test_a_range_that_cannot_be_is_no_range(text: str) -> None:
    with pytest.raises(Fault) as caught:
        content_range(text)
    assert caught.value.code == "fetch-server"


def test_a_range_says_where_it_begins_and_how_much_there_is() -> None:
    assert content_range("bytes 5-9/30") == (5, 30)
    assert content_range("bytes 0-9/*") == (0, None)
