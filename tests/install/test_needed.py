"""Which packages of a stranger's lock are let in: real wheels with the metadata that people publish."""

from __future__ import annotations

import contextlib
import queue
import struct
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.install import wheels
from wizard.install.store import StoreEntry
from wizard.install.wheel import read_wheel
from wizard.install.wheel_data import clash_of
from wizard.model.errors import WizardError
from wizard.run.steps.install import Needed


def let_in(paths: Iterable[Path], *asked: str) -> list[str]:
    """Names in the order in which they came out. Raises as `Needed.get`."""
    ready: queue.SimpleQueue[StoreEntry | None] = queue.SimpleQueue()
    for path in paths:
        ready.put(StoreEntry(path.parent, path, ()))
    ready.put(None)
    needed, names = Needed(ready, asked), []
    while True:
        try:
            entry = needed.get(timeout=0)
        except queue.Empty:
            continue
        if entry is None:
            return names
        names.append(read_wheel(entry.wheel).name)


@pytest.mark.parametrize(
    "line",
    [
        "Some.Thing",
        "some_thing>=1",
        "some-thing (>=1.0)",
        "some-thing[extra,more]~=1.0",
        "some-thing @ https://x.example/a.whl",
        "SOME-thing; python_version < '3'",
        "some-thing ; extra == 'socks'",
        'some-thing>=1; sys_platform == "atari"',
        # None of these is one by the standard; uv and pip know what is meant.
        "some-thing (>=1.0<2)",
        "some-thing (>dev)",
        "some-thing>=1.*",
        "some-thing (>=1.0",
        "some-thing >='1.0'",
        "some-thing\n    (>=1.0)",
        "some-thing ; python_version in 3",
        "some-thing >=1 ; extra == ",
    ],
)
def test_whatever_form_the_requirement_has(tmp_path: Path, line: str) -> None:
    first = wheels.build(tmp_path, "asked", requires=(line,))
    second = wheels.build(tmp_path, "some_thing")
    assert let_in((second, first), "Asked[all]>=0.1") == ["asked", "some-thing"]


def test_a_line_that_nobody_can_read_hides_no_other(tmp_path: Path) -> None:
    path = wheels.build(tmp_path, "asked", requires=("café", "@!", "other>=1", ""))
    rewrite(path, "METADATA", lambda data: data.replace("é".encode(), b"\xe9"))
    assert let_in((wheels.build(tmp_path, "other"), path), "asked") == ["asked", "other"]


def test_what_only_the_description_names_is_held(tmp_path: Path) -> None:
    path = wheels.build(tmp_path, "asked", requires=("other",))
    rewrite(path, "METADATA", lambda data: data + b"\nRequires-Dist: spy\n")
    lock = (wheels.build(tmp_path, "spy"), path, wheels.build(tmp_path, "other"))
    with pytest.raises(WizardError) as caught:
        let_in(lock, "asked")
    assert (caught.value.code, caught.value.params["names"]) == ("install-not-needed", "spy")


@pytest.mark.parametrize("harm", ["encrypted", "damaged", "unknown"])
@pytest.mark.parametrize("name", ["METADATA", "WHEEL", "RECORD", "entry_points.txt"])
def test_a_wheel_that_cannot_be_read_is_no_bug(tmp_path: Path, name: str, harm: str) -> None:
    path = wheels.rich(tmp_path)
    spoil(path, name, harm)
    with contextlib.suppress(WizardError):
        clash_of(tmp_path, tmp_path, read_wheel(path), {})
        let_in((path,), "rich-demo")


def rewrite(path: Path, name: str, change: object) -> None:
    with zipfile.ZipFile(path) as archive:
        held = {one: archive.read(one) for one in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for one, data in held.items():
            archive.writestr(one, change(data) if one.endswith(f"/{name}") else data)  # type: ignore[operator]


def spoil(path: Path, name: str, harm: str) -> None:
    """One member, in its own header and in the directory."""
    with zipfile.ZipFile(path) as archive:
        member = next(each for each in archive.infolist() if each.filename.endswith(f".dist-info/{name}"))
        start = archive.start_dir
    data = bytearray(path.read_bytes())
    central = data.index(member.filename.encode(), start) - 46
    local = member.header_offset
    if harm == "damaged":
        at = local + 30 + len(member.filename)
        data[at : at + member.compress_size] = b"\xff" * member.compress_size
    for place in (local + 6, central + 8):
        flags, method = struct.unpack_from("<2H", data, place)
        flags, method = (flags | 1, method) if harm == "encrypted" else (flags, 99 if harm == "unknown" else method)
        struct.pack_into("<2H", data, place, flags, method)
    path.write_bytes(data)
