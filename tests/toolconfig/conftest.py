"""A computer whose home, variables and settings files are the test's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.toolconfig.world import Computer


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    return Computer(tmp_path / "home", {"PATH": os.environ["PATH"], "TORCH_WIZARD_HOME": str(tmp_path / "own-home")})
