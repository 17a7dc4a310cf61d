"""Tables with SHA-256 of a test's own wheels, in place of those of the real ones."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from wizard.system.paths import MATRICES_VARIABLE, matrices_dir


def pin(monkeypatch: pytest.MonkeyPatch, folder: Path, *wheels: Path) -> Path:
    """Make tables in `folder` that know these wheels as they are now, and let the program read them."""
    shutil.copytree(matrices_dir(), folder, dirs_exist_ok=True)
    with (folder / "wheel_hashes.csv").open("a", encoding="utf-8", newline="") as file:
        for wheel in wheels:
            file.write(f"{wheel.name},{hashlib.sha256(wheel.read_bytes()).hexdigest()},2026-11-22,medium,the test\n")
    monkeypatch.setenv(MATRICES_VARIABLE, str(folder))
    return folder
