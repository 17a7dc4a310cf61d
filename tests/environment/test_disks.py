"""What disks say of themselves: a quota, Windows' answer, and real ones without programs or writing."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environment.test_places import rows
from wizard.compatibility.model import Choices
from wizard.environment.disk import Quota, parse_quota, quota_left, volume_of
from wizard.model.errors import UsageError, WizardError, gigabytes_apart
from wizard.run.plan.place import check_place
from wizard.run.steps.disk_space import Demand, check_room
from wizard.run.steps.preflight import check_ground


def answer(hard: int, used: int, valid: int) -> bytes:
    return struct.pack("=8QI4x", hard, hard, used, 0, 0, 7, 0, 0, valid)


def test_what_the_kernel_answers_about_a_quota() -> None:
    assert parse_quota(answer(10_000_000, 4_000_000_000, 3)) == Quota(10_240_000_000, 4_000_000_000)
    assert parse_quota(answer(0, 4_000_000_000, 3)) is None  # nothing is limited
    assert parse_quota(answer(10, 10, 4)) is None
    assert Quota(10, 12).left == 0


@pytest.mark.skipif(sys.platform != "linux", reason="one system call of Linux")
def test_the_answer_of_a_kernel_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk with quotas cannot be had in a test; the call and its answer are as linux/quota.h says."""
    asked: list[tuple[int, bytes, int]] = []

    class Library:
        def quotactl(self, command: int, device: bytes, number: int, buffer: object) -> int:
            asked.append((command, device, number))
            if command & 0xFF:
                return -1
            ctypes.memmove(buffer, answer(1000, 24_000, 3), 72)  # type: ignore[arg-type]
            return 0

    assert quota_left("/dev/no-such-disk") is None
    monkeypatch.setattr("wizard.environment.disk.ctypes.CDLL", lambda name: Library())
    assert quota_left("/dev/sda1") == 1_000_000
    assert quota_left("filer.example:/home") is None
    assert asked == [(0x80000700, b"/dev/sda1", os.geteuid()), (0x80000701, b"/dev/sda1", os.getegid())]


def test_what_windows_answers() -> None:
    usual = volume_of(10, 3, "NTFS", 0x03E72EFF)
    assert (usual.is_network, usual.is_read_only, usual.has_links) == (False, False, True)
    assert volume_of(10, 4, "NTFS", None).is_network
    assert not volume_of(10, 2, "exFAT", 0x00020206).has_links
    assert volume_of(0, 5, "CDFS", 0x00080005).is_read_only


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A small disk in memory on which no program may be started."""
    place = tmp_path / "no exec"
    place.mkdir()
    options = ("-t", "tmpfs", "-o", "noexec,size=4m", "tmpfs", str(place))
    if sys.platform != "linux" or subprocess.run(("mount", *options), check=False, capture_output=True).returncode:
        pytest.skip("no right to mount a disk here")
    yield place
    subprocess.run(("umount", str(place)), check=True)


def test_a_real_disk_without_programs(home: Path, mounted: Path) -> None:
    choices = Choices(prefix=str(mounted / "new" / "环境"))
    found = rows(iter(check_place(choices)))
    assert found["place.noexec"].blocks
    assert found["place.free"].blocks
    with pytest.raises(UsageError) as caught:
        check_ground(Path(str(choices.prefix)))
    assert caught.value.code == "target-noexec"
    with pytest.raises(WizardError) as short:
        check_room([Demand(mounted / "x", 5_000_000)])
    assert short.value.code == "no-space"
    assert list(mounted.iterdir()) == []


def test_a_real_disk_that_is_read_only(home: Path, mounted: Path) -> None:
    subprocess.run(("mount", "-o", "remount,ro", str(mounted)), check=True)
    with pytest.raises(UsageError) as caught:
        check_place(Choices(prefix=str(mounted / "x")))
    assert caught.value.code == "target-not-writable"
    with pytest.raises(UsageError):
        check_ground(mounted / "x")


@pytest.mark.parametrize(
    ("needed", "free", "said"),
    [
        (3_000_000_000, 1_000_000_000, (3.0, 1.0)),
        (40_400_000, 39_600_000, (0.0404, 0.0396)),  # both are 0.04
        (2_000_000_001, 2_000_000_000, (2.000000001, 2.0)),
    ],
)
def test_too_little_room_is_told_in_figures_that_differ(needed: int, free: int, said: tuple[float, float]) -> None:
    assert gigabytes_apart(needed, free) == said
