"""What a diagnosis rests on: raw facts for people who know, and what could be ruled out. Judges nothing."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.i18n import Message, message
from wizard.machine.model import Gpu, Machine
from wizard.steps.model import Check, Verification

_LONGEST = 600
_STDERR_LINES = 6


def evidence_lines(verification: Verification, machine: Machine) -> tuple[str, ...]:
    """Errors first, in the libraries' own words, then the build, the driver, the cards."""
    checks = {check.name: check for check in verification.checks}
    return tuple([*_errors(verification), *_build(checks), *_machine(machine)])


def _errors(verification: Verification) -> Iterator[str]:
    for check in verification.checks:
        data = check.data
        if check.state == "failed" and "error" in data:
            yield f"{check.name}: {data.get('error_type')}: {data['error']}"[:_LONGEST]
        if check.state == "failed" and check.name == "process":
            yield f"process: {data.get('reason')}, exit {data.get('exit_code')}, {data.get('signal') or 'no signal'}"
            yield from [line[:_LONGEST] for line in _telling(str(data.get("said") or "").splitlines())]


def _telling(lines: list[str]) -> list[str]:
    """faulthandler tells the newest call first, a traceback last."""
    for index, line in enumerate(lines):
        if line.startswith("Fatal Python error"):
            return lines[index : index + _STDERR_LINES]
    return lines[-_STDERR_LINES:]


def _build(checks: dict[str, Check]) -> Iterator[str]:
    imported, build, python = (checks[name].data if name in checks else {} for name in ("import", "build", "python"))
    if imported.get("torch"):
        yield f"torch {imported['torch']}, torch.version.cuda = {imported.get('cuda')}"
    if build.get("architectures"):
        yield f"torch.cuda.get_arch_list() = {' '.join(build['architectures'])}"
    packages = python.get("packages")
    if packages:
        yield "installed: " + ", ".join(f"{name} {version}" for name, version in packages.items())
    if python.get("cuda_visible_devices") is not None:
        yield f"CUDA_VISIBLE_DEVICES = {python['cuda_visible_devices']!r}"


def _machine(machine: Machine) -> Iterator[str]:
    driver = machine.driver
    yield f"NVIDIA driver: {driver.version}, runs CUDA {driver.cuda or '?'}" if driver else "NVIDIA driver: none"
    if not machine.nvidia_gpus:
        yield "NVIDIA card: none"
    yield from (_card(gpu) for gpu in machine.gpus)


def _card(gpu: Gpu) -> str:
    parts = [f"{gpu.vendor} card: {gpu.name or '?'}", f"[{gpu.pci_id or '?'}]"]
    if gpu.compute_capability:
        parts.append(f"compute capability {gpu.compute_capability}")
    if gpu.kernel_driver:
        parts.append(f"kernel driver {gpu.kernel_driver}")
    return " ".join(parts)


def ruled_out(verification: Verification, machine: Machine) -> tuple[Message, ...]:
    """For "unknown": the usual causes that it is not, each with the fact that says so."""
    checks = {check.name: check for check in verification.checks}
    found: list[Message] = []
    if verification.torch and verification.gpu_ok is not None:
        found.append(message("diagnosis.ruled-out.cpu-build", torch=verification.torch))
    if machine.driver:
        found.append(message("diagnosis.ruled-out.no-driver", driver=machine.driver.version))
    if machine.nvidia_gpus:
        found.append(message("diagnosis.ruled-out.no-card", count=len(machine.nvidia_gpus)))
    if "python" in checks and checks["python"].data.get("cuda_visible_devices") is None:
        found.append(message("diagnosis.ruled-out.visible-devices"))
    if any(device.get("kernels") in ("cubin", "ptx") for device in verification.devices):
        found.append(message("diagnosis.ruled-out.no-kernels"))
    if "numpy" in checks and checks["numpy"].state == "ok":
        found.append(message("diagnosis.ruled-out.numpy"))
    return tuple(found)
