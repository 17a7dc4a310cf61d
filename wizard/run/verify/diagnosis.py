"""Why it does not work, and the smallest repair: rules over what the smoke test and the probe found. Pure.

The rules stand in order and the first that answers wins: how the child ended, the import, the CPU build, the
driver's and the library's own words, then what the probe saw. When none answers, "unknown" says what it is not.
One file: the rules share their order, the words that they read and the sentences that they fill.
A diagnosis can stand beside a test that passed: the CPU build on a computer without a usable card is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from wizard.machine.model import Gpu, Machine
from wizard.model.messages import Message, Scalar, catalogue, message
from wizard.model.patterns import search
from wizard.run.verify.model import Diagnosis, Explain, SmokeCheck, Verification, explains_nothing
from wizard.system.traits import of

# What a diagnosis rests on: raw facts for people who know, and what could be ruled out. Judges nothing.

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


def _build(checks: dict[str, SmokeCheck]) -> Iterator[str]:
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


# What PyTorch and CUDA print (c10/cuda, cudaError_t). Order matters: the sharper words come first.
_GPU_WORDS = (
    ("driver-library-mismatch", r"driver/library version mismatch|unsupported display driver / cuda driver comb"),
    ("driver-too-old", r"driver on your system is too old|driver version is insufficient for CUDA runtime"),
    ("no-kernels-for-gpu", r"no kernel image is available|no kernels for it in this build|not compatible with the cur"),
    ("cuda-does-not-start/stub", r"CUDA driver is a stub library"),
    (
        "gpu-memory-full",
        r"CUDA (driver )?(error: )?out of memory|Error 2: out of memory|CUBLAS_STATUS_(ALLOC_FAILED|NOT_INITIALIZED)",
    ),
    ("cuda-does-not-start", r"CUDA unknown error|initialization error|uncorrectable ECC|system not yet initialized"),
)
_ON_THE_CARD = ("zeros", "kernel", "devices", "matmul", "convolution", "streams", "pinned", "precision", "peers")
_NO_DEVICE = r"(?i)No CUDA GPUs are available|no CUDA-capable device|invalid device ordinal"
_NUMPY = r"(?i)_ARRAY_API not found|compiled using NumPy 1\.|Numpy is not available|multiarray failed"
_WINDOWS_RUNTIME = r"(?i)WinError (126|182|1114)|vcruntime140|msvcp140"
_FOUND_VERSION = r"found version (\d{4,6})"


@dataclass(frozen=True, slots=True)
class SmokeFacts:
    """What the rules read. `errors`, `warnings`, `words` (both): what the named checks said."""

    verification: Verification
    machine: Machine
    gpu_expected: bool
    checks: dict[str, SmokeCheck]

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

    def said(self) -> str:
        """What each failed check raised, as a traceback ends."""
        wrong = [self.data(name) for name in self.checks if self.failed(name)]
        return "\n".join(f"{each.get('error_type', 'Error')}: {each.get('error', '')}" for each in wrong)

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
        """Return what the sentences of a diagnosis may name; "?" where it is not known."""
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


_SAYS_LITTLE = ("unknown", "import-failed")  # of these the known errors may say more


def diagnose(
    verification: Verification,
    machine: Machine,
    gpu_expected: bool = True,
    explain: Explain = explains_nothing,
) -> Diagnosis | None:
    """None: nothing to explain. `gpu_expected`: a card that this build should use is there. `explain`: the known
    errors, asked where no rule knows more than that it failed."""
    facts = SmokeFacts(verification, machine, gpu_expected, {check.name: check for check in verification.checks})
    for rule in _RULES:
        if code := rule(facts):
            known = explain(facts.said()) if code in _SAYS_LITTLE else None
            return _known(*known, facts) if known else _diagnosis(code, facts)
    return None


def _known(cause: Message, repair: Message, facts: SmokeFacts) -> Diagnosis:
    return Diagnosis("known-error", cause, repair, evidence_lines(facts.verification, facts.machine))


def _diagnosis(code: str, facts: SmokeFacts) -> Diagnosis:
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


def _how_it_ended(facts: SmokeFacts) -> str | None:
    if not facts.failed("process"):
        return None
    reason, how = facts.data("process").get("reason"), facts.data("process").get("signal")
    if reason == "crashed" and how in ("SIGILL", "illegal instruction"):
        return "crashed/illegal-instruction"
    return "no-answer" if reason == "ended-early" else str(reason)


def _import(facts: SmokeFacts) -> str | None:
    if not facts.failed("import"):
        return None
    if facts.data("import").get("error_module") == "torch":
        return "torch-missing"
    if _numpy_too_new(facts):
        return "numpy-too-new"
    if of(facts.machine.os).runtime_is_apart and search(_WINDOWS_RUNTIME, facts.words("import")):
        return "import-failed/vc-runtime"
    return "import-failed"


def _cpu_build(facts: SmokeFacts) -> str | None:
    if facts.is_gpu_build or "import" not in facts.checks:
        return None
    if facts.gpu_expected:
        return "cpu-build-on-gpu-machine"
    if any(check.state == "failed" for check in facts.checks.values()):
        return None
    if facts.card is None:
        return "no-nvidia-card/cpu"
    return "no-driver/cpu" if facts.machine.driver is None else "cpu-build-on-gpu-machine/chosen"


def _words_on_the_card(facts: SmokeFacts) -> str | None:
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


def _nothing_to_run_on(facts: SmokeFacts) -> str | None:
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


def _driver_without_card(facts: SmokeFacts) -> str | None:
    hidden = facts.data("python").get("cuda_visible_devices")
    no_device = search(_NO_DEVICE, facts.words("zeros"))
    if no_device and hidden is not None:
        return "cuda-visible-devices-hides"
    if any(notice.key == "machine.nvidia.blocked-by-system" for notice in facts.machine.notices):
        return "driver-sees-no-card/blocked"
    return "driver-sees-no-card" if no_device or facts.card is None else None


def _numpy(facts: SmokeFacts) -> str | None:
    return "numpy-too-new" if facts.failed("numpy") and _numpy_too_new(facts) else None


def _numpy_too_new(facts: SmokeFacts) -> bool:
    version = str(facts.data("python").get("packages", {}).get("numpy") or "0")
    return not version.startswith(("0", "1.")) and bool(search(_NUMPY, facts.words("import", "numpy")))


def _companion(facts: SmokeFacts) -> str | None:
    return "companion-failed" if _failed_companion(facts) else None


def _failed_companion(facts: SmokeFacts) -> str | None:
    return next((name for name in ("torchvision", "torchaudio") if facts.failed(name)), None)


def _wrong_results(facts: SmokeFacts) -> str | None:
    wrong = [name for name in _ON_THE_CARD if facts.data(name).get("error_type") == "WrongResult"]
    return "wrong-results" if wrong else None


def _unknown(facts: SmokeFacts) -> str | None:
    return None if facts.verification.ok else "unknown"


_RULES: tuple[Callable[[SmokeFacts], str | None], ...] = (
    _how_it_ended,
    _import,
    _cpu_build,
    _words_on_the_card,
    _nothing_to_run_on,
    _wrong_results,
    _numpy,
    _companion,
    _unknown,
)
