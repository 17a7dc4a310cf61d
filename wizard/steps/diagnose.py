"""Why it does not work, and the smallest repair: rules over what the smoke test and the probe found. Pure.

The rules stand in order and the first that answers wins: how the child ended, the import, the CPU build, the
driver's and the library's own words, then what the probe saw. When none answers, "unknown" says what it is not.
A diagnosis can stand beside a test that passed: the CPU build on a computer without a usable card is right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wizard.i18n import Message, Scalar, catalogue
from wizard.machine.model import Gpu, Machine
from wizard.patterns import search
from wizard.steps.evidence import evidence_lines, ruled_out
from wizard.steps.model import Check, Diagnosis, Verification
from wizard.system.traits import of

# What PyTorch and CUDA print (c10/cuda, cudaError_t). Order matters: the sharper words come first.
_GPU_WORDS = (
    ("driver-library-mismatch", r"driver/library version mismatch|unsupported display driver / cuda driver comb"),
    ("driver-too-old", r"driver on your system is too old|driver version is insufficient for CUDA runtime"),
    ("no-kernels-for-gpu", r"no kernel image is available|no kernels for it in this build|not compatible with the cur"),
    ("gpu-memory-full", r"CUDA out of memory|CUBLAS_STATUS_ALLOC_FAILED|CUBLAS_STATUS_NOT_INITIALIZED"),
    ("cuda-does-not-start", r"CUDA unknown error|initialization error|uncorrectable ECC|system not yet initialized"),
)
_ON_THE_CARD = ("zeros", "kernel", "devices", "matmul", "convolution", "streams", "pinned", "precision", "peers")
_NO_DEVICE = r"(?i)No CUDA GPUs are available|no CUDA-capable device|invalid device ordinal"
_NUMPY = r"(?i)_ARRAY_API not found|compiled using NumPy 1\.|Numpy is not available|multiarray failed"
_WINDOWS_RUNTIME = r"(?i)WinError (126|182|1114)|vcruntime140|msvcp140"
_FOUND_VERSION = r"found version (\d{4,6})"


@dataclass(frozen=True, slots=True)
class Facts:
    """What the rules read. `errors`, `warnings`, `words` (both): what the named checks said."""

    verification: Verification
    machine: Machine
    gpu_expected: bool
    checks: dict[str, Check]

    def data(self, name: str) -> dict[str, Any]:
        return dict(self.checks[name].data) if name in self.checks else {}

    def failed(self, name: str) -> bool:
        return name in self.checks and self.checks[name].state == "failed"

    def errors(self, *names: str) -> str:
        return "\n".join(str(self.data(name).get("error") or "") for name in names)

    def warnings(self, *names: str) -> str:
        return "\n".join(said for name in names for said in self.data(name).get("warnings", ()))

    def words(self, *names: str) -> str:
        return f"{self.errors(*names)}\n{self.warnings(*names)}"

    @property
    def cuda(self) -> str | None:
        return self.data("import").get("cuda")

    @property
    def is_gpu_build(self) -> bool:
        return bool(self.cuda or self.data("import").get("hip"))

    @property
    def card(self) -> Gpu | None:
        return next(iter(self.machine.nvidia_gpus), None)

    def params(self) -> dict[str, Scalar]:
        driver, process = self.machine.driver, self.data("process")
        found = search(_FOUND_VERSION, self.words("zeros", "kernel"))
        told = f"{int(found[1]) // 1000}.{int(found[1]) % 1000 // 10}" if found else None
        card, device = self.card, next(iter(self.verification.devices), {})
        capability = device.get("capability") or (card.compute_capability if card else None)
        return {
            "torch": self.verification.torch or "?",
            "cuda": self.cuda or "?",
            "gpu": str(device.get("name") or (card and (card.name or card.pci_id)) or "NVIDIA"),
            "capability": str(capability or "?"),
            "kernel_driver": (card and card.kernel_driver) or "?",
            "driver": driver.version if driver else "?",
            "driver_cuda": told or (driver and driver.cuda) or "?",
            "visible": str(self.data("python").get("cuda_visible_devices")),
            "numpy": str(self.data("python").get("packages", {}).get("numpy") or "?"),
            "how": str(process.get("signal") or f"exit {process.get('exit_code')}"),
            "during": str(process.get("during") or "-"),
        }


def diagnose(verification: Verification, machine: Machine, gpu_expected: bool = True) -> Diagnosis | None:
    """None: nothing to explain. `gpu_expected`: a card that this build should use is there."""
    facts = Facts(verification, machine, gpu_expected, {check.name: check for check in verification.checks})
    for rule in _RULES:
        if code := rule(facts):
            return _diagnosis(code, facts)
    return None


def _diagnosis(code: str, facts: Facts) -> Diagnosis:
    """`code` may carry a variant after a slash: other words for the same cause."""
    name = code.partition("/")[0]
    key = f"diagnosis.{code.replace('/', '-')}"
    params = {**facts.params(), "companion": _failed_companion(facts) or "-"}
    repair = key if f"{key}.repair" in catalogue("en") else f"diagnosis.{name}"
    return Diagnosis(
        name,
        Message(f"{key}.cause", params),
        Message(f"{repair}.repair", params),
        evidence_lines(facts.verification, facts.machine),
        ruled_out(facts.verification, facts.machine) if name == "unknown" else (),
    )


def _how_it_ended(facts: Facts) -> str | None:
    if not facts.failed("process"):
        return None
    reason, how = facts.data("process").get("reason"), facts.data("process").get("signal")
    if reason == "crashed" and how in ("SIGILL", "illegal instruction"):
        return "crashed/illegal-instruction"
    return "no-answer" if reason == "ended-early" else str(reason)


def _import(facts: Facts) -> str | None:
    if not facts.failed("import"):
        return None
    if facts.data("import").get("error_module") == "torch":
        return "torch-missing"
    if _numpy_too_new(facts):
        return "numpy-too-new"
    if of(facts.machine.os).runtime_is_apart and search(_WINDOWS_RUNTIME, facts.words("import")):
        return "import-failed/vc-runtime"
    return "import-failed"


def _cpu_build(facts: Facts) -> str | None:
    if facts.is_gpu_build or "import" not in facts.checks:
        return None
    if facts.gpu_expected:
        return "cpu-build-on-gpu-machine"
    if any(check.state == "failed" for check in facts.checks.values()):
        return None
    if facts.card is None:
        return "no-nvidia-card/cpu"
    return "no-driver/cpu" if facts.machine.driver is None else "cpu-build-on-gpu-machine/chosen"


def _words_on_the_card(facts: Facts) -> str | None:
    if facts.verification.gpu_ok is not False:
        return None
    notices = [notice.key for notice in facts.machine.notices]
    if facts.failed("zeros") and any("driver-library-mismatch" in key for key in notices):
        return "driver-library-mismatch"
    # A warning may speak of a second card: the errors are asked first.
    for said in (facts.errors(*_ON_THE_CARD), facts.warnings(*_ON_THE_CARD)):
        for code, pattern in _GPU_WORDS:
            if search(f"(?i){pattern}", said):
                return code
    return None


def _nothing_to_run_on(facts: Facts) -> str | None:
    if facts.verification.gpu_ok is not False or not facts.failed("zeros"):
        return None
    if facts.machine.driver is not None:
        return _driver_without_card(facts)
    if facts.card is None:
        return "no-nvidia-card/wsl" if facts.machine.is_wsl else "no-nvidia-card"
    variants = {"nouveau": "no-driver/nouveau", "vfio-pci": "no-driver/vfio"}
    if facts.machine.is_wsl:
        return "no-driver/wsl"
    return variants.get(facts.card.kernel_driver or "", f"no-driver/{facts.machine.os}")


def _driver_without_card(facts: Facts) -> str | None:
    hidden = facts.data("python").get("cuda_visible_devices")
    no_device = search(_NO_DEVICE, facts.words("zeros"))
    if no_device and hidden is not None:
        return "cuda-visible-devices-hides"
    return "driver-sees-no-card" if no_device or facts.card is None else None


def _numpy(facts: Facts) -> str | None:
    return "numpy-too-new" if facts.failed("numpy") and _numpy_too_new(facts) else None


def _numpy_too_new(facts: Facts) -> bool:
    version = str(facts.data("python").get("packages", {}).get("numpy") or "0")
    return not version.startswith(("0", "1.")) and bool(search(_NUMPY, facts.words("import", "numpy")))


def _companion(facts: Facts) -> str | None:
    return "companion-failed" if _failed_companion(facts) else None


def _failed_companion(facts: Facts) -> str | None:
    return next((name for name in ("torchvision", "torchaudio") if facts.failed(name)), None)


def _wrong_results(facts: Facts) -> str | None:
    wrong = [name for name in _ON_THE_CARD if facts.data(name).get("error_type") == "WrongResult"]
    return "wrong-results" if wrong else None


def _unknown(facts: Facts) -> str | None:
    return None if facts.verification.ok else "unknown"


_RULES: tuple[Callable[[Facts], str | None], ...] = (
    _how_it_ended, _import, _cpu_build, _words_on_the_card, _nothing_to_run_on, _wrong_results, _numpy,
    _companion, _unknown,
)  # fmt: skip
