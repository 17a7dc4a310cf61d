"""What a class server hands out is fetched: whole, from several at once, and from none that lies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.classroom.pack.classes import Class
from tests.classroom.server.conftest import serve
from wizard.classroom.join import LoadBalancer
from wizard.classroom.pack.opened import open_pack
from wizard.classroom.server.server import PackServer
from wizard.model.errors import WizardError
from wizard.transfer.download import Downloads, Fetcher
from wizard.transfer.download.fetcher import Options


def fetch_from(course: Class, servers: list[PackServer], store: Path, backoff: float = 0.05) -> int:
    """As a client does: the class's addresses, then the lock's own."""
    packs = [open_pack(f"http://127.0.0.1:{server.port}/") for server in servers]
    spread = LoadBalancer(packs)
    files = [replace(file, urls=(*spread.urls_of(file), *file.urls)) for file in course.file.profile.locks[0].files]
    fetched = Fetcher(Downloads(store), options=Options(allow_http=True, backoff=backoff)).fetch(files)
    for file, path in zip(files, fetched.paths, strict=True):
        assert path.read_bytes() == course.data[file.sha256]
    return fetched.bytes_fetched


def test_a_client_gets_all_of_it_there(server: PackServer, course: Class, tmp_path: Path) -> None:
    size = sum(file.size or 0 for file in course.file.profile.locks[0].files)
    assert fetch_from(course, [server], tmp_path / "student") == size  # the official source is gone by now
    assert server.counted.bytes_sent >= size


def test_a_file_of_unknown_size_is_not_asked_of_who_could_send_without_end(
    server: PackServer, course: Class, tmp_path: Path
) -> None:
    file = course.file.profile.locks[0].files[0]
    spread = LoadBalancer(
        [open_pack(f"http://127.0.0.1:{server.port}/"), open_pack((tmp_path / "pack").as_uri() + "/")]
    )
    assert [url.partition(":")[0] for url in spread.urls_of(file)] == ["file", "http"]
    assert [url.partition(":")[0] for url in spread.urls_of(replace(file, size=None))] == ["file"]


def test_several_servers_share_the_work(course: Class, tmp_path: Path) -> None:
    with serve(tmp_path / "pack") as one, serve(tmp_path / "pack") as two:
        for number in range(12):
            fetch_from(course, [one, two], tmp_path / f"student{number}")
        counts = [one.counted.bytes_sent, two.counted.bytes_sent]
    assert min(counts) > 0.1 * sum(counts)


def test_a_server_that_lies_cannot_put_anything_in(course: Class, tmp_path: Path) -> None:
    torch = course.file.profile.locks[0].files[0]
    pack = tmp_path / "pack"
    with serve(pack) as honest:
        liar_folder = tmp_path / "liar"
        _copy_with_lies(pack, liar_folder)
        with serve(liar_folder) as liar:
            fetch_from(course, [liar, honest], tmp_path / "student")
            url = open_pack(f"http://127.0.0.1:{liar.port}/").address_of(torch)
            assert url
            alone = Fetcher(Downloads(tmp_path / "alone"), options=Options(allow_http=True, backoff=0.01))
            with pytest.raises(WizardError) as caught:
                alone.fetch([replace(torch, urls=(url,))])
    assert caught.value.code == "fetch-hash-mismatch"
    assert not list((tmp_path / "alone").rglob("*.whl"))


@pytest.mark.parametrize("is_folder", [True, False], ids=["a stick", "a server"])
def test_an_altered_file_is_told_as_that_and_not_as_a_network(course: Class, tmp_path: Path, is_folder: bool) -> None:
    """Also where the official addresses fail as well, and later: of all that failed this is what matters."""
    torch = course.file.profile.locks[0].files[0]
    _copy_with_lies(tmp_path / "pack", tmp_path / "liar")
    with serve(tmp_path / "liar") as liar:
        base = (tmp_path / "liar").as_uri() + "/" if is_folder else f"http://127.0.0.1:{liar.port}/"
        url = open_pack(base).address_of(torch)
        assert url
        fetcher = Fetcher(Downloads(tmp_path / "student"), options=Options(allow_http=True, backoff=0.01))
        with pytest.raises(WizardError) as caught:
            fetcher.fetch([replace(torch, urls=(url, "https://127.0.0.1:9/gone.whl", "http://127.0.0.1:9/gone.whl"))])
    assert caught.value.code == "fetch-hash-mismatch"
    assert "was changed on the way" in str(caught.value)


def _copy_with_lies(pack: Path, target: Path) -> None:
    """Every wheel has the right name and length, and one other byte."""
    for path in pack.rglob("*"):
        if path.is_file():
            there = target / path.relative_to(pack)
            there.parent.mkdir(parents=True, exist_ok=True)
            data = path.read_bytes()
            there.write_bytes(data[:-1] + bytes([data[-1] ^ 1]) if path.suffix == ".whl" else data)
