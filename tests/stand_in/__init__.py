"""Stand-in packages for what needs a graphics card: a small `torch` that fails the way the real one was seen to fail.

Only for tests. The real script and the real processes run; just the library is made up.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import resources
from pathlib import Path

PACKAGES = Path(__file__).parent / "packages"


def make_environment(prefix: Path, base: Path | None = None) -> Path:
    """Make a bare virtual environment, of another Python where `base` names one; return its Python."""
    if base is not None:
        subprocess.run([base, "-I", "-m", "venv", "--without-pip", prefix], check=True, timeout=120)
        return prefix / "bin" / "python"
    venv.EnvBuilder(with_pip=False, symlinks=sys.platform != "win32").create(prefix)
    return prefix / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def site_packages(prefix: Path) -> Path:
    if sys.platform == "win32":
        return prefix / "Lib" / "site-packages"
    return next((prefix / "lib").glob("python3.*")) / "site-packages"


def put_program(path: Path, script: str) -> Path:
    """Write a program that runs this text with our Python, with its ending where the system wants one; return it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if sys.platform != "win32":
        # Not the interpreter by the first line alone: its path may be too long or hold a space.
        start = f"""#!/bin/sh\n'''exec' '{sys.executable}' "$0" "$@"\n'''\n"""
        path.write_text(start + script, encoding="utf-8")
        path.chmod(0o755)
        return path
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("__main__.py", script)
    launcher = (resources.files("installer") / "_scripts" / "t64.exe").read_bytes()
    path = path.with_name(f"{path.name}.exe")
    path.write_bytes(launcher + f'#!"{sys.executable}"\n'.encode() + packed.getvalue())
    return path


def install(prefix: Path, package: str, version: str, **behaviour: object) -> None:
    """Copies the package in, with metadata as pip would leave, and with what it is to do."""
    folder = site_packages(prefix)
    shutil.copytree(PACKAGES / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / package / "behaviour.json").write_text(json.dumps({"version": version, **behaviour}), encoding="utf-8")
    metadata = folder / f"{package}-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
