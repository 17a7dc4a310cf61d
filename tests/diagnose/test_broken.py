"""The matrix of deliberately broken environments: each diagnosed, repaired by the worker, and whole afterwards."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.diagnose.world import (
    CUDA,
    CUDNN,
    HEALTHY,
    OLD_TORCH,
    TORCH,
    VISION,
    Patient,
    build_torch,
    copy_libraries,
)
from tests.line.wheel import build_wheel
from tests.line.world import TAG
from wizard.diagnose.model import FOUND, evidence_text
from wizard.model.errors import ExitStatus

pytestmark = pytest.mark.slow


def cpu_build(patient: Patient) -> None:
    patient.make(f"torch-{TORCH}+cpu", f"torchvision-{VISION}+cpu", "numpy-2.3.0", "sympy-1.13.3")


def other_torchvision(patient: Patient) -> None:
    patient.make(*HEALTHY)
    patient.install(f"torchvision-{VISION}+cpu")


def torchvision_of_the_general_index(patient: Patient) -> None:
    """`pip install torch torchvision` where pip finds torch+cpu in one place and torchvision in another."""
    patient.make(f"torch-{TORCH}+{CUDA}", *HEALTHY[2:])
    patient.unpack(next((patient.wheels / "general").glob("torchvision-*.whl")))


def numpy_2_under_an_old_torch(patient: Patient) -> None:
    patient.make(f"torch-{OLD_TORCH}+cu121", "numpy-2.3.0", "sympy-1.13.3")


def half_deleted(patient: Patient) -> None:
    patient.make(*HEALTHY)
    shutil.rmtree(patient.site / f"torch-{TORCH}+{CUDA}.dist-info")
    shutil.rmtree(patient.site / "torch" / "nn")


def half_deleted_files(patient: Patient) -> None:
    patient.make(*HEALTHY)
    shutil.rmtree(patient.site / "torch")


def two_copies_by_pip(patient: Patient) -> None:
    """An interrupted upgrade leaves two sets of metadata over one folder."""
    patient.make(
        f"torch-{TORCH}+cpu",
        f"torchvision-{VISION}+{CUDA}",
        "numpy-2.3.0",
        "sympy-1.13.3",
        f"nvidia_cudnn_cu12-{CUDNN}",
    )
    patient.unpack(next((patient.wheels / "torch").glob(f"torch-{TORCH}+{CUDA}-*.whl")))
    (patient.site / "torch" / "lib" / "libtorch_cpu.so").write_bytes(b"of the other copy")


def truncated_library(patient: Patient) -> None:
    patient.make(*HEALTHY)
    path = patient.site / "torch" / "lib" / "libtorch_cpu.so"
    path.write_bytes(path.read_bytes()[:3000])


def wrong_python(patient: Patient) -> None:
    patient.make(*HEALTHY[1:])
    patient.unpack(next((patient.wheels / "foreign").glob("torch-*.whl")))
    (patient.site / "torch" / "__init__.py").write_text("raise ImportError('no module named torch._C')\n")


def other_nvidia_library(patient: Patient) -> None:
    patient.make(*HEALTHY)
    patient.install("nvidia_cudnn_cu12-8.9.2")


def library_path(patient: Patient) -> None:
    patient.make(*HEALTHY)
    folder = copy_libraries(patient.world.home / "cuda 8" / "lib64", "libcudnn.so.9")
    patient.variables["LD_LIBRARY_PATH"] = f"{folder}:/usr/local/nothing"


@dataclass(frozen=True)
class Case:
    break_it: Callable[[Patient], None]
    code: str
    comes: tuple[str, ...]  # what the repair installs, no more and no less
    evidence: str

    def __str__(self) -> str:
        return self.break_it.__name__


CASES = (
    Case(cpu_build, "cpu-build", ("torch", "torchvision", "nvidia-cudnn-cu12"), "RTX 3060"),
    Case(other_torchvision, "companion-variant", ("torchvision",), "torchvision 0.28.0+cpu"),
    Case(torchvision_of_the_general_index, "companion-unmarked", ("torchvision",), "torchvision 0.28.0"),
    Case(numpy_2_under_an_old_torch, "numpy-too-new", ("numpy",), "numpy 2.3.0"),
    Case(half_deleted, "half-deleted", ("torch",), "its metadata is not"),
    Case(half_deleted_files, "half-deleted", ("torch",), "is gone"),
    Case(two_copies_by_pip, "two-copies", ("torch",), f"torch-{TORCH}+cpu.dist-info"),
    Case(truncated_library, "damaged", ("torch",), "3000 of"),
    Case(wrong_python, "wrong-python", ("torch",), "cp38-cp38"),
    Case(other_nvidia_library, "needs-unmet", ("nvidia-cudnn-cu12",), f"asks for nvidia-cudnn-cu12=={CUDNN}"),
    Case(library_path, "library-intruder", (), "without it, the test passes"),
)


def test_a_torchaudio_that_was_made_for_no_such_cuda_is_the_cause(bare: Patient, tmp_path: Path) -> None:
    """The words of torchaudio 2.11.0 itself as it is imported beside torch 2.15.0+cu132."""
    bare.make("numpy-2.3.0", "sympy-1.13.3")
    bare.unpack(build_torch(tmp_path, "2.15.0+cu132", "13.2"))
    fails = b"raise RuntimeError('Detected that PyTorch and TorchAudio were compiled with different CUDA versions.')"
    bare.unpack(build_wheel(tmp_path, "torchaudio", "2.11.0", {"torchaudio/__init__.py": fails}, (), TAG))
    found = bare.answer()
    assert (found.verdict, found.cause and found.cause.code) == ("found", "companion-cuda")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_diagnosed_and_repaired(bare: Patient, case: Case) -> None:
    case.break_it(bare)
    found = bare.examine()
    assert (found.answer.verdict, found.answer.cause and found.answer.cause.code) == ("found", case.code)
    assert found.answer.cause
    assert case.evidence in "\n".join(evidence_text(line, "en") for line in found.answer.cause.evidence)
    assert bare.status(found.answer) is ExitStatus.FAILED

    preview = bare.plan(found)
    assert sorted(file.name for file in preview.lock.files) == sorted(case.comes)
    assert all(file.size for file in preview.lock.files), "a plan with bytes"
    done = bare.carry_out(preview)
    assert done.returncode == 0, done.stderr

    for name in preview.repair.drop_library_folders:  # as the activated environment has it
        bare.variables["LD_LIBRARY_PATH"] = bare.variables["LD_LIBRARY_PATH"].replace(f"{name}:", "")
    after = bare.examine(deep=True).answer
    assert (after.verdict, after.cause) == ("nothing-wrong", None), after.cause
    assert after.verification
    assert (after.verification.ok, after.verification.gpu_ok) == (True, True)
    assert [look.check for look in after.looks if look.state == FOUND] == []


def test_several_things_at_once_are_mended_at_once(bare: Patient) -> None:
    other_torchvision(bare)
    truncated = bare.site / "numpy" / "__init__.py"
    truncated.write_bytes(truncated.read_bytes()[:20])
    found = bare.examine()
    codes = {found.answer.cause and found.answer.cause.code, *(other.code for other in found.answer.others)}
    assert codes == {"damaged", "companion-variant"}
    preview = bare.plan(found)
    assert sorted(file.name for file in preview.lock.files) == ["numpy", "torchvision"]
    assert bare.carry_out(preview).returncode == 0
    assert bare.answer().verdict == "nothing-wrong"


def test_activation_keeps_the_foreign_library_out(bare: Patient) -> None:
    """The user's terminal still has the folder in its path; after `activate` it has not."""
    import subprocess

    library_path(bare)
    activate = bare.prefix / "bin" / "activate"
    before = activate.read_text()
    assert bare.carry_out(bare.plan()).returncode == 0
    for shell in ("sh", "bash"):
        script = f". '{activate}'; echo \"[$LD_LIBRARY_PATH]\"; python -c 'import torch; print(torch.__version__)'"
        said = subprocess.run(
            [shell, "-c", script],
            env={"PATH": "/usr/bin:/bin", **bare.variables},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert said.stdout.splitlines() == ["[/usr/local/nothing]", f"{TORCH}+{CUDA}"], said.stderr
    assert bare.session.undo_repair(bare.prefix)
    assert activate.read_text() == before


def test_a_library_path_that_does_no_harm_is_no_cause(bare: Patient, tmp_path: Path) -> None:
    bare.make(*HEALTHY)
    bare.variables["LD_LIBRARY_PATH"] = str(copy_libraries(tmp_path / "cuda", "libcublas.so.12"))
    answer = bare.answer()
    assert (answer.verdict, answer.cause) == ("nothing-wrong", None)
    assert [other.code for other in answer.others] == ["library-intruder"]


def test_a_harmless_library_is_not_blamed_for_another_failure(bare: Patient, tmp_path: Path) -> None:
    bare.make(*HEALTHY)
    _behave(bare, do="strange")
    bare.variables["LD_LIBRARY_PATH"] = str(copy_libraries(tmp_path / "cuda", "libcublas.so.12"))
    answer = bare.answer()
    assert answer.verdict == "unknown"
    assert answer.cause is None


def _behave(patient: Patient, **behaviour: object) -> None:
    """Changes what the stand-in does, and its RECORD with it: the files are whole."""
    import json

    path = patient.site / "torch" / "behaviour.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **behaviour}))
    record = next(patient.site.glob("torch-*.dist-info")) / "RECORD"
    lines = [line for line in record.read_text().splitlines() if not line.startswith("torch/behaviour.json")]
    record.write_text("\n".join([*lines, "torch/behaviour.json,,"]) + "\n")
