"""Which files belong to the project: git knows, in a clone of it. A copy without its history is not asked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.tools import path_of

ROOT = Path(__file__).resolve().parents[1]


def tracked(folder: str = ".") -> list[str]:
    """Those that are there, relative to the project. Skips the test where nothing knows."""
    git = path_of("git")
    if not (ROOT / ".git").exists():
        pytest.skip("this copy of the project is no clone")
    # Whoever owns the folder: a copy that root tests may be another user's.
    command = [git, "-c", "safe.directory=*", "-c", "core.quotePath=off", "ls-files", folder]
    listed = subprocess.check_output(command, cwd=ROOT, text=True, encoding="utf-8")
    return [name for name in listed.splitlines() if (ROOT / name).is_file()]
