"""Environments that are broken for real: venvs with wheels that uv installed, spoilt by hand, repaired by the worker.

torch, torchvision and numpy are stand-ins that check for themselves what the real ones check: the numpy beside
them, the torch beside them, the cuDNN that the loader gives them, the bytes of a real shared library.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil._psutil_linux as a_real_library

from tests.line.wheel import build_wheel
from tests.line.world import PYTHON, TAG, World
from tests.stand_in import PACKAGES, make_environment, site_packages
from wizard.app.session import Session
from wizard.app.use.doctor import Examination
from wizard.compatibility.model import Choices
from wizard.diagnose.examine import exit_status
from wizard.diagnose.model import DoctorResult
from wizard.diagnose.repair.plan import RepairPreview
from wizard.machine.host.operating_system import glibc_version
from wizard.machine.model import Driver, Gpu, Machine
from wizard.model.capability import ComputeCapability
from wizard.model.errors import ExitStatus
from wizard.system import paths

TORCH, VISION, CUDA = "2.13.0", "0.28.0", "cu126"
OLD_TORCH = "2.2.2"  # made for NumPy 1
CUDNN = "9.1.0"
RTX = Gpu("nvidia", "NVIDIA GeForce RTX 3060", "10de:2503", ComputeCapability(8, 6), 12 * 2**30)
MACHINE = Machine("linux", platform.machine(), glibc_version(), Driver("580.65.06", "13.0"), (RTX,))
_NUMPY = """__version__ = {version!r}
class _Array:
    def sum(self): return 6.0
def arange(stop): return _Array()
"""
_VISION = """import torch
__version__ = {version!r}
if torch.__version__.partition("+")[2] != {local!r}:
    raise RuntimeError("operator torchvision::nms does not exist")
class _Kept:
    def cpu(self): return self
    def tolist(self): return [0, 2]
class ops:
    nms = staticmethod(lambda boxes, scores, threshold: _Kept())
"""
_VERSION = "__version__ = {version!r}\ndebug = False\ncuda: Optional[str] = {cuda!r}\ngit_version = 'abc'\nhip = None\n"


def library() -> bytes:
    return Path(a_real_library.__file__).read_bytes()


def build_all(folder: Path) -> Path:
    packages, torch = folder / "packages", folder / "torch"
    for version in ("1.26.4", "2.3.0"):
        build_wheel(packages, "numpy", version, {"numpy/__init__.py": _NUMPY.format(version=version).encode()})
    for version in (CUDNN, "8.9.2"):
        files = {"nvidia/cudnn/lib/libcudnn.txt": version.encode(), "nvidia/cudnn/__init__.py": b""}
        build_wheel(packages, "nvidia_cudnn_cu12", version, files)
    build_wheel(packages, "sympy", "1.13.3", {"sympy/__init__.py": b"", "sympy/core.py": b"x = 1\n"})
    build_wheel(packages, "sympy", "1.14.0", {"sympy/__init__.py": b"", "sympy/core.py": b"x = 2\n"})
    build_wheel(packages, "spoiler", "1.0", {"spoiler/__init__.py": b""}, [f"torch=={TORCH}"])
    for local, cuda in (("cpu", None), (CUDA, "12.6")):
        build_torch(torch, f"{TORCH}+{local}", cuda, library=True, cudnn=True)
        vision = {"torchvision/__init__.py": _VISION.format(version=f"{VISION}+{local}", local=local).encode()}
        build_wheel(torch, "torchvision", f"{VISION}+{local}", vision, [f"torch=={TORCH}"], TAG)
    # What the general index has under the same number: the build for another CUDA, without a mark.
    unmarked = {"torchvision/__init__.py": _VISION.format(version=VISION, local="cu130").encode()}
    build_wheel(folder / "general", "torchvision", VISION, unmarked, [f"torch=={TORCH}"], TAG)
    build_torch(torch, f"{OLD_TORCH}+cu121", "12.1", numpy_bound=2)
    # What another interpreter would have; it is never offered to this one.
    build_torch(folder / "foreign", f"{TORCH}+{CUDA}", "12.6", "cp38-cp38-manylinux_2_17_x86_64", library=True)
    return folder


def build_torch(folder: Path, version: str, cuda: str | None, tag: str = TAG, **behaviour: object) -> Path:
    own = PACKAGES / "torch"
    files = {
        f"torch/{path.relative_to(own).as_posix()}": path.read_bytes()
        for path in own.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    told = {"version": version, "do": "work", "cuda": cuda, **behaviour}
    files["torch/behaviour.json"] = json.dumps(told).encode()
    files["torch/version.py"] = _VERSION.format(version=version, cuda=cuda).encode()
    files["torch/lib/libtorch_cpu.so"] = library()
    files["torch/lib/libcudnn.so.9"] = library()
    files["torch/nn/modules.py"] = b"# a module\n" * 50
    requires = ["sympy", *([f"nvidia-cudnn-cu12=={CUDNN}"] if cuda == "12.6" else [])]
    return build_wheel(folder, "torch", version, files, requires, tag)


@dataclass
class Patient:
    """One environment, the loopback sources, and what the user's terminal has set."""

    world: World
    wheels: Path
    prefix: Path
    machine: Machine = MACHINE
    variables: dict[str, str] = field(default_factory=dict)
    session: Session = field(default_factory=Session)

    @property
    def site(self) -> Path:
        return site_packages(self.prefix)

    @property
    def python(self) -> Path:
        return self.prefix / "bin" / "python"

    def make(self, *wheels: str) -> None:
        """A venv with these: `torch-2.13.0+cu126` and such. Without dependencies: what is named is there."""
        make_environment(self.prefix)
        self.install(*wheels)

    def install(self, *wheels: str) -> None:
        offered = [path for folder in ("packages", "torch") for path in (self.wheels / folder).glob("*.whl")]
        names = [next(path for path in offered if path.name.startswith(f"{wheel}-")) for wheel in wheels]
        command = [str(paths.uv_executable()), "pip", "install", "--offline", "--no-deps", "--no-config", "--quiet"]
        subprocess.run(
            [*command, "--no-cache", "--reinstall", "--python", str(self.python), *map(str, names)],
            check=True,
            timeout=120,
        )

    def unpack(self, wheel: Path, installer: str = "pip") -> None:
        """As a tool that asks no questions would put it there."""
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.site)
        info = next(name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" in name).split("/")[0]
        (self.site / info / "INSTALLER").write_text(f"{installer}\n")

    def examine(self, **options: Any) -> Examination:
        facts = self.session.facts_of(self.machine)
        return self.session.doctor(facts, self.prefix, variables=self.variables, **options)

    def answer(self, **options: bool) -> DoctorResult:
        return self.examine(**options).answer

    def plan(self, found: Examination | None = None) -> RepairPreview:
        choices = Choices(index=self.world.packages.simple, torch_index=self.world.torch.simple)
        return self.session.plan_repair(found or self.examine(), choices)

    def carry_out(self, preview: RepairPreview) -> subprocess.CompletedProcess[str]:
        return self.world.run("run", str(self.session.plan_path(preview.plan.id)))

    def status(self, answer: DoctorResult) -> ExitStatus:
        return exit_status(answer)


HEALTHY = (
    f"torch-{TORCH}+{CUDA}",
    f"torchvision-{VISION}+{CUDA}",
    "numpy-2.3.0",
    "sympy-1.13.3",
    f"nvidia_cudnn_cu12-{CUDNN}",
)


def tree(folder: Path) -> Mapping[str, str]:
    """Every file with its content, but what Python compiles by itself."""
    import hashlib

    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts:
            found[path.relative_to(folder).as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def copy_libraries(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_bytes(library())
    return folder


__all__ = ["HEALTHY", "MACHINE", "PYTHON", "Patient", "build_all", "copy_libraries", "os", "shutil", "sys", "tree"]
