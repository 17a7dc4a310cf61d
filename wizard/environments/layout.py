"""Where things lie inside a prefix: the interpreter, site-packages, whether pip is there.

A conda prefix on Windows has python.exe at its top, a venv has it in Scripts; elsewhere it is bin/python.
"""

from __future__ import annotations

import os
from pathlib import Path


def python_of(prefix: Path, os_name: str) -> Path:
    """The interpreter; for a prefix that is not there yet, where a conda prefix would have it."""
    if os_name != "windows":
        plain, numbered = prefix / "bin" / "python", prefix / "bin" / "python3"
        # The system's own Python (Debian) goes by the second name only.
        return numbered if os.path.lexists(numbered) and not os.path.lexists(plain) else plain
    in_venv = prefix / "Scripts" / "python.exe"
    is_venv = (prefix / "pyvenv.cfg").is_file() or in_venv.is_file()
    return in_venv if is_venv else prefix / "python.exe"


def site_packages_of(prefix: Path, version: str, os_name: str) -> Path:
    """`version` is "3.12" or "3.12.11"."""
    if os_name == "windows":
        return prefix / "Lib" / "site-packages"
    minor = ".".join(version.split(".")[:2])
    return prefix / "lib" / f"python{minor}" / "site-packages"


def has_pip(prefix: Path, version: str, os_name: str) -> bool:
    """A whole pip: its RECORD is written last."""
    return any(site_packages_of(prefix, version, os_name).glob("pip-*.dist-info/RECORD"))


def is_conda_prefix(prefix: Path) -> bool:
    return (prefix / "conda-meta").is_dir()
