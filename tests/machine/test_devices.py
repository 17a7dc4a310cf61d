"""Cards without a driver: a made sysfs tree, Windows' own list; and one list from three witnesses."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

from tests.machine.answers import answering, recorded
from wizard.machine.gpu.cim import nvidia_version, parse_video_controllers, probe_windows
from wizard.machine.gpu.nvidia import merge_gpus
from wizard.machine.gpu.pci import parse_kernel_module, probe_kernel_module, probe_pci
from wizard.machine.model import Driver, Gpu
from wizard.model.capability import ComputeCapability
from wizard.model.messages import text


def _device(root: Path, place: str, kind: str, vendor: str, device: str, driver: str | None = None) -> None:
    folder = root / "devices" / place
    folder.mkdir(parents=True)
    for name, value in (("class", kind), ("vendor", vendor), ("device", device)):
        (folder / name).write_text(value + "\n")
    if driver:
        module = root / "drivers" / driver
        module.mkdir(parents=True, exist_ok=True)
        (folder / "driver").symlink_to(module)


@pytest.mark.skipif(sys.platform == "win32", reason="symlinks and colons in names")
def test_sysfs(tmp_path: Path) -> None:
    _device(tmp_path, "0000:00:02.0", "0x030000", "0x8086", "0x3e9b", "i915")
    _device(tmp_path, "0000:01:00.0", "0x030000", "0x10de", "0x2191", "nouveau")
    _device(tmp_path, "0000:01:00.1", "0x040300", "0x10de", "0x1aeb", "snd_hda_intel")  # its sound
    _device(tmp_path, "0000:02:00.0", "0x030200", "0x10de", "0x20b5")  # a compute card, no driver
    _device(tmp_path, "0000:03:00.0", "0x038000", "0x1002", "0x73bf", "vfio-pci")
    _device(tmp_path, "0000:04:00.0", "0x030000", "0x1a03", "0x2000", "ast")  # a server's own screen
    _device(tmp_path, "5582:00:00.0", "0x030200", "0x1414", "0x008e", "dxgkrnl")  # WSL's
    _device(tmp_path, "0000:05:00.0", "junk", "0x10de", "0x2191")
    (tmp_path / "devices" / "0000:06:00.0").mkdir()
    assert probe_pci(tmp_path / "devices") == (
        Gpu("intel", None, "8086:3e9b", bus_id="0000:00:02.0", kernel_driver="i915"),
        Gpu("nvidia", None, "10de:2191", bus_id="0000:01:00.0", kernel_driver="nouveau"),
        Gpu("nvidia", None, "10de:20b5", bus_id="0000:02:00.0"),
        Gpu("amd", None, "1002:73bf", bus_id="0000:03:00.0", kernel_driver="vfio-pci"),
        Gpu("other", None, "1a03:2000", bus_id="0000:04:00.0", kernel_driver="ast"),
    )
    assert probe_pci(tmp_path / "none") == ()


def test_the_loaded_module(tmp_path: Path) -> None:
    assert parse_kernel_module(recorded("nvidia-module-closed.txt")) == Driver("550.54.14")
    assert parse_kernel_module(recorded("nvidia-module-open.txt")) == Driver("580.159.04")
    assert parse_kernel_module("nothing") is None
    assert probe_kernel_module(tmp_path / "none") is None


@pytest.mark.parametrize(
    ("windows", "nvidia"),
    [
        ("31.0.15.4633", "546.33"),
        ("32.0.15.6094", "560.94"),
        ("30.0.14.709", "407.09"),
        ("32.0.16.1034", "610.34"),
        ("27.21.14.5671", "456.71"),
        ("words", None),
        ("1.2.3", None),
        ("", None),
    ],
)
def test_windows_driver_version(windows: str, nvidia: str | None) -> None:
    assert nvidia_version(windows) == nvidia


def test_a_windows_laptop() -> None:
    reading = parse_video_controllers(recorded("video-controllers-laptop.json"))
    assert reading.driver == Driver("546.33")
    assert reading.notices == ()
    assert reading.gpus == (
        Gpu("intel", "Intel(R) UHD Graphics 630", "8086:3e9b", memory_bytes=1073741824),
        Gpu("nvidia", "NVIDIA GeForce GTX 1660 Ti", "10de:2191"),  # AdapterRAM is full: says nothing
    )


def test_microsofts_basic_driver_is_not_nvidias() -> None:
    reading = parse_video_controllers("\ufeff" + recorded("video-controllers-basic.json"))
    assert reading.driver is None
    assert [gpu.pci_id for gpu in reading.gpus] == ["10de:2d04"]


def test_a_device_that_windows_stopped() -> None:
    reading = parse_video_controllers(recorded("video-controllers-code43.json"))
    assert reading.driver is None
    assert [gpu.pci_id for gpu in reading.gpus] == ["10de:2503"]
    assert "43" in text(reading.notices[0], "zh_CN")


def _always(said: str, code: int | None, argv: tuple[str, ...]) -> tuple[str, int | None]:
    return said, code


def test_windows_without_an_answer() -> None:
    assert parse_video_controllers(" \r\n").gpus == ()
    assert parse_video_controllers('[null, 5, {"PNPDeviceID": 7}]').gpus == ()
    answers: tuple[tuple[str, int | None], ...] = (("", 1), ("words", 0), ("", None))
    for said, code in answers:
        reading = probe_windows(answering(partial(_always, said, code)))
        assert [notice.key for notice in reading.notices] == ["machine.windows.no-answer"]


_CARD = Gpu("nvidia", "RTX 4090", "10de:2684", ComputeCapability(8, 9), 24 << 30, "GPU-a", "0000:41:00.0")


def test_a_card_that_three_know_appears_once() -> None:
    smi = Gpu("nvidia", "RTX 4090", "10de:2684", None, 1, "GPU-a", "0000:41:00.0")
    bus = Gpu("nvidia", None, "10de:2684", bus_id="0000:41:00.0", kernel_driver="nvidia")
    intel = Gpu("intel", None, "8086:3e9b", bus_id="0000:00:02.0")
    (first, second) = merge_gpus([_CARD], [smi], [intel, bus])
    assert (first.memory_bytes, first.kernel_driver) == (24 << 30, "nvidia")
    assert second == intel


def test_windows_rows_without_a_place_meet_by_model() -> None:
    row = Gpu("nvidia", "NVIDIA GeForce RTX 4090", "10de:2684")
    assert merge_gpus([_CARD], [], [row]) == (_CARD,)
    assert merge_gpus([_CARD], [], [row, row]) == (_CARD, row)


def test_two_equal_cards_stay_two() -> None:
    one = Gpu("nvidia", "A", "10de:2684", uuid="GPU-a", bus_id="0000:01:00.0")
    two = Gpu("nvidia", "A", "10de:2684", uuid="GPU-b", bus_id="0000:02:00.0")
    bus = [Gpu("nvidia", None, "10de:2684", bus_id=gpu.bus_id, kernel_driver="nvidia") for gpu in (two, one)]
    merged = merge_gpus([one, two], [two, one], bus)
    assert [(gpu.uuid, gpu.bus_id, gpu.kernel_driver) for gpu in merged] == [
        ("GPU-a", "0000:01:00.0", "nvidia"),
        ("GPU-b", "0000:02:00.0", "nvidia"),
    ]


def test_a_lost_card_is_still_on_the_bus() -> None:
    bus = Gpu("nvidia", None, "10de:2684", bus_id="0000:42:00.0", kernel_driver="nvidia")
    assert merge_gpus([_CARD], [], [bus]) == (_CARD, bus)
