"""The program as users get it, frozen once per state of the sources and shared by all workers and later runs.

It lies in the temporary folder under the hash of everything that goes into it. Whoever comes first builds (about
half a minute), the others wait for its lock.
"""

from __future__ import annotations

import getpass
import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import filelock
import pytest

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "build_installer.spec"
HOUR = 3600.0


def source_files() -> list[Path]:
    folders = [ROOT / name for name in ("wizard", "matrices", "resources")]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return sorted(path for path in [*files, SPEC] if "__pycache__" not in path.parts)


def state() -> str:
    """A short hash of the sources and of the packages that are frozen with them."""
    digest = hashlib.sha256(sys.version.encode())
    for path in source_files():
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    packages = {f"{found.name} {found.version}" for found in importlib.metadata.distributions()}
    digest.update("\n".join(sorted(packages)).encode())
    return digest.hexdigest()[:16]


def freeze(target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", str(SPEC)]
        places = ["--distpath", f"{scratch}/dist", "--workpath", f"{scratch}/work"]
        built = subprocess.run([*command, *places], capture_output=True, text=True, errors="replace", check=False)
        if built.returncode != 0:
            pytest.fail(f"PyInstaller (extra `freeze`) ended with {built.returncode}:\n{built.stderr[-4000:]}")
        Path(scratch, "dist", "TorchSetup").rename(target)


def forget_old(folder: Path) -> None:
    """Those of earlier sources, unless another run may be using them."""
    for path in folder.iterdir():
        if path.is_dir() and path.stat().st_mtime < time.time() - HOUR:
            shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="session")
def frozen_folder() -> Path:
    folder = Path(tempfile.gettempdir()) / f"torch-setup-frozen-{getpass.getuser()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with filelock.FileLock(folder / "lock"):
        target = folder / state()
        if not target.is_dir():
            forget_old(folder)
            freeze(target)
        os.utime(target)
    return target


@pytest.fixture(scope="session")
def frozen_program(frozen_folder: Path) -> Path:
    """The executable for the console."""
    return frozen_folder / ("torch-wizard.exe" if sys.platform == "win32" else "torch-wizard")


@pytest.fixture
def frozen_environment(tmp_path: Path) -> Mapping[str, str]:
    """A user's, with a home of its own, and without the Python environment that runs the tests."""
    dropped = ("PYTHON", "PYTEST", "VIRTUAL_ENV", "QT_", "DISPLAY", "WAYLAND", "LD_", "TORCH_WIZARD", "PATH")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    path = os.environ["PATH"] if sys.platform == "win32" else "/usr/bin:/bin"
    home = str(tmp_path / "家 home")
    return {**kept, "PATH": path, "TORCH_WIZARD_HOME": home, "QT_QPA_PLATFORM": "offscreen"}
