"""Stage three, the machine: driver against runtime, kernels against card, and what keeps a card from being used.

Only judged for a CUDA build on a computer that has, or should have, a card. Each is one fact with its evidence;
whether it is the cause is decided in `examine.py`, beside the test.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import takewhile

from wizard.compatibility.cards import graphics_cards
from wizard.compatibility.data.model import PLATFORMS, Matrix
from wizard.compatibility.data.ordering import CPU, cuda_of, version_key
from wizard.compatibility.model import Candidate
from wizard.compatibility.rules import code_for, driver_level, driver_system, runs
from wizard.diagnose.checks.host_facts import HostFacts
from wizard.diagnose.model import (
    MACHINE,
    Check,
    Evidence,
    Finding,
    Remedy,
    finding,
    found,
    not_looked,
    proof,
    ruled_out,
)
from wizard.environment.create.vc_runtime import missing_runtime, runtime_folders
from wizard.environment.inspect.installation import Installation
from wizard.machine.model import Machine
from wizard.model.capability import ComputeCapability
from wizard.system.links import long_path
from wizard.system.traits import of
from wizard.system.windows.files import file_version

_MISMATCH = "machine.nvidia.driver-library-mismatch"
_OLDEST_RUNTIME = "14.40"  # torch 2.9 and later end with WinError 1114 on older ones
_DECIDES = "msvcp140.dll"  # by its version; Python brings an older vcruntime140.dll along
_FREE_DRIVERS = ("nouveau", "nova", "nova_core")


def machine_looks(
    env: Installation, machine: Machine, matrix: Matrix, around: HostFacts, best: Candidate | None
) -> Iterator[Check]:
    """Yield the checks of the computer itself, the driver's only where the build is one for CUDA."""
    variant = env.variant
    if variant is None or variant == CPU or not variant.startswith("cu"):
        for check in ("driver", "kernels"):
            yield not_looked(check, "cpu-build" if variant == CPU else "no-torch")
    else:
        yield driver(env, machine, matrix, best)
        yield kernels(env, machine, matrix, best)
    yield mismatch(machine)
    yield loaded(machine, around)
    yield visible(machine, around)
    yield switched(machine, around)
    yield place(machine, around)
    if of(machine.os).runtime_is_apart:
        yield runtime(env, around)


def driver(env: Installation, machine: Machine, matrix: Matrix, best: Candidate | None) -> Check:
    """The oldest driver for the CUDA of this build, by NVIDIA's tables."""
    level, cuda = driver_level(machine.driver), cuda_of(env.variant or CPU)
    floor = matrix.floors.get((cuda or "", driver_system(machine)))
    if level is None:
        return not_looked("driver", "no-driver")
    if floor is None:
        return not_looked("driver", "no-floor")
    if runs(level, floor):
        return ruled_out(
            "driver",
            proof("driver-enough", driver=level.text, cuda=cuda or "?", need=floor.driver_floor),
            driver=level.text,
        )
    evidence = (
        proof("driver-runs", driver=level.text, cuda=machine.driver and machine.driver.cuda or "?"),
        proof("driver-needed", build=f"{env.release}+{env.variant}", need=floor.driver_floor),
    )
    other = best if best and best.variant != CPU else None
    code = "driver-too-old/build" if other else "driver-too-old"
    params = {
        "driver": level.text,
        "need": floor.driver_floor,
        "variant": env.variant or "?",
        "other": f"{other.torch}+{other.variant}" if other else "-",
    }
    remedy = Remedy(family=True) if other else Remedy()
    scope = "environment" if other else MACHINE
    return found("driver", finding("driver", code, evidence, remedy, scope=scope, words=params))


def kernels(env: Installation, machine: Machine, matrix: Matrix, best: Candidate | None) -> Check:
    """Does the build hold code for the strongest card that is driven?"""
    platform = PLATFORMS.get((machine.os, machine.arch))
    row = matrix.build(env.release or "", env.variant or "", platform or "")
    cards = [card for card in graphics_cards(machine, matrix) if card.capability]
    if not cards:
        return not_looked("kernels", "no-card")
    if row is None or row.kernels is None:
        return not_looked("kernels", "no-arch-list")
    card = cards[0]
    capability = card.capability or ComputeCapability(0, 0)
    code = code_for(row.kernels.architectures, capability)
    listed = " ".join(row.kernels.architectures)
    if code:
        return ruled_out(
            "kernels",
            proof("card-runs", card=card.name, capability=str(capability), arch=code.arch, listed=listed),
            arch=code.arch,
        )
    evidence = (
        proof("capability", card=card.name, capability=str(capability)),
        proof("holds", build=f"{row.torch}+{row.variant}", listed=listed),
    )
    other = best if best and best.variant != CPU else None
    words = "no-kernels" if other else "no-kernels/none"
    params = {
        "gpu": card.name,
        "capability": str(capability),
        "other": f"{other.torch}+{other.variant}" if other else "-",
    }
    remedy = Remedy(family=True) if other else Remedy()
    return found(
        "kernels", finding("kernels", words, evidence, remedy, scope="environment" if other else MACHINE, words=params)
    )


def mismatch(machine: Machine) -> Check:
    """Tell a driver whose library is of another version than its kernel module, which only a restart mends."""
    if any(notice.key == _MISMATCH for notice in machine.notices):
        evidence = ("NVML: Driver/library version mismatch",)
        return found("nvml", finding("nvml", "driver-library-mismatch", evidence, scope=MACHINE))
    if machine.driver is None:
        return not_looked("nvml", "no-driver")
    return ruled_out("nvml", proof("driver-answers", driver=machine.driver.version), driver=machine.driver.version)


def loaded(machine: Machine, around: HostFacts) -> Check:
    """A card is there: which kernel driver holds it, and if none, what keeps NVIDIA's out."""
    card = next(iter(machine.nvidia_gpus), None)
    if card is None:
        return not_looked("module", "no-card")
    if machine.driver is not None:
        return ruled_out("module", proof("driver-loaded", driver=machine.driver.version), driver=machine.driver.version)
    name = card.name or card.pci_id or "NVIDIA"
    return found("module", _not_loaded(machine, around, name, card.kernel_driver))


def _not_loaded(machine: Machine, around: HostFacts, gpu: str, held_by: str | None) -> Finding:
    def one(code: str, *evidence: Evidence) -> Finding:
        return finding(
            "module",
            code,
            (proof("held-by" if held_by else "held-by-none", card=gpu, driver=held_by or ""), *evidence),
            scope=MACHINE,
            gpu=gpu,
        )

    if machine.is_wsl:
        return one("wsl-no-driver", proof("wsl-driver"))
    if not of(machine.os).has_kernel_modules:
        return one("no-driver/windows")
    if held_by in _FREE_DRIVERS or (held_by is None and "nouveau" in around.modules):
        return one(
            "nouveau", proof("modules", names=", ".join(sorted(around.modules & set(_FREE_DRIVERS))) or held_by or "?")
        )
    if around.container:
        return one("container-no-toolkit", proof("inside", container=around.container), _nodes(around))
    if around.module_installed and around.secure_boot:
        return one("secure-boot", proof("module-not-loaded"), proof("secure-boot"))
    if around.module_installed:
        return one("module-not-loaded", proof("module-not-loaded"))
    return one("no-driver")


def _nodes(around: HostFacts) -> Evidence:
    return f"/dev: {', '.join(around.device_nodes)}" if around.device_nodes else proof("no-nodes")


def visible(machine: Machine, around: HostFacts) -> Check:
    """CUDA reads it up to the first that is no card (empty, -1, a number or a UUID that none has): nothing before that
    hides every card. So does one that stands twice: CUDA ends with error 101 (all seen on an H200, driver 580). Set
    otherwise, it is as asked."""
    value = around.visible_devices
    if value is None:
        return ruled_out("visible", proof("visible-unset"))
    evidence = (f"CUDA_VISIBLE_DEVICES={value!r}", proof("cards", count=len(machine.nvidia_gpus)))
    seen = tuple(takewhile(lambda one: _is_of_a_card(one, machine), (each.strip() for each in value.split(","))))
    if machine.nvidia_gpus and (not seen or len(set(seen)) < len(seen)):
        return found("visible", finding("visible", "visible-devices", evidence, scope=MACHINE, value=value))
    return ruled_out("visible", *evidence)


def _is_of_a_card(name: str, machine: Machine) -> bool:
    """Return whether CUDA_VISIBLE_DEVICES names a card or a MIG instance by its number, its UUID or the beginning of
    that; True where the UUIDs of this computer are not known."""
    if name in ("", "-1") or name.isdigit():
        return name.isdigit() and int(name) < len(machine.nvidia_gpus)
    known = [gpu.uuid for gpu in machine.nvidia_gpus]
    known += [part.uuid for gpu in machine.nvidia_gpus for part in gpu.mig or ()]
    is_uuid = name.startswith(("GPU-", "MIG-"))
    return not is_uuid or not all(known) or any(one and one.startswith(name) for one in known)


def switched(machine: Machine, around: HostFacts) -> Check:
    """The graphics switch of a laptop is set to the processor's own graphics."""
    if machine.driver is not None and machine.nvidia_gpus:
        return ruled_out("switch", proof("card-on"))
    evidence = (*around.powered_off, *((f"prime-select: {around.prime}",) if around.prime else ()))
    if around.powered_off or around.prime in ("intel", "off"):
        return found("switch", finding("switch", "optimus-off", evidence, scope=MACHINE))
    if machine.nvidia_gpus or not evidence:
        return ruled_out("switch", proof("no-switch"))
    return ruled_out("switch", *evidence)


def place(machine: Machine, around: HostFacts) -> Check:
    """No card at all: because this is a container, a login node, WSL, or a computer without one."""
    if machine.nvidia_gpus:
        return ruled_out("card", proof("cards", count=len(machine.nvidia_gpus)), count=len(machine.nvidia_gpus))
    if machine.is_wsl:
        return found("card", finding("card", "wsl-no-card", (proof("wsl-no-card"), _nodes(around)), scope=MACHINE))
    if around.scheduler and not around.in_job:
        evidence: tuple[Evidence, ...] = (proof("no-job", scheduler=around.scheduler), proof("no-card"))
        return found("card", finding("card", "login-node", evidence, scope=MACHINE, scheduler=around.scheduler))
    if around.container:
        evidence = (proof("inside", container=around.container), _nodes(around))
        return found("card", finding("card", "container-no-card", evidence, scope=MACHINE, container=around.container))
    return found("card", finding("card", "no-card", (proof("no-card"),), scope=MACHINE))


def runtime(env: Installation, around: HostFacts) -> Check:
    """Windows: the Visual C++ runtime that torch's libraries are linked with."""
    if around.runtime_missing is None:
        return not_looked("runtime", "not-windows")
    missing, version = _runtime_of(env, around)
    if missing:
        evidence: tuple[Evidence, ...] = tuple(proof("missing", path=name) for name in missing)
        return found("runtime", finding("runtime", "vc-runtime", evidence, scope=MACHINE, name=missing[0]))
    needs_new = version_key(env.release or "0") >= (2, 9)
    if version and needs_new and version_key(version) < version_key(_OLDEST_RUNTIME):
        evidence = (f"{_DECIDES} {version}", proof("newer-runtime", torch=env.release or "?"))
        one = finding("runtime", "vc-runtime/old", evidence, certain=False, scope=MACHINE, version=version)
        return found("runtime", one)
    if not version:
        return not_looked("runtime", "no-runtime-version")
    return ruled_out("runtime", f"{_DECIDES} {version}")


def _runtime_of(env: Installation, around: HostFacts) -> tuple[tuple[str, ...], str | None]:
    """What this torch lacks by its own libraries (by the list of those that the newest wants, where there are none),
    and the version of the runtime that it finds first."""
    missing, version = around.runtime_missing or (), around.runtime_version
    with contextlib.suppress(OSError):
        code = long_path(env.torch.folder).rglob("*.[dp][ly][ld]") if env.torch else ()
        if files := {path.name: str(path) for path in code}:
            missing = missing_runtime(files, env.prefix)
        places = (folder / _DECIDES for folder in runtime_folders(env.prefix))
        first = next((place for place in places if place.is_file()), None)
        version = file_version(str(first)) if first else version
    return missing, version
