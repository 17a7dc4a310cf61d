"""The whole look: every part heard once, late and broken parts told, stop on request."""

from __future__ import annotations

import importlib
import json
import threading
from pathlib import Path
from types import ModuleType

import pytest

from wizard.machine.asking import TimedCall, run_all
from wizard.machine.gpu.nvidia import NvidiaReading
from wizard.machine.gpu.pci import DeviceReading
from wizard.machine.machine_file import machine_from_json, machine_to_json
from wizard.machine.model import Driver, Gpu
from wizard.machine.probe import PARTS, probe
from wizard.model.errors import Cancelled
from wizard.model.messages import LANGUAGES, message, text


@pytest.fixture
def module() -> ModuleType:
    return importlib.import_module("wizard.machine.probe")


def test_this_machine(tmp_path: Path) -> None:
    heard: list[str] = []
    machine = probe(heard.append, folders=[tmp_path])
    assert sorted(heard) == sorted(PARTS)
    assert machine.os in ("linux", "windows")
    assert machine.pythons
    assert [row.path for row in machine.volumes] == [str(tmp_path)]
    assert machine_from_json(json.loads(json.dumps(machine_to_json(machine)))) == machine
    for notice in machine.notices:
        for language in LANGUAGES:
            assert text(notice, language)


def _quiet(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves out what is slow here: the parts' own tests have them."""
    monkeypatch.setattr(module, "probe_nvml", lambda ask: NvidiaReading())
    monkeypatch.setattr(module, "probe_nvidia_smi", lambda ask: NvidiaReading())
    monkeypatch.setattr(module, "probe_devices", lambda ask: DeviceReading())
    for name in ("probe_toolkits", "probe_pythons", "probe_condas"):
        monkeypatch.setattr(module, name, lambda ask: ())


def test_a_broken_and_a_late_part_are_notices(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    _quiet(module, monkeypatch)
    held = threading.Event()

    def broken(ask: object) -> tuple[()]:
        raise RuntimeError("out of luck")

    monkeypatch.setattr(module, "probe_toolkits", broken)
    monkeypatch.setattr(module, "probe_condas", lambda ask: held.wait(60) and ())
    monkeypatch.setattr(module, "_STOP_SECONDS", 0.1)
    machine = probe(folders=[], seconds=1.0)
    held.set()
    assert [(notice.key, notice.params["part"]) for notice in machine.notices] == [
        ("machine.part-failed", "toolkits"),
        ("machine.part-late", "condas"),
    ]
    assert "out of luck" in text(machine.notices[0], "en")


def test_one_witness_that_speaks_makes_the_others_silence_no_news(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    _quiet(module, monkeypatch)
    card = Gpu("nvidia", "A", "10de:2684", uuid="GPU-a")
    late = NvidiaReading(failure=message("machine.nvidia.timeout"))
    monkeypatch.setattr(module, "probe_nvml", lambda ask: late)
    monkeypatch.setattr(module, "probe_nvidia_smi", lambda ask: NvidiaReading(Driver("550.54.14"), (card,)))
    machine = probe(folders=[])
    assert (machine.driver, machine.gpus, machine.notices) == (Driver("550.54.14"), (card,), ())
    monkeypatch.setattr(module, "probe_nvidia_smi", lambda ask: late)
    assert probe(folders=[]).notices == (message("machine.nvidia.timeout"),)


def test_a_driver_with_no_cards_is_told(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    _quiet(module, monkeypatch)
    monkeypatch.setattr(module, "probe_nvml", lambda ask: NvidiaReading(Driver("580.65.06", "13.0")))
    assert probe(folders=[]).notices == (message("machine.nvidia.no-cards"),)


def test_a_card_without_its_driver(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    _quiet(module, monkeypatch)
    card = Gpu("nvidia", None, "10de:2191", bus_id="0000:01:00.0", kernel_driver="nouveau")
    monkeypatch.setattr(module, "probe_devices", lambda ask: DeviceReading((card,)))
    machine = probe(folders=[])
    assert (machine.driver, machine.nvidia_gpus) == (None, (card,))


def test_stop_on_request(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Cancelled):
        probe(is_cancelled=lambda: True, folders=[])
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("probe-") and thread.is_alive()]


def test_a_late_task_changes_nothing_any_more() -> None:
    held = threading.Event()
    late = TimedCall("late", lambda: held.wait(60), False)
    quick = TimedCall("quick", lambda: 5, 0)
    assert [task.name for task in run_all([late, quick], 0.5)] == ["quick"]
    held.set()
    late.join(30)
    assert (late.ended, late.value, quick.value) == (False, False, 5)
