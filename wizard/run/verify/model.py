"""What the steps find out, as values: the smoke test's checks and the diagnosis. Rendered by `wizard/run/report`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wizard.model.errors import ExitStatus
from wizard.model.messages import Message

OTHER_BUILD = ("no-kernels-for-gpu", "cpu-build-on-gpu-machine")  # what a diagnosis begins with where that mends it
Explain = Callable[[str], tuple[Message, Message] | None]  # a text of an error: cause, what to do


def explains_nothing(words: str) -> tuple[Message, Message] | None:
    """Stands for the known errors where nobody reads them."""


@dataclass(frozen=True, slots=True)
class SmokeCheck:
    """One line of the smoke test. `state`: ok | warning | failed | skipped."""

    name: str  # "zeros", "import", "device", "matmul", "numpy", "torchvision", …
    state: str
    message: Message
    seconds: float | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    code: str  # see diagnosis.py: "no-driver", "driver-too-old", "no-kernels-for-gpu", "no-nvidia-card", …
    cause: Message
    repair: Message
    evidence: tuple[str, ...] = ()  # raw facts and the library's own words
    ruled_out: tuple[Message, ...] = ()  # for "unknown": what it is not


@dataclass(frozen=True, slots=True)
class Verification:
    """`headline` is the result of `torch.zeros(1).cuda()`, or of the CPU tensor for the CPU build."""

    ok: bool
    gpu_ok: bool | None  # None: not a GPU build
    headline: Message
    checks: tuple[SmokeCheck, ...] = ()
    diagnosis: Diagnosis | None = None
    torch: str | None = None
    python: str | None = None
    devices: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class StepResult:
    """How one step went. `outcome`: done | skipped | failed | cancelled."""

    name: str
    outcome: str
    seconds: float | None = None
    message: Message | None = None


def exit_status(verification: Verification) -> ExitStatus:
    """3 says: PyTorch is there and can be imported, only the card does not work. Another torch than the one that was
    installed fails at `import`."""
    if verification.ok:
        return ExitStatus.DONE
    is_other = any(check.name == "import" and check.state == "failed" for check in verification.checks)
    is_gpu_matter = verification.gpu_ok is False and verification.torch is not None and not is_other
    return ExitStatus.GPU_TEST_FAILED if is_gpu_matter else ExitStatus.FAILED
