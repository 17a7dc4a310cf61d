"""nvidia-smi's named fields, of a new driver and an old one, and its ways to fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomlkit

from tests.machine.answers import DATA, answering, outcome, recorded
from tests.stand_in import put_program
from wizard.machine.asking import asker
from wizard.machine.gpu.nvidia import NvidiaReading
from wizard.machine.gpu.nvidia_smi import (
    find_nvidia_smi,
    parse_capabilities,
    parse_failure,
    parse_gpus,
    parse_list,
    parse_table,
    probe_nvidia_smi,
)
from wizard.machine.model import Driver, Gpu, MigInstance
from wizard.model.capability import ComputeCapability
from wizard.model.messages import LANGUAGES, message, text

_THREADS = tomlkit.parse((DATA / "nvidia_smi.toml").read_text(encoding="utf-8")).unwrap()
_UUID = "GPU-5b3c7a52-6c55-4fd6-8a06-2a7f6ec6f2d1"


def test_a_new_driver() -> None:
    gpus, version = parse_gpus(recorded("nvidia-smi-550.csv"))
    assert version == "550.54.14"
    assert gpus[0] == Gpu(
        "nvidia", "NVIDIA GeForce GTX 1660 Ti", "10de:2182", None, 6144 * 2**20, _UUID, "0000:01:00.0"
    )
    assert (gpus[1].pci_id, gpus[1].bus_id) == ("10de:2684", "0000:41:00.0")


@pytest.mark.parametrize(
    ("version", "memory", "read"),
    [("580.65.06-beta", "24564", "580.65.06"), ("9e9", "-5", None), ("[N/A]", "0", None), ("580", "1", None)],
)
def test_what_no_machine_file_takes_is_not_known(version: str, memory: str, read: str | None) -> None:
    """It ended a setup at its last step, which reads the file of the first."""
    row = f"0, NVIDIA GeForce RTX 4090, GPU-1, 00000000:01:00.0, 0x268410DE, {memory}, {version}\n"
    (gpu,), found = parse_gpus(row)
    assert found == read
    assert (gpu.memory_bytes is None) is (int(memory) <= 0)


def test_an_old_driver_knows_less() -> None:
    def answer(argv: tuple[str, ...]) -> tuple[str, int | None]:
        if "compute_cap" in argv[1]:
            return recorded("nvidia-smi-470-compute-cap.txt"), 2
        return recorded("nvidia-smi-470.csv"), 0

    reading = probe_nvidia_smi(answering(answer), "nvidia-smi")
    assert reading.driver == Driver("470.256.02")
    assert reading.failure is None
    (gpu,) = reading.gpus
    assert (gpu.pci_id, gpu.memory_bytes, gpu.compute_capability) == ("10de:1287", None, None)


def test_capabilities_join_by_uuid() -> None:
    said = {
        "compute_cap": f"{_UUID}, 7.5, [N/A]\nGPU-other, [N/A], [N/A]\n",
        "driver_version": recorded("nvidia-smi-550.csv"),
    }
    ask = answering(lambda argv: (next(text for name, text in said.items() if name in argv[1]), 0))
    first, second = probe_nvidia_smi(ask, "nvidia-smi").gpus
    assert first.compute_capability == ComputeCapability(7, 5)
    assert second.compute_capability is None


@pytest.mark.parametrize("said", ["", "No devices were found", "a, b\n", "\x00\n\n,,,,,,\n", "x, y, z, q, w, e, r"])
def test_noise_gives_no_wrong_facts(said: str) -> None:
    gpus, _ = parse_gpus(said)
    assert all(gpu.pci_id is None and gpu.memory_bytes is None and gpu.bus_id is None for gpu in gpus)
    assert parse_capabilities(said) == {}


@pytest.mark.parametrize(
    ("said", "key"),
    [
        (
            "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.183",
            "machine.nvidia.driver-library-mismatch",
        ),
        (
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
            "NVIDIA driver is installed and running.",
            "machine.nvidia.driver-not-loaded",
        ),
        ("Failed to initialize NVML: Insufficient Permissions", "machine.nvidia.no-permission"),
        ("No devices were found", "machine.nvidia.no-cards"),
        ("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.", "machine.nvidia.driver-in-parts"),
        ("Failed to initialize NVML: Unknown Error", "machine.nvidia.unknown"),
        ("", "machine.nvidia.smi-failed"),
    ],
)
def test_failures_become_sentences(said: str, key: str) -> None:
    failure = parse_failure(said).failure
    assert failure is not None
    assert failure.key == key
    assert text(failure, "en")
    assert text(failure, "zh_CN")


def test_rubbish_is_not_passed_on() -> None:
    failure = parse_failure("\x1b[2J\ufffd\ufffda\ufffd\x07\ufffd | \ufffd").failure
    assert failure is not None
    assert "cannot be read" in text(failure, "en")
    assert "无法识别" in text(failure, "zh_CN")
    short = parse_failure("\x1b[31mThe card\x07 is \ufffdgone").failure
    assert short is not None
    assert "The card is gone" in text(short, "en").replace("[31m", "")
    assert "\x1b" not in text(short, "en")


def _place(row: dict[str, Any]) -> str:
    return str(row["source"]).removeprefix("https://github.com/")


def _shown(gpu: Gpu) -> str:
    memory = gpu.memory_bytes // 2**20 if gpu.memory_bytes else "-"
    return f"{gpu.bus_id} {gpu.name} {memory}"


@pytest.mark.parametrize("row", _THREADS["table"] + _THREADS["recorded"], ids=_place)
def test_tables_of_public_threads(row: dict[str, Any]) -> None:
    """Where the fields are refused, the table says driver, CUDA and every card."""
    ask = answering(lambda argv: (row["text"], 0) if len(argv) == 1 else ("Field is not a valid field to query.", 2))
    reading = probe_nvidia_smi(ask, "nvidia-smi")
    assert reading.driver == Driver(row["driver"], row.get("cuda"))
    assert [_shown(gpu) for gpu in reading.gpus] == row["cards"]
    assert reading.failure is None
    assert [" ".join([one.key, *map(str, one.params.values())]) for one in reading.notices] == row.get("dead", [])
    sizes = {gpu.bus_id: [(part.memory_bytes or 0) // 2**20 for part in gpu.mig] for gpu in reading.gpus if gpu.mig}
    assert [" ".join(map(str, (place, *of_it))) for place, of_it in sizes.items()] == row.get("instances", [])


@pytest.mark.parametrize("row", _THREADS["list"], ids=_place)
def test_lists_of_public_threads(row: dict[str, Any]) -> None:
    found = parse_list(row["text"]).values()
    assert [" ".join([str(n), *(str(part.name) for part in parts)]) for n, parts in enumerate(found)] == row[
        "instances"
    ]
    uuids = [part.uuid for parts in found for part in parts]
    assert all(uuid and uuid in row["text"] for uuid in uuids)
    assert len(set(uuids)) == len(uuids)


_CUT_UP = """\
| NVIDIA-SMI 535.216.01             Driver Version: 535.216.01   CUDA Version: 12.2     |
|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:01:00.0 Off |                   On |
| N/A   33C    P0              60W / 400W |     87MiB / 81920MiB |     N/A      Default |
|                                         |                      |              Enabled |
+-----------------------------------------+----------------------+----------------------+
| MIG devices:                                                                          |
"""
_PART = "|  0    7   0   0  |      12MiB /  9728MiB  | 14      0 |\n"


@pytest.mark.parametrize(
    ("part", "listed", "mig"),
    [
        (_PART, "\n  MIG 1g.10gb     Device  0: (UUID: MIG-b)", (MigInstance("1g.10gb", 9728 * 2**20, "MIG-b"),)),
        ("|  No MIG devices found                                          |\n", "", ()),
    ],
)
def test_a_card_that_is_cut_up(part: str, listed: str, mig: tuple[MigInstance, ...]) -> None:
    said = {
        "--query-gpu=uuid,compute_cap,mig.mode.current": "GPU-a, 8.0, Enabled",
        "-L": "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-a)" + listed,
        "": _CUT_UP + part,
    }
    fields = "0, NVIDIA A100-SXM4-80GB, GPU-a, 00000000:01:00.0, 0x20B210DE, 81920, 535.216.01"
    (gpu,) = probe_nvidia_smi(answering(lambda argv: (said.get("".join(argv[1:2]), fields), 0)), "nvidia-smi").gpus
    assert (gpu.mig, gpu.compute_capability) == (mig, ComputeCapability(8, 0))


@pytest.mark.parametrize("row", _THREADS["failure"], ids=_place)
def test_failures_of_public_threads(row: dict[str, Any]) -> None:
    reading = probe_nvidia_smi(answering(lambda argv: (row["text"], 255)), "nvidia-smi")
    said = [*reading.notices, *([reading.failure] if reading.failure else [])]
    assert [" ".join([one.key, *map(str, one.params.values())]) for one in said] == row["says"]
    assert all(text(one, language) for one in said for language in LANGUAGES)


_LINE = "0, NVIDIA GeForce GTX 1660 Ti, GPU-a, 00000000:01:00.0, 0x218210DE, 6144, 550.54.14"


@pytest.mark.parametrize(
    "dead",
    [
        "Unable to determine the device handle for GPU1: 0000:02:00.0: GPU is lost.  Reboot the system to recover it",
        "1, [GPU is lost], [GPU is lost], 00000000:02:00.0, [GPU is lost], [GPU is lost], 550.54.14",
    ],
)
def test_a_dead_card_does_not_hide_the_healthy_ones(dead: str) -> None:
    reading = probe_nvidia_smi(answering(lambda argv: (f"{_LINE}\n{dead}\n", 15)), "nvidia-smi")
    assert [gpu.bus_id for gpu in reading.gpus] == ["0000:01:00.0"]
    assert (reading.driver, reading.failure) == (Driver("550.54.14"), None)
    assert reading.notices == (message("machine.card.lost", card="0000:02:00.0"),)


def test_the_table_is_asked_where_the_fields_tell_of_a_dead_card_alone() -> None:
    dead = "Unable to determine the device handle for GPU 0000:02:00.0: Unknown Error"
    table = (
        "| NVIDIA-SMI 550.54.14    Driver Version: 550.54.14    CUDA Version: 12.4     |\n"
        "|   0  NVIDIA GeForce ...  Off  | 00000000:01:00.0 Off |                  N/A |\n"
        "| 30%   29C    P8    12W / 450W |      5MiB / 24564MiB |      0%      Default |\n"
    )
    reading = probe_nvidia_smi(answering(lambda argv: (table if len(argv) == 1 else dead, 0)), "nvidia-smi")
    assert [gpu.bus_id for gpu in reading.gpus] == ["0000:01:00.0"]
    assert [notice.params["card"] for notice in reading.notices] == ["0000:02:00.0"]


def test_a_row_of_errors_in_the_table_is_a_dead_card() -> None:
    table = (
        "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\n"
        "|   0  NVIDIA GeForce ...  Off  | 00000000:01:00.0 Off |                  N/A |\n"
        "| 30%   29C    P8    12W / 250W |      5MiB / 11019MiB |      0%      Default |\n"
        "|   1  NVIDIA GeForce ...  Off  | 00000000:02:00.0 Off |                  N/A |\n"
        "|ERR!  ERR! ERR!    ERR! / ERR! |      5MiB / 11019MiB |      0%      Default |\n"
    )
    reading = parse_table(table)
    assert [gpu.bus_id for gpu in reading.gpus] == ["0000:01:00.0"]
    assert reading.notices == (message("machine.card.unknown", card="0000:02:00.0"),)


@pytest.mark.parametrize("said", ["\ufffd\ufffd\ufffd\ufffd \ufffd\x07", "<html>busy</html>", "", "x" * 1_000_000])
def test_rubbish_that_ends_well_is_no_silence(said: str) -> None:
    failure = probe_nvidia_smi(answering(lambda argv: (said, 0)), "nvidia-smi").failure
    assert failure is not None
    assert failure.key == "machine.nvidia.smi-failed"


def test_no_nvidia_smi_says_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    if find_nvidia_smi() is None:
        assert probe_nvidia_smi(asker(lambda: False)) == NvidiaReading()


def test_a_hanging_tool_is_a_sentence() -> None:
    reading = probe_nvidia_smi(lambda request: outcome(request, exit_code=-9, timed_out=True), "nvidia-smi")
    assert reading.failure is not None
    assert reading.failure.key == "machine.nvidia.timeout"


def test_the_real_call_asks_for_fields_only(tmp_path: Path) -> None:
    script = f"import sys; print(*sys.argv[1:], file=open({str(tmp_path / 'asked')!r}, 'a')); print('[N/A]')"
    tool = put_program(tmp_path / "nvidia-smi", script)
    assert probe_nvidia_smi(asker(lambda: False), str(tool)).gpus == ()
    csv = " --format=csv,noheader,nounits"
    assert (tmp_path / "asked").read_text().splitlines() == [
        "--query-gpu=index,name,uuid,pci.bus_id,pci.device_id,memory.total,driver_version" + csv,
        "",  # what it printed names no card: the table may
    ]
