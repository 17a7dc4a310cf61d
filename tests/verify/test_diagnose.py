"""The rules alone, on made-up findings: what cannot be run on this machine."""

from __future__ import annotations

import pytest

from tests.verify.conftest import NO_CARD, NO_DRIVER, RTX, WITH_CARD
from wizard.diagnose.known_errors.match import cause_and_fix
from wizard.machine.model import Driver, Gpu, Machine
from wizard.model.messages import LANGUAGES, message, text
from wizard.run.verify.diagnosis import diagnose
from wizard.run.verify.model import SmokeCheck, Verification

SAID = message("verify.headline.nothing")
IMPORTED = SmokeCheck("import", "ok", SAID, data={"torch": "2.15.0+cu132", "cuda": "13.2"})
WSL = Machine("linux", "x86_64", "2.39", None, (), is_wsl=True)
WSL_CARD = Machine("linux", "x86_64", "2.39", None, (RTX,), is_wsl=True)
WINDOWS = Machine("windows", "AMD64", None, None, (RTX,))
# As recorded on an H100's computer whose device files were taken away (2026-11-26).
BLOCKED = Machine(
    "linux",
    "x86_64",
    "2.39",
    Driver("580.159.04", None),
    (Gpu("nvidia", None, "10de:2330", kernel_driver="nvidia"),),
    notices=(message("machine.nvidia.blocked-by-system"),),
)
NO_DEVICES = Machine("linux", "x86_64", "2.36", Driver("610.1", None), ())


def failing(name: str, error: str, kind: str = "RuntimeError", *before: SmokeCheck) -> Verification:
    check = SmokeCheck(name, "failed", SAID, data={"error_type": kind, "error": error})
    torch = "2.15.0+cu132" if before else None
    return Verification(False, False if before else None, SAID, (*before, check), torch=torch)


def process(reason: str, signal: str | None) -> Verification:
    data = {"reason": reason, "signal": signal, "exit_code": -1, "during": "conv", "said": ""}
    return Verification(
        False, False, SAID, (IMPORTED, SmokeCheck("process", "failed", SAID, data=data)), torch="2.15.0"
    )


ZEROS = failing("zeros", "Found no NVIDIA driver on your system.", "RuntimeError", IMPORTED)
DLL = "[WinError 1114] A dynamic link library (DLL) initialization routine failed. Error loading c10.dll"


@pytest.mark.parametrize(
    ("found", "machine", "cause"),
    [
        (process("killed", "SIGKILL"), WITH_CARD, "killed"),
        (process("crashed", "SIGILL"), WITH_CARD, "crashed-illegal-instruction"),
        (process("crashed", "SIGBUS"), WITH_CARD, "crashed"),
        (process("timed-out", None), WITH_CARD, "timed-out"),
        (process("ended-early", None), WITH_CARD, "no-answer"),
        (failing("import", DLL, "OSError"), WINDOWS, "import-failed-vc-runtime"),
        (failing("import", DLL, "OSError"), NO_CARD, "import-failed"),
        (ZEROS, WSL, "no-nvidia-card-wsl"),
        (ZEROS, WSL_CARD, "no-driver-wsl"),
        (ZEROS, WINDOWS, "no-driver-windows"),
        (ZEROS, NO_DRIVER, "no-driver-linux"),
        (ZEROS, NO_DEVICES, "driver-sees-no-card"),
        (
            failing("zeros", "No CUDA GPUs are available", "RuntimeError", IMPORTED),
            BLOCKED,
            "driver-sees-no-card-blocked",
        ),
        (failing("torchaudio", "undefined symbol", "OSError", IMPORTED), WITH_CARD, "companion-failed"),
        (failing("numpy", "something else", "TypeError", IMPORTED), WITH_CARD, "unknown"),
    ],
)
def test_cause(found: Verification, machine: Machine, cause: str) -> None:
    diagnosis = diagnose(found, machine)
    assert diagnosis
    assert diagnosis.cause.key == f"diagnosis.{cause}.cause"
    assert all(text(line, language) for line in (diagnosis.cause, diagnosis.repair) for language in LANGUAGES)


@pytest.mark.parametrize(
    ("said", "cause"),
    [  # as a real card said it: full, full before the first call, and a toolkit's stub in the way
        ("CUDA error: out of memory\nSearch for `cudaErrorMemoryAllocation' in https://docs", "gpu-memory-full"),
        ("Unexpected error from cudaGetDeviceCount(). … Error 2: out of memory", "gpu-memory-full"),
        (
            "Unexpected error from cudaGetDeviceCount(). … Error 34: CUDA driver is a stub library",
            "cuda-does-not-start-stub",
        ),
    ],
)
def test_words_of_a_real_card(said: str, cause: str) -> None:
    diagnosis = diagnose(failing("zeros", said, "AcceleratorError", IMPORTED), WITH_CARD)
    assert diagnosis
    assert diagnosis.cause.key == f"diagnosis.{cause}.cause"


def test_the_known_errors_are_asked_where_no_rule_knows_more() -> None:
    """But not where a rule knows the cause by the computer's facts."""
    cublas = failing("import", "libcublas.so.12: cannot open shared object file: No such file", "ImportError")
    known = diagnose(cublas, WITH_CARD, explain=cause_and_fix)
    assert known
    assert known.code == "known-error"
    assert known.cause.key.startswith("explain.error.")
    assert known.evidence
    ruled = diagnose(ZEROS, WINDOWS, explain=cause_and_fix)
    assert ruled
    assert ruled.code == "no-driver"
    strange = diagnose(
        failing("zeros", "what nobody has seen", "RuntimeError", IMPORTED), WITH_CARD, True, cause_and_fix
    )
    assert strange
    assert strange.code == "unknown"


def test_a_warning_about_another_card_is_not_the_cause() -> None:
    check = SmokeCheck(
        "zeros",
        "failed",
        SAID,
        data={
            "error_type": "OutOfMemoryError",
            "error": "CUDA out of memory.",
            "warnings": ["GTX 1060 is not compatible with the current PyTorch installation."],
        },
    )
    found = Verification(False, False, SAID, (IMPORTED, check), torch="2.15.0+cu132")
    diagnosis = diagnose(found, WITH_CARD)
    assert diagnosis
    assert diagnosis.code == "gpu-memory-full"


def test_nothing_wrong_is_no_diagnosis() -> None:
    assert diagnose(Verification(True, True, SAID, (IMPORTED,), torch="2.15.0+cu132"), WITH_CARD) is None
