"""NVML's child for real: without a driver, with a stand-in library in C, hanging, crashing, lying."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.abilities import patience
from tests.machine.answers import DATA
from tests.tools import needs
from tests.waiting import HANG
from wizard.machine.asking import asker, question
from wizard.machine.gpu.nvidia import NvidiaReading, error_notice, normal_bus_id, pci_id
from wizard.machine.gpu.nvml import nvml_question, parse_nvml, probe_nvml
from wizard.machine.model import Driver, MigInstance
from wizard.model.capability import ComputeCapability
from wizard.model.messages import LANGUAGES, message, text
from wizard.process import Request

_ASK = asker(lambda: False)
needs_compiler = needs("cc")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nvml")
    source = DATA / "fake_nvml.c"
    command = ["cc", "-shared", "-fPIC", "-o", str(folder / "libnvidia-ml.so.1"), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def _request(library: Path, misfortune: str = "", seconds: float = 60.0) -> Request:
    plain = nvml_question(seconds)
    assert plain.environment is not None
    return replace(plain, environment={**plain.environment, "LD_LIBRARY_PATH": str(library), "FAKE_NVML": misfortune})


def _failure(reading: NvidiaReading) -> str:
    assert reading.failure is not None
    assert reading.gpus == ()
    assert text(reading.failure, "en") != text(reading.failure, "zh_CN")
    return reading.failure.key


_DRIVER = Path(os.path.expandvars("%SYSTEMROOT%/System32/nvml.dll") if os.name == "nt" else "/proc/driver/nvidia")


@pytest.mark.skipif(_DRIVER.exists(), reason="has an NVIDIA driver")
def test_a_machine_without_a_driver_says_so() -> None:
    assert _failure(probe_nvml(_ASK, nvml_question(HANG))) == "machine.nvidia.library-not-found"


@needs_compiler
def test_two_cards(library: Path) -> None:
    reading = probe_nvml(_ASK, _request(library))
    assert reading.failure is None
    assert reading.driver == Driver("580.65.06", "13.0")
    first, second = reading.gpus
    assert (first.name, first.pci_id, first.bus_id) == ("NVIDIA GeForce GTX 1660 Ti", "10de:2182", "0000:01:00.0")
    assert (first.compute_capability, first.memory_bytes) == (ComputeCapability(7, 5), 6442450944)
    assert first.uuid is None  # the library has no such function
    assert second.compute_capability == ComputeCapability(12, 0)
    assert second.memory_bytes is None  # this card does not answer


@needs_compiler
def test_an_old_driver_answers_the_older_question(library: Path) -> None:
    assert probe_nvml(_ASK, _request(library, "old")).driver == Driver("580.65.06", "10.1")


@needs_compiler
def test_a_lost_card_leaves_the_other(library: Path) -> None:
    reading = probe_nvml(_ASK, _request(library, "lost"))
    assert [gpu.pci_id for gpu in reading.gpus] == ["10de:2182"]
    assert reading.notices == (message("machine.card.lost", card="#1"),)


@needs_compiler
def test_a_card_that_tells_neither_fan_nor_power_is_named_and_stays(library: Path) -> None:
    reading = probe_nvml(_ASK, _request(library, "silent"))
    assert len(reading.gpus) == 2
    assert reading.notices == (message("machine.card.partly", card="0000:01:00.0"),)
    assert probe_nvml(_ASK, _request(library, "passive")).notices == ()


@needs_compiler
def test_a_card_in_parts(library: Path) -> None:
    first, _ = probe_nvml(_ASK, _request(library, "mig")).gpus
    assert first.mig == (MigInstance("1g.5gb", 5242880000), MigInstance("1g.5gb", 5242880000))
    assert probe_nvml(_ASK, _request(library, "mig-empty")).gpus[0].mig == ()
    assert probe_nvml(_ASK, _request(library)).gpus[0].mig is None


@needs_compiler
def test_a_driver_without_cards_is_a_driver(library: Path) -> None:
    reading = probe_nvml(_ASK, _request(library, "empty"))
    assert (reading.driver, reading.gpus, reading.failure) == (Driver("580.65.06", "13.0"), (), None)


@needs_compiler
@pytest.mark.parametrize(
    ("misfortune", "key"),
    [
        ("mismatch", "machine.nvidia.driver-library-mismatch"),
        ("unloaded", "machine.nvidia.driver-not-loaded"),
        ("strange", "machine.nvidia.unknown"),
        ("crash", "machine.nvidia.child-failed"),
    ],
)
def test_misfortunes_become_sentences(library: Path, misfortune: str, key: str) -> None:
    assert _failure(probe_nvml(_ASK, _request(library, misfortune))) == key


@pytest.mark.slow
@needs_compiler
def test_a_hanging_library_is_cut_off(library: Path) -> None:
    assert _failure(probe_nvml(_ASK, _request(library, "hang", seconds=patience(4.0)))) == "machine.nvidia.timeout"


def test_a_child_that_never_came_to_ask_is_not_the_cards_fault() -> None:
    """A virus scanner, a busy computer; also where there is no nvml.dll at all."""
    request = question((sys.executable, "-c", "import time; time.sleep(600)"), 1.5)
    reading = probe_nvml(_ASK, request)
    assert _failure(reading) == "machine.nvidia.not-asked"
    assert reading.failure
    assert all(text(reading.failure, language) for language in LANGUAGES)


@pytest.mark.slow
def test_a_hanging_child_leaves_no_process(tmp_path: Path) -> None:
    script = tmp_path / "hang.py"
    script.write_text(
        "import signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    reading = probe_nvml(_ASK, question((sys.executable, str(script)), patience(4.0)))
    assert _failure(reading) == "machine.nvidia.not-asked"
    pid = int((tmp_path / "pid").read_text() or "0")
    with contextlib.suppress(psutil.NoSuchProcess):  # killed: gone at once, or within the moment that the kernel takes
        orphan = psutil.Process(pid)
        assert orphan.status() == psutil.STATUS_ZOMBIE or orphan.wait(HANG) is None


def test_a_child_that_cannot_start(tmp_path: Path) -> None:
    assert _failure(probe_nvml(_ASK, question((str(tmp_path / "none"),), 5.0))) == "machine.nvidia.child-failed"


@pytest.mark.parametrize("said", ["", "words", "[]", "{}", "null", '{"error": {"code": "x"}}', '{"error": 5}'])
def test_what_is_no_answer(said: str) -> None:
    with pytest.raises(ValueError, match="."):
        parse_nvml(said)


@pytest.mark.parametrize("code", [4, 9, 12, 15, 16, 17, 18, 999])
def test_every_code_has_words(code: int) -> None:
    for language in ("en", "zh_CN"):
        assert text(error_notice(code, "Unknown Error"), language)


def test_places_and_ids() -> None:
    assert normal_bus_id("00000000:01:00.0") == normal_bus_id("0000:01:00.0") == "0000:01:00.0"
    assert normal_bus_id("0000000F:01:00.0") == "000f:01:00.0"
    assert normal_bus_id("[N/A]") is None
    assert normal_bus_id(None) is None
    assert pci_id(0x218210DE) == "10de:2182"
    assert pci_id(None) is None
