"""The project as it lies here: which files belong to it (git knows; a copy without its history is not asked), and its
program, typed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.tools import path_of
from tests.waiting import HANG

ROOT = Path(__file__).resolve().parents[1]
Call = Callable[..., "subprocess.CompletedProcess[str]"]


def tracked(folder: str = ".") -> list[str]:
    """Those that are there, relative to the project. Skips the test where nothing knows."""
    git = path_of("git")
    if not (ROOT / ".git").exists():
        pytest.skip("this copy of the project is no clone")
    # Whoever owns the folder: a copy that root tests may be another user's.
    command = [git, "-c", "safe.directory=*", "-c", "core.quotePath=off", "ls-files", folder]
    listed = subprocess.check_output(command, cwd=ROOT, text=True, encoding="utf-8")
    return [name for name in listed.splitlines() if (ROOT / name).is_file()]


def typed(*words: object, env: Mapping[str, str] | None = None, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """`torch-wizard` with these words, with nobody to ask. `env`: all of its variables; None: this process's."""
    return subprocess.run(
        [sys.executable, "-m", "wizard", *map(str, words)],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
