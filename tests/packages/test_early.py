"""Unpacked while it comes: the same files in the end, and nothing left of what was odd, altered or cut off."""

from __future__ import annotations

import random
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path

import pytest

from tests.packages import wheels
from tests.packages.files import locked
from tests.packages.test_install import record_lines, tree
from tests.volumes import another_volume
from wizard.errors import WizardError
from wizard.packages.early import FOLDER, EarlyUnpacker, open_early
from wizard.packages.fetch import Downloads, Fetcher
from wizard.packages.fetch.fetcher import Options
from wizard.packages.fetch.part import ALIGN
from wizard.packages.fetch.state import PartState, write_state
from wizard.packages.install import Installer
from wizard.packages.model import LockedFile
from wizard.packages.record import check_record
from wizard.packages.unpack import Early
from wizard.packages.wheel import read_wheel

RECORD = "rich_demo-1.0.dist-info/RECORD"
BIG = {"rich_demo/lib/large.so": wheels.LIBRARY, "rich_demo/bin/tool": b"#!/bin/sh\n" + wheels.LIBRARY}


def pieces(data: bytes, seed: int, most: int) -> list[tuple[int, memoryview]]:
    chance, found, at = random.Random(seed), [], 0
    while at < len(data):
        count = chance.randint(1, most)
        found.append((at, memoryview(data)[at : at + count]))
        at += count
    return found


def fed(early: EarlyUnpacker, wheel: Path, seed: int = 1, most: int = 300_000) -> dict[str, Early]:
    file = locked(wheel.read_bytes())
    for start, piece in pieces(wheel.read_bytes(), seed, most):
        early.feed(file, start, piece)
    early.accept(file, wheel)
    return dict(early.take(wheel))


def contents(found: dict[str, Early]) -> dict[str, bytes]:
    wait([early.written for early in found.values()])
    return {name: early.path.read_bytes() for name, early in found.items()}


@pytest.mark.parametrize(("seed", "most"), [(1, 300_000), (2, 3_000_000), (3, 70_000), (4, 1 << 30)])
def test_however_the_bytes_come(tmp_path: Path, seed: int, most: int) -> None:
    wheel = wheels.rich(tmp_path / "wheels")
    early = EarlyUnpacker(tmp_path / "downloads", "run")
    assert contents(fed(early, wheel, seed, most)) == BIG
    early.close()
    assert not (tmp_path / "downloads" / FOLDER / "run").exists()


def test_byte_by_byte_through_every_header(tmp_path: Path) -> None:
    wheel = wheels.build(tmp_path, files={"demo/a.py": b"a", "demo/b.bin": bytes(1 << 20)})
    early = EarlyUnpacker(tmp_path / "downloads", "run")
    assert contents(fed(early, wheel, most=1)) == {"demo/b.bin": bytes(1 << 20)}


def test_sizes_in_the_extra_field(tmp_path: Path) -> None:
    wheel = tmp_path / "large-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo("large/lib.so")
        info.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(info, "w", force_zip64=True) as out:  # seekable: the sizes are written into the header
            out.write(wheels.LIBRARY)
    assert struct.unpack_from("<2I", wheel.read_bytes(), 18) == (0xFFFFFFFF, 0xFFFFFFFF)
    assert contents(fed(EarlyUnpacker(tmp_path / "downloads", "run"), wheel)) == {"large/lib.so": wheels.LIBRARY}


class _Pipe:
    """A file that cannot go back: zipfile then writes the sizes behind each member."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("wb")

    def write(self, data: bytes) -> int:
        return self._stream.write(data)

    def flush(self) -> None:
        self._stream.flush()

    def close(self) -> None:
        self._stream.close()


def with_sizes_behind(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        whole = {info.filename: archive.read(info) for info in archive.infolist()}
    out = _Pipe(wheel)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for name, data in whole.items():
            archive.writestr(name, data)
    out.close()


def with_another_crc(wheel: Path) -> None:
    """In the header in front of the large file; the directory at the end stays right."""
    data = bytearray(wheel.read_bytes())
    at = data.index(b"rich_demo/lib/large.so") - 30
    assert data[at : at + 4] == b"PK\3\4"
    data[at + 14] ^= 1
    wheel.write_bytes(data)


def with_something_in_front(wheel: Path) -> None:
    wheel.write_bytes(b"x" * 100 + wheel.read_bytes())


@pytest.mark.parametrize("harm", [with_sizes_behind, with_another_crc, with_something_in_front])
def test_an_odd_wheel_is_left_to_the_usual_way(
    tmp_path: Path, python: Path, site_packages: Path, harm: Callable[[Path], None]
) -> None:
    wheel = wheels.rich(tmp_path / "wheels")
    harm(wheel)
    early = EarlyUnpacker(tmp_path / "downloads", "run")
    found = fed(early, wheel)
    assert found == {}
    assert not list((tmp_path / "downloads" / FOLDER / "run").iterdir())
    Installer(python, early=lambda wheel: found).install([wheel])
    assert check_record(site_packages, wheel) == ()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_comes_twice(tmp_path: Path) -> None:
    wheel, size = tmp_path / "twice-1.0-py3-none-any.whl", 1 << 20
    members = [("twice/a.so", b"1" * size), ("twice/a.so", b"2" * size), ("twice/b.so", b"3" * size)]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    found = fed(EarlyUnpacker(tmp_path / "downloads", "run"), wheel)
    assert contents(found) == dict(members)


def test_what_begins_anew_begins_anew(tmp_path: Path) -> None:
    wheel = wheels.rich(tmp_path / "wheels")
    file, data = locked(wheel.read_bytes()), wheel.read_bytes()
    early = EarlyUnpacker(tmp_path / "downloads", "run")
    early.feed(file, 0, memoryview(data)[:2_000_000])
    assert contents(fed(early, wheel)) == BIG


def test_a_hole_ends_it(tmp_path: Path) -> None:
    wheel = wheels.rich(tmp_path / "wheels")
    file, data = locked(wheel.read_bytes()), wheel.read_bytes()
    early = EarlyUnpacker(tmp_path / "downloads", "run")
    early.feed(file, 0, memoryview(data)[:5_000])
    early.feed(file, 5_001, memoryview(data)[5_001:])
    early.accept(file, wheel)
    assert early.take(wheel) == {}


def test_installed_from_it_the_result_is_the_same(tmp_path: Path, python: Path, site_packages: Path) -> None:
    wheel = wheels.rich(tmp_path / "wheels")
    Installer(python).install([wheel])
    usual, modes = tree(site_packages), _modes(site_packages)
    lines = record_lines(usual.pop(RECORD))
    for path in sorted(site_packages.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    early = EarlyUnpacker(tmp_path / "downloads", "run")
    found = fed(early, wheel)
    wait([early.written for early in found.values()])
    numbers = {name: early.path.stat().st_ino for name, early in found.items()}
    Installer(python, early=lambda wheel: found).install([wheel])
    assert {name: (site_packages / name).stat().st_ino for name in found} == numbers  # moved, not made again
    now = tree(site_packages)
    assert record_lines(now.pop(RECORD)) == lines
    assert (now, _modes(site_packages)) == (usual, modes)
    assert check_record(site_packages, wheel) == ()


def _modes(folder: Path) -> dict[str, int]:
    return {path.relative_to(folder).as_posix(): path.stat().st_mode for path in folder.rglob("*")}


def test_only_what_fits_the_directory_is_moved(tmp_path: Path, python: Path, site_packages: Path) -> None:
    """The directory at the end is what counts: a name that is not in it, or stands for other bytes, is not used."""
    wheel = wheels.rich(tmp_path / "wheels")
    other = tmp_path / "other"
    other.write_bytes(bytes(len(wheels.LIBRARY)))
    crc = next(info for info in read_wheel(wheel).bulk if info.filename.endswith("large.so")).CRC
    written: Future[None] = Future()
    written.set_result(None)
    found = {
        "rich_demo/lib/large.so": Early(other, len(wheels.LIBRARY), crc ^ 1, written),
        "../../outside": Early(other, 5, 5, written),
    }
    Installer(python, early=lambda wheel: found).install([wheel])
    assert (site_packages / "rich_demo/lib/large.so").read_bytes() == wheels.LIBRARY
    assert other.exists()


def test_the_fetcher_feeds_it(tmp_path: Path) -> None:
    """Also with what an earlier attempt had fetched: it is read back for the hash."""
    wheel = wheels.rich(tmp_path / "wheels")
    file = locked(wheel.read_bytes(), wheel.as_uri(), name="rich_demo")
    store = Downloads(tmp_path / "downloads")
    part = store.part_for(file)
    part.parent.mkdir(parents=True)
    part.write_bytes(wheel.read_bytes()[: 2 * ALIGN])
    write_state(store.state_for(file), PartState(file.sha256, file.size or 0, ((0, 2 * ALIGN),), None, ""))
    early = EarlyUnpacker(store.root, "run")
    result = Fetcher(store, 2, Options(tap=early)).fetch([file], on_file=early.accept)
    assert result.bytes_reused == 2 * ALIGN
    assert contents(dict(early.take(result.paths[0]))) == BIG


def test_a_wrong_file_leaves_nothing(tmp_path: Path) -> None:
    wheel = wheels.rich(tmp_path / "wheels")
    data = bytearray(wheel.read_bytes())
    data[-1] ^= 1
    good = locked(wheel.read_bytes(), wheel.as_uri(), name="rich_demo")
    wheel.write_bytes(data)
    store = Downloads(tmp_path / "downloads")
    early = EarlyUnpacker(store.root, "run")
    with pytest.raises(WizardError) as caught:
        Fetcher(store, 2, Options(tap=early, backoff=0.01)).fetch([good])
    assert caught.value.code == "fetch-hash-mismatch"
    assert early.take(store.path_for(good)) == {}
    early.close()
    assert not list((store.root / FOLDER).glob("run/*"))


def test_what_a_killed_run_left_goes_with_the_next(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from wizard.packages.early import EarlyUnpacker;"
        "EarlyUnpacker(Path(sys.argv[1]), 'killed'); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)])
    assert killed.returncode != 0
    assert (tmp_path / FOLDER / "killed").is_dir()
    going_on = EarlyUnpacker(tmp_path, "another")  # runs still
    EarlyUnpacker(tmp_path, "next")
    left = sorted(path.name for path in (tmp_path / FOLDER).iterdir() if path.is_dir())
    assert left == ["another", "next"]
    going_on.close()


def test_not_where_it_would_not_help(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert open_early(tmp_path / "file" / "downloads", tmp_path, "run") is None
    early = open_early(tmp_path / "downloads", tmp_path / "new" / "env", "run")
    assert early is not None
    early.close()


def test_not_for_an_environment_on_another_volume(tmp_path: Path) -> None:
    assert open_early(tmp_path / "downloads", another_volume(tmp_path) / "no" / "env", "run") is None


def test_the_end_bears_a_block_that_comes_meanwhile(tmp_path: Path) -> None:
    """The fetcher leaves a thread behind that hangs on a slow disk; its next file begins while all is put away."""
    early = EarlyUnpacker(tmp_path, "run")
    early.feed(LockedFile("a", "1", "a.whl", (), "a" * 64), 0, memoryview(b"PK"))
    stream = early._streams["a" * 64]
    drop = stream.drop

    def slowly() -> None:
        early._streams["b" * 64] = stream
        drop()

    stream.drop = slowly  # type: ignore[method-assign]
    early.close()
    assert [path for path in (tmp_path / ".unpacked").iterdir() if path.is_dir()] == []
