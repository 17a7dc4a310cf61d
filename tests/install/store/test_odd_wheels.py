"""Wheels as other tools write them, and odd ones: into the store all the same, or left to the installer."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.install import wheels
from tests.install.store.feeding import PLAIN, accepted, contents, fed
from wizard.install.store.build import StoreBuilder
from wizard.install.wheel import THIN, read_wheel


def test_sizes_in_the_extra_field(tmp_path: Path, builder: StoreBuilder) -> None:
    wheel = wheels.build(tmp_path, "large", files={"large/a.py": b"a"})
    with zipfile.ZipFile(wheel) as archive:
        rest = {name: archive.read(name) for name in archive.namelist() if "dist-info" in name}
    info = "large-1.0.dist-info"
    rest[f"{info}/RECORD"] = wheels.record_of({"large/lib.so": wheels.LIBRARY, **rest}, info)
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        member = zipfile.ZipInfo("large/lib.so")
        member.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(member, "w", force_zip64=True) as out:  # seekable: the sizes are written into the header
            out.write(wheels.LIBRARY)
        for name, data in rest.items():
            archive.writestr(name, data)
    data = bytearray(wheel.read_bytes())
    struct.pack_into("<2I", data, 18, 0xFFFFFFFF, 0xFFFFFFFF)  # as it must be; Python before 3.11.4 repeats the sizes
    wheel.write_bytes(data)
    entry = accepted(builder, fed(builder, wheel), wheel)
    assert contents(entry) == {"large/lib.so": wheels.LIBRARY}
    assert [file.number for file in entry.files] == [1]


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
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
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
def test_an_odd_wheel_is_unpacked_from_its_directory(
    tmp_path: Path, builder: StoreBuilder, harm: Callable[[Path], None]
) -> None:
    wheel = wheels.rich(tmp_path / "wheels")
    harm(wheel)
    assert contents(accepted(builder, fed(builder, wheel), wheel)) == PLAIN


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_comes_twice_is_left_to_the_installer(tmp_path: Path, builder: StoreBuilder) -> None:
    wheel = wheels.rich(tmp_path)
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("rich_demo/__init__.py", b"again = 1\n")
    entry = accepted(builder, fed(builder, wheel), wheel)
    assert contents(entry) == {}
    with zipfile.ZipFile(entry.wheel) as whole:
        assert whole.read("rich_demo/lib/large.so") == wheels.LIBRARY


def test_a_record_that_names_more_than_there_is_makes_no_thin_wheel(tmp_path: Path, builder: StoreBuilder) -> None:
    """Else its names would count as files of this package, to be removed with it; nor does a comment make one thin."""
    wheel = wheels.rich(tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        whole = {name: archive.read(name) for name in archive.namelist()}
    info = "rich_demo-1.0.dist-info"
    whole[f"{info}/RECORD"] = wheels.record_of({**whole, "numpy/__init__.py": b""}, info)
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = THIN
        for name, data in whole.items():
            archive.writestr(name, data)
    entry = accepted(builder, fed(builder, wheel), wheel)
    assert contents(entry) == {}
    assert read_wheel(entry.wheel).left_out == ()
