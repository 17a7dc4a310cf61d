"""Stand-in packages for what needs a graphics card: a small `torch` that fails the way the real one was seen to fail.

Only for tests. The real script and the real processes run; just the library is made up.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
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


def install(prefix: Path, package: str, version: str, **behaviour: object) -> None:
    """Copies the package in, with metadata as pip would leave, and with what it is to do."""
    folder = site_packages(prefix)
    shutil.copytree(PACKAGES / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / package / "behaviour.json").write_text(json.dumps({"version": version, **behaviour}), encoding="utf-8")
    metadata = folder / f"{package}-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
