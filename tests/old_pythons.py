"""The old Pythons that the tables promise, where this machine has them: real interpreters, nothing made up."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

from tests.tools import not_put_in

OLD_PYTHONS = ("3.6", "3.7", "3.8")
_ASK = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"


def old_python(version: str) -> Path:
    """Return an interpreter of "3.6" that can make virtual environments; skip the test where there is none."""
    found = _find(version)
    if found is None:
        not_put_in(f"Python {version} with venv")
    return found


@cache
def _find(version: str) -> Path | None:
    on_path = shutil.which(f"python{version}")
    if on_path is None:
        return None
    behind_shims = Path(on_path).parents[1].glob(f"versions/{version}.*/bin/python{version}")
    found = (*sorted(behind_shims), Path(on_path))
    return next((python for python in found if _version_of(python) == version), None)


def _version_of(python: Path) -> str:
    """Empty where it does not run (a shim may be there for a version that is not) or lacks venv."""
    asked = subprocess.run([python, "-I", "-c", _ASK], capture_output=True, text=True, check=False, timeout=60)
    return asked.stdout.strip()
