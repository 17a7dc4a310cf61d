"""The program as users get it: frozen, packed and unpacked once per state of the sources, shared by all tests.

A folder that FOLDER_VARIABLE names is taken as it is. Else it lies in the temporary folder under the hash of everything
that goes into it. Whoever comes first builds (about a minute), the others wait for its lock. The folder has a space and
Chinese letters and nothing in it may be written to.
"""

from __future__ import annotations

import getpass
import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import filelock
import pytest

from tests.tools import missing, path_of

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # the icon's test draws; these run alone, too

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "build_installer.spec"
BUILD = ROOT / "resources" / "installer" / "build.py"
FOLDER_VARIABLE = "TORCH_SETUP_FROZEN"
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


def build(*arguments: str) -> None:
    """The command that a release is made with."""
    command = [sys.executable, str(BUILD), *arguments]
    built = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if built.returncode != 0:
        pytest.fail(f"{' '.join(command)} ended with {built.returncode}:\n{(built.stdout + built.stderr)[-4000:]}")


def make(target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent) as made:
        build("freeze", "--into", made)
        if sys.platform == "win32":
            Path(made, "TorchSetup").rename(target)
            return
        build("tar", "--from", f"{made}/TorchSetup", "--into", made, "--preset", "0")
        [archive] = Path(made).glob("TorchSetup-*.tar.xz")
        with tarfile.open(archive) as tar:
            # Python before 3.11.4 knows no filters, and unpacks as this one does.
            tar.extractall(Path(made, "unpacked"), **({"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}))
        [unpacked] = Path(made, "unpacked").iterdir()
        for path in unpacked.rglob("*"):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & ~0o222)
        unpacked.rename(target)


def forget_old(folder: Path) -> None:
    """Those of earlier sources, unless another run may be using them."""
    for path in folder.iterdir():
        if path.is_dir() and path.stat().st_mtime < time.time() - HOUR:
            for inside in path.rglob("*"):
                if inside.is_dir() and not inside.is_symlink():
                    inside.chmod(0o755)
            shutil.rmtree(path, ignore_errors=True)


def library_of(name: str) -> None:
    """Skips where Python's own shared library is not there; Debian has it in a package of its own."""
    if ".so" in name and not Path(sysconfig.get_config_var("LIBDIR"), name).exists():
        missing(name)


@pytest.fixture(scope="session")
def unpacked_folder() -> Path:
    """What the archive unpacks to (on Windows: the frozen folder)."""
    if made := os.environ.get(FOLDER_VARIABLE):
        return Path(made).resolve()
    if sys.platform != "win32":
        path_of("objdump")  # PyInstaller reads with it what a library needs
        library_of(sysconfig.get_config_var("INSTSONAME"))
    folder = Path(tempfile.gettempdir()) / f"torch-setup 冻结 {getpass.getuser()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with filelock.FileLock(folder / "lock"):
        target = folder / state()
        if not target.is_dir():
            forget_old(folder)
            make(target)
        os.utime(target)
    return target


@pytest.fixture(scope="session")
def frozen_folder(unpacked_folder: Path) -> Path:
    return unpacked_folder if sys.platform == "win32" else unpacked_folder / "program"


@pytest.fixture(scope="session")
def frozen_program(unpacked_folder: Path) -> Path:
    """What a person starts in a terminal: on Linux the launcher."""
    return unpacked_folder / ("torch-wizard.exe" if sys.platform == "win32" else "torch-wizard")


@pytest.fixture
def frozen_environment(tmp_path: Path) -> Mapping[str, str]:
    """A user's, with a home of its own, and without the Python environment that runs the tests."""
    dropped = ("PYTHON", "PYTEST", "VIRTUAL_ENV", "QT_", "DISPLAY", "WAYLAND", "LD_", "TORCH_WIZARD", "PATH")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    path = os.environ["PATH"] if sys.platform == "win32" else str(tmp_path / "no programs")
    home = str(tmp_path / "家 home")
    return {**kept, "PATH": path, "TORCH_WIZARD_HOME": home, "QT_QPA_PLATFORM": "offscreen"}


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """`resources/installer/build.py`, with the modules beside it."""
    monkeypatch.syspath_prepend(str(BUILD.parent))
    import build as found

    return found


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A frozen folder in small: a real program, a link, Chinese letters."""
    folder = tmp_path / "TorchSetup"
    (folder / "_internal" / "licences").mkdir(parents=True)
    shutil.copy("/bin/true", folder / "torch-wizard")
    shutil.copy("/bin/ls", folder / "_internal" / "libls.so.1")
    (folder / "_internal" / "libls.so").symlink_to("libls.so.1")
    (folder / "_internal" / "说明.txt").write_text("字")
    (folder / "_internal" / "licences" / "README.txt").write_text("all of them")
    (folder / "torch-wizard").write_text('#!/bin/sh\necho "started with: $*; PATH=$PATH"\n')
    (folder / "torch-wizard").chmod(0o755)
    return folder
