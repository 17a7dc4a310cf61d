"""Environments made of a few small files: what tells one, and nothing else. Real ones are made by the engines."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

MINOR = f"{sys.version_info[0]}.{sys.version_info[1]}"
VERSION = ".".join(map(str, sys.version_info[:3]))
# Below an environment, as this system lays it out; conda's on Windows has its interpreter at the top.
SITE = "Lib/site-packages" if sys.platform == "win32" else f"lib/python{MINOR}/site-packages"
UP = "../.." if sys.platform == "win32" else "../../.."  # from there to the environment, as a RECORD writes it
SCRIPTS, EXE = ("Scripts", ".exe") if sys.platform == "win32" else ("bin", "")
VENV_PYTHON = f"{SCRIPTS}/python{EXE}"
CONDA_PYTHON = "python.exe" if sys.platform == "win32" else "bin/python"
VERSION_PY = """from typing import Optional

__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip', 'xpu']
__version__ = '{version}'
debug = False
cuda: Optional[str] = {cuda}
git_version = '449b1768410104d3ed79d3bcfe4ba1d65c7f22c0'
hip: Optional[str] = {hip}
xpu: Optional[str] = None
"""


def site_of(prefix: Path) -> Path:
    return prefix / SITE


def add_python(path: Path, target: Path) -> None:
    """On Windows only its name counts; elsewhere it is a link."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        path.touch()
    else:
        path.symlink_to(target)


def make_conda(prefix: Path, python: bool = True, history: str = "# cmd: conda create\n") -> Path:
    """As conda leaves it: records, a history, an interpreter."""
    meta = prefix / "conda-meta"
    meta.mkdir(parents=True)
    (meta / "history").write_text(history)
    site_of(prefix).mkdir(parents=True)
    if python:
        add_python(prefix / CONDA_PYTHON, Path(sys.executable))
        add_conda_package(prefix, "python", VERSION, "h2755cc3_1_cpython", [CONDA_PYTHON])
    return prefix


def add_conda_package(prefix: Path, name: str, version: str, build: str, files: list[str]) -> None:
    record = {"name": name, "version": version, "build": build, "subdir": "linux-64", "files": files}
    (prefix / "conda-meta" / f"{name}-{version}-{build}.json").write_text(json.dumps(record))
    for file in files:
        path = prefix / file
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(path):
            path.write_text("x")


def make_venv(prefix: Path, home: Path = Path(sys.executable).parent, key: str = "version") -> Path:
    add_python(prefix / VENV_PYTHON, home / "python")
    (prefix / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\n{key} = {VERSION}\n")
    site_of(prefix).mkdir(parents=True)
    return prefix


def add_wheel(prefix: Path, name: str, version: str, files: dict[str, str] | None = None) -> None:
    site = site_of(prefix)
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    for path, content in (files or {}).items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(content)
    rows = [*(files or {}), f"{info.name}/METADATA", f"{info.name}/RECORD"]
    (info / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    (info / "RECORD").write_text("".join(f"{row},,\n" for row in rows))


def add_torch(prefix: Path, version: str, cuda: str = "None", hip: str = "None") -> None:
    said = VERSION_PY.format(version=version, cuda=cuda, hip=hip)
    add_wheel(prefix, "torch", version, {"torch/__init__.py": "", "torch/version.py": said})
