"""Looks at the whole machine, all at once: what could not be found out is a notice; only lack of memory is an error.

The parts end in any order; a window shows each as it ends. No network, and nothing on the machine changes.
"""

from __future__ import annotations

import platform
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from wizard.machine.asking import Ask, IsCancelled, TimedCall, asker, run_all
from wizard.machine.gpu.cim import probe_windows
from wizard.machine.gpu.nvidia import NvidiaReading, merge_gpus
from wizard.machine.gpu.nvidia_smi import probe_nvidia_smi
from wizard.machine.gpu.nvml import probe_nvml
from wizard.machine.gpu.pci import DeviceReading, probe_kernel_module, probe_pci
from wizard.machine.host.condas import probe_condas
from wizard.machine.host.interpreters import probe_pythons
from wizard.machine.host.operating_system import OperatingSystem, normal_arch, probe_system
from wizard.machine.host.toolkits import probe_toolkits
from wizard.machine.host.volumes import volume
from wizard.machine.model import CondaInstall, Driver, Machine, PythonInstall, Toolkit, Volume
from wizard.model.errors import Cancelled
from wizard.model.messages import Message, message
from wizard.process import without_memory
from wizard.system import paths
from wizard.system.traits import this

TOTAL_SECONDS = 30.0
_STOP_SECONDS = 4.0  # for the children of a probe that was cancelled or is late

PARTS = ("system", "nvml", "nvidia-smi", "devices", "toolkits", "pythons", "condas", "volumes")


class _Tasks:
    """The probes of one look, by their part's name."""

    def __init__(self, ask: Ask, folders: Sequence[Path]) -> None:
        self.system = TimedCall(
            "system", probe_system, OperatingSystem(paths.os_name(), _plain_arch(), None, None, False)
        )
        self.nvml = TimedCall("nvml", partial(probe_nvml, ask), NvidiaReading())
        self.smi = TimedCall("nvidia-smi", partial(probe_nvidia_smi, ask), NvidiaReading())
        self.devices = TimedCall("devices", partial(probe_devices, ask), DeviceReading())
        self.toolkits: TimedCall[tuple[Toolkit, ...]] = TimedCall("toolkits", partial(probe_toolkits, ask), ())
        self.pythons: TimedCall[tuple[PythonInstall, ...]] = TimedCall("pythons", partial(probe_pythons, ask), ())
        self.condas: TimedCall[tuple[CondaInstall, ...]] = TimedCall("condas", partial(probe_condas, ask), ())
        self.volumes: TimedCall[tuple[Volume, ...]] = TimedCall("volumes", lambda: tuple(map(volume, folders)), ())

    def all(self) -> list[TimedCall[Any]]:
        return [
            self.system,
            self.nvml,
            self.smi,
            self.devices,
            self.toolkits,
            self.pythons,
            self.condas,
            self.volumes,
        ]


def _plain_arch() -> str:
    return normal_arch(platform.machine())


def probe_devices(ask: Ask) -> DeviceReading:
    """Cards and driver as the operating system itself knows them, the same shape for both systems."""
    if this().has_proc:
        return DeviceReading(probe_pci(), probe_kernel_module())
    return probe_windows(ask)


def default_folders() -> tuple[Path, ...]:
    """Where we would write when nothing else is chosen."""
    return (paths.default_environments_dir(), paths.downloads_dir())


def probe(
    on_part: Callable[[str], None] | None = None,
    is_cancelled: IsCancelled = lambda: False,
    folders: Sequence[Path] | None = None,
    seconds: float = TOTAL_SECONDS,
    on_machine: Callable[[Machine], None] | None = None,
) -> Machine:
    """`on_part` hears each of PARTS as it ends, in this thread, and `on_machine` what is known by then.

    Raises Cancelled, and WizardError `no-memory`: what was not seen for that is not "not there".
    """
    stopping = threading.Event()
    ask = asker(lambda: stopping.is_set() or is_cancelled())
    tasks = _Tasks(ask, default_folders() if folders is None else folders)
    for task in run_all(tasks.all(), seconds, is_cancelled):
        if on_part:
            on_part(task.name)
        if on_machine:
            on_machine(_machine(tasks))
    stopping.set()
    if is_cancelled() or not all(task.ended for task in tasks.all()):
        deadline = time.monotonic() + _STOP_SECONDS
        for task in tasks.all():
            task.join(deadline - time.monotonic())
    if is_cancelled():
        raise Cancelled
    for task in tasks.all():
        if task.error and (lack := without_memory(task.error)):
            raise lack
    return _machine(tasks)


def _machine(tasks: _Tasks) -> Machine:
    system, devices = tasks.system.value, tasks.devices.value
    nvml, smi = tasks.nvml.value, tasks.smi.value
    return Machine(
        os=system.os,
        arch=system.arch,
        glibc=system.glibc,
        driver=_driver(nvml.driver, smi.driver, devices.driver),
        gpus=merge_gpus(nvml.gpus, smi.gpus, devices.gpus),
        toolkits=tasks.toolkits.value,
        pythons=tasks.pythons.value,
        condas=tasks.condas.value,
        volumes=tasks.volumes.value,
        os_version=system.os_version,
        is_wsl=system.is_wsl,
        notices=_notices(tasks),
    )


def _driver(*witnesses: Driver | None) -> Driver | None:
    return next(filter(None, witnesses), None)


def _notices(tasks: _Tasks) -> tuple[Message, ...]:
    """One witness that speaks makes the other's silence no news."""
    nvml, smi, devices = tasks.nvml.value, tasks.smi.value, tasks.devices.value
    said: list[Message] = [*nvml.notices, *smi.notices, *devices.notices]
    if not (nvml.gpus or smi.gpus):
        said += [failure for failure in (nvml.failure, smi.failure) if failure]
        if nvml.driver and not nvml.notices:  # NVML answers and counts none
            said.append(message("machine.nvidia.no-cards"))
    for task in tasks.all():
        if task.error is not None:
            said.append(message("machine.part-failed", part=task.name, problem=repr(task.error)[:300]))
        elif not task.ended:
            said.append(message("machine.part-late", part=task.name))
    return tuple(notice for index, notice in enumerate(said) if notice not in said[:index])
