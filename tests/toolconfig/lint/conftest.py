"""A computer whose settings files are the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.toolconfig.test_settings import Computer


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    return Computer(tmp_path)
